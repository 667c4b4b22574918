import type { StopReason } from '@cairn/natives';
import type { Session } from './session.ts';
import { createPaint, usesColor, type ColorMode } from './output.ts';
import { countOf, escapeControls, formatCount } from './text.ts';

/** What a listing (find, glob) has to say about its own completeness. */
export interface ListingFacts {
  readonly shown: number;
  readonly totalMatches: number;
  readonly stopReason?: StopReason | undefined;
  readonly unreadable?: number | undefined;
  readonly lossyPaths: number;
}

function stopNotice(stopReason: StopReason | undefined): string[] {
  if (stopReason === 'timeout')
    return ['stopped by --timeout before the whole tree was searched; give it more time or a smaller --path'];
  if (stopReason === 'budget') {
    return [
      'stopped before the whole tree was searched: it has more entries than FS_SCAN_MAX_ENTRIES allows; use a smaller --path',
    ];
  }
  return [];
}

function lossyNotice(count: number): string[] {
  if (count === 0) return [];
  const are = count === 1 ? 'name shown is' : 'names shown are';
  return [`${formatCount(count)} ${are} not valid Unicode and could not be shown exactly`];
}

/** `showing 100 of 2,345`, or that more exist when their number is not known. */
function cutNotice(shown: number, total: number, next: string): string {
  const what =
    total > shown
      ? `showing ${formatCount(shown)} of ${formatCount(total)}`
      : `showing the first ${formatCount(shown)}, there are more`;
  return `${what}; ${next}`;
}

export function listingNotices(facts: ListingFacts): string[] {
  const isCut = facts.totalMatches > facts.shown || facts.stopReason === 'limit';
  return [
    ...(isCut ? [cutNotice(facts.shown, facts.totalMatches, 'use --limit to see more')] : []),
    ...stopNotice(facts.stopReason),
    ...unreadableNotice(facts.unreadable ?? 0, 'directory or entry', 'directories or entries'),
    ...lossyNotice(facts.lossyPaths),
  ];
}

function unreadableNotice(count: number, singular: string, plural: string): string[] {
  if (count === 0) return [];
  return [
    `${countOf(count, singular, plural)} could not be read and ${count === 1 ? 'was' : 'were'} left out; check the permissions`,
  ];
}

/** What a content search has to say about its own completeness. */
export interface GrepFacts extends ListingFacts {
  /** Whether `--limit` left something out. */
  readonly isLimited: boolean;
  readonly offset: number;
  readonly filesCut: number;
  readonly linesCut: number;
  readonly skipped: {
    readonly oversized: number;
    readonly binary: number;
    readonly unreadable: number;
    readonly tooCostly?: number;
  };
  readonly givenPattern: string;
  /** What was searched for, when it is not the pattern as given. */
  readonly searchedPattern?: string | undefined;
  /** The pattern was taken as plain text without being asked to. */
  readonly isLiteral: boolean;
}

function patternNotice(facts: GrepFacts): string[] {
  if (facts.isLiteral)
    return [`pattern was searched literally: '${facts.givenPattern}' is no valid expression; -F says so beforehand`];
  return facts.searchedPattern === undefined ? [] : [`pattern was repaired: searched for '${facts.searchedPattern}'`];
}

export function grepNotices(facts: GrepFacts): string[] {
  const next = `use --limit to see more, or --offset ${facts.offset + facts.shown} to go on from here`;
  // The total stops where the search does, and counts what --offset left out.
  const total = facts.totalMatches - facts.offset;
  return [
    ...patternNotice(facts),
    ...(facts.isLimited ? [cutNotice(facts.shown, total, next)] : []),
    ...(facts.filesCut > 0 ? [`${countOf(facts.filesCut, 'file')} had more than --max-count-per-file shows`] : []),
    ...(facts.linesCut > 0 ? [`${countOf(facts.linesCut, 'line')} cut to fit; --max-columns 0 shows whole lines`] : []),
    ...stopNotice(facts.stopReason),
    ...(facts.skipped.binary > 0
      ? [`${countOf(facts.skipped.binary, 'binary file')} not searched, or only up to the first NUL byte`]
      : []),
    ...(facts.skipped.oversized > 0
      ? [`${countOf(facts.skipped.oversized, 'file')} too large to search (--max-filesize) skipped`]
      : []),
    ...(facts.skipped.tooCostly !== undefined
      ? [
          `${countOf(facts.skipped.tooCostly, 'file')} searched only up to a line on which the pattern backtracks too often`,
        ]
      : []),
    ...unreadableNotice(facts.skipped.unreadable, 'file or directory', 'files or directories'),
    ...lossyNotice(facts.lossyPaths),
  ];
}

/** For a person who got nothing: what was not looked at. Programs do not get it. */
export function nothingFoundNotice(searchesHidden: boolean, appliesIgnoreFiles: boolean): string {
  const left = [
    ...(searchesHidden ? [] : ['hidden names (--hidden)']),
    ...(appliesIgnoreFiles ? ['what ignore files exclude (--no-ignore)'] : []),
  ];
  return left.length === 0 ? 'nothing found' : `nothing found; not searched: ${left.join(' and ')}`;
}

/** Writes notices to standard error, one line each. */
export async function writeNotices(session: Session, color: ColorMode, notices: readonly string[]): Promise<void> {
  const paint = createPaint(usesColor(color, session.err.isTerminal, session.env));
  for (const notice of notices) await session.err.write(`${paint.dim(`cairn: ${escapeControls(notice)}`)}\n`);
}
