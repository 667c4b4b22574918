import type { GrepResult, Occurrence, StopReason } from '@cairn/natives';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { countOf, formatCount } from '../../terminal/text.ts';
import { unreadableNotice } from '../../terminal/unreadable.ts';

/** What a result of find or glob states about its completeness. */
export interface ListingFacts {
  readonly shown: number;
  readonly totalMatches: number;
  /** Whether there are more than `totalMatches`. */
  readonly isTotalOpen?: boolean;
  readonly stopReason?: StopReason | undefined;
  readonly unreadable?: number | undefined;
  /** The first of them. */
  readonly unreadablePaths?: readonly string[] | undefined;
  readonly lossyPaths: number;
  /** What a glob without a match may have meant. */
  readonly hints?: readonly string[] | undefined;
  /** Where it searched. */
  readonly roots?: readonly string[] | undefined;
}

/** How many matches a line of a result can have. */
export const MAX_SUBMATCHES = 100_000;

/** How many repaired patterns are named. */
const MAX_NAMED = 3;

function stopNotice(stopReason: StopReason | undefined, roots: readonly string[] = []): string[] {
  const isList = roots.includes(STANDARD_INPUT);
  if (stopReason === 'timeout') {
    return [
      `--timeout ended the search early; use a longer timeout or a ${isList ? 'shorter list' : 'smaller --path'}`,
    ];
  }
  if (stopReason === 'budget' && isList) {
    return [
      'the list has more names than FS_SCAN_MAX_ENTRIES or the result is too large, so this is a part; give a shorter list',
    ];
  }
  if (stopReason === 'budget') {
    return [
      'the tree has more entries than FS_SCAN_MAX_ENTRIES or the result is too large, so this is a part; use a smaller --path',
    ];
  }
  return [];
}

function lossyNotice(count: number): string[] {
  if (count === 0) return [];
  return [
    `${countOf(count, 'name')} ${count === 1 ? 'is' : 'are'} not valid Unicode and shown with replacement characters`,
  ];
}

/** Returns `showing 100 of 2,345`, or states that there are more when their number is unknown. */
function cutNotice(shown: number, total: number, next: string): string {
  const what =
    total > shown
      ? `showing ${formatCount(shown)} of ${formatCount(total)}`
      : `showing the first ${formatCount(shown)}, and there are more`;
  return `${what}; ${next}`;
}

export function listingNotices(facts: ListingFacts): string[] {
  const isCut = facts.totalMatches > facts.shown || facts.stopReason === 'limit';
  const total = facts.isTotalOpen === true ? facts.shown : facts.totalMatches;
  return [
    ...(isCut ? [cutNotice(facts.shown, total, 'use --limit for more')] : []),
    ...stopNotice(facts.stopReason, facts.roots),
    ...(facts.hints ?? []),
    ...unreadableNotice(facts.unreadable ?? 0, 'directory or entry', 'directories or entries', facts.unreadablePaths),
    ...lossyNotice(facts.lossyPaths),
  ];
}

/** What a result of grep states about its completeness. */
export interface GrepFacts extends ListingFacts {
  readonly hint?: string | undefined;
  /** Whether nothing was found with a pattern over lines that has a line feed without a carriage return. */
  readonly isForLineFeeds: boolean;
  /** Whether `--limit` cut the result. */
  readonly isLimited: boolean;
  readonly offset: number;
  readonly filesCut: number;
  readonly linesCut: number;
  /** How many lines have more matches than one line can have in a result. */
  readonly linesCrowded: number;
  /** How many lines have a replacement character. */
  readonly linesReplaced: number;
  readonly skipped: {
    readonly oversized: number;
    readonly binary: number;
    readonly unreadable: number;
    readonly tooCostly?: number;
  };
  readonly givenPattern: string;
  /** The pattern that was searched, when it differs from the given one. */
  readonly searchedPattern?: string | undefined;
  /** The same of several patterns. */
  readonly searchedPatterns?: GrepResult['searchedPatterns'] | undefined;
  /** The globs that were used, if `--glob` holds several. */
  readonly globs?: readonly string[] | undefined;
  /** Nothing matched, and this is the first place with the text of the pattern. */
  readonly asTyped?: Occurrence | undefined;
  /** Whether the pattern was searched as plain text without -F. */
  readonly isLiteral: boolean;
}

function budgetNotice({ shown, offset }: GrepFacts): string {
  const next = shown === 0 ? '' : `--offset ${offset + shown} to continue, or `;
  return `the tree or the result is too large for one search; use ${next}a smaller --path`;
}

function patternNotice(facts: GrepFacts): string[] {
  if (facts.isLiteral)
    return [
      `searched for the plain text "${facts.givenPattern}", because it is not a valid expression; use -F for plain text`,
    ];
  if (facts.asTyped !== undefined) {
    const { text, path, lineNumber } = facts.asTyped;
    return [
      `nothing matches the expression, but the text "${text}" is in ${path}:${lineNumber}; use -F for plain text`,
    ];
  }
  if (facts.searchedPattern !== undefined) return [`repaired the pattern; searched for "${facts.searchedPattern}"`];
  const { searchedPatterns = [] } = facts;
  const named = searchedPatterns
    .slice(0, MAX_NAMED)
    .map(({ pattern, searched }) => `repaired the pattern "${pattern}"; searched for "${searched}"`);
  const more = searchedPatterns.length - named.length;
  return more > 0 ? [...named, `repaired ${countOf(more, 'more pattern')}; use -F for plain text`] : named;
}

/** The notice of an offset that skips all of `total` results. */
export function offsetNotice(offset: number, total: number): string[] {
  return total > 0 && offset >= total
    ? [`there are no more: --offset ${offset} skips all ${formatCount(total)}; use a smaller one`]
    : [];
}

export function grepNotices(facts: GrepFacts): string[] {
  const next = `use --limit for more, or --offset ${facts.offset + facts.shown} to continue`;
  // The total includes the matches that --offset skipped.
  const total = facts.totalMatches - facts.offset;
  return [
    ...patternNotice(facts),
    ...(facts.globs === undefined ? [] : [`--glob holds ${facts.globs.length} globs: ${facts.globs.join(' ')}`]),
    ...(facts.hint === undefined ? [] : [facts.hint]),
    ...(facts.isForLineFeeds
      ? [String.raw`\n does not match the line ends of files with CRLF; write \r?\n for both`]
      : []),
    ...(facts.isLimited ? [cutNotice(facts.shown, total, next)] : []),
    ...(facts.shown === 0 ? offsetNotice(facts.offset, facts.totalMatches) : []),
    ...(facts.filesCut > 0
      ? [`${countOf(facts.filesCut, 'file')} had more matches than --max-count; raise it for more`]
      : []),
    ...(facts.linesCut > 0 ? [`shortened ${countOf(facts.linesCut, 'line')}; --max-columns 0 shows whole lines`] : []),
    ...(facts.linesCrowded > 0
      ? [
          `${countOf(facts.linesCrowded, 'line')} had more than ${formatCount(MAX_SUBMATCHES)} matches, of which the rest is left out; break such a line for all of them`,
        ]
      : []),
    ...(facts.stopReason === 'budget' ? [budgetNotice(facts)] : stopNotice(facts.stopReason)),
    ...(facts.skipped.binary > 0
      ? [`skipped ${countOf(facts.skipped.binary, 'binary file')} from the first NUL byte on`]
      : []),
    ...(facts.skipped.oversized > 0
      ? [`skipped ${countOf(facts.skipped.oversized, 'file')} over --max-filesize or with a line too long to search`]
      : []),
    ...(facts.skipped.tooCostly !== undefined
      ? [
          `searched ${countOf(facts.skipped.tooCostly, 'file')} only in part, because the pattern backtracks too often; simplify it`,
        ]
      : []),
    ...unreadableNotice(facts.skipped.unreadable, 'file or directory', 'files or directories', facts.unreadablePaths),
    ...lossyNotice(facts.lossyPaths),
    ...(facts.linesReplaced > 0
      ? [
          `${countOf(facts.linesReplaced, 'line')} ${facts.linesReplaced === 1 ? 'has' : 'have'} U+FFFD, which stands for bytes that are not UTF-8, too; columns count it as 3 bytes`,
        ]
      : []),
  ];
}

/** Returns what was not searched, for a person who found nothing. */
export function nothingFoundNotice(searchesHidden: boolean, appliesIgnoreFiles: boolean): string {
  const skipped = [
    ...(searchesHidden ? [] : ['hidden names (--hidden)']),
    ...(appliesIgnoreFiles ? ['ignored files (--no-ignore)'] : []),
  ];
  return skipped.length === 0 ? 'nothing found' : `nothing found; not searched: ${skipped.join(' and ')}`;
}
