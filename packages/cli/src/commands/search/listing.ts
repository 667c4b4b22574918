import { quotePath } from '@cairn/tool/paths';
import type { GlobMatch, StopReason } from '@cairn/natives';
import { errorText, writeAnswer, type MatchesDocument } from '../../terminal/answer.ts';
import { exitCodeOf } from '../../terminal/exit.ts';
import { createPaint, usesColor, type LineEnd, type Paint } from '../../terminal/output.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import type { ListingFlags } from './options.ts';
import type { ListingOfAll, Placed } from './search-all.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { countOf, formatCount } from '../../terminal/text.ts';

interface ListedMatch extends Pick<GlobMatch, 'path' | 'lossyPath'> {
  readonly positions?: readonly number[];
}

export interface PathStyle {
  readonly paint: Paint;
  readonly shown: (path: string) => string;
  readonly lineEnd: LineEnd;
}

/** Returns the printer of paths. Those for a program (`-0`) are neither quoted nor painted, except in a terminal. */
export function pathStyle(
  { color, null: endsWithNull = false }: Pick<ListingFlags, 'color' | 'null'>,
  { out, env }: CommandContext,
): PathStyle {
  const isForProgram = endsWithNull && !out.isTerminal;
  const isColored = isForProgram ? color === 'always' : usesColor(color, out.isTerminal, env);
  const shown = isForProgram ? (path: string) => path : quotePath;
  return { paint: createPaint(isColored), shown, lineEnd: endsWithNull ? '\0' : '\n' };
}

export interface ListingAnswer {
  readonly listing: ListingOfAll<ListedMatch>;
  readonly lines: Iterable<string>;
  readonly remarks: readonly string[];
  readonly facts?: object | undefined;
  /** How many matches are left out before the listed ones. Only a list of the files that grep searches has pages. */
  readonly offset?: number;
}

/** Returns a match as a program gets it: its path begins with the root as it was given, as in the lines. */
function matchOf<Match extends ListedMatch>({ prefix, match }: Placed<Match>): Match {
  const positions = match.positions?.map((position) => position + prefix.length);
  return { ...match, path: prefix + match.path, ...(positions && { positions }) };
}

function documentOf({ listing, offset = 0, facts }: ListingAnswer): MatchesDocument {
  const { matches, totalMatches, complete, stopReason, unreadable = 0, unreadablePaths, hints, roots } = listing;
  const isCut = offset + matches.length < totalMatches;
  const reason = stopReason ?? (isCut ? 'limit' : undefined);
  return {
    matches: matches.map(matchOf),
    shown: matches.length,
    totalMatches,
    complete: complete && unreadable === 0 && !isCut,
    ...(reason !== undefined && { stopReason: reason }),
    ...(unreadable > 0 && { unreadable }),
    ...(unreadablePaths && { unreadablePaths }),
    ...(hints.length > 0 && { hint: hints.join('; ') }),
    ...(roots.length > 1 && { paths: roots }),
    ...facts,
  };
}

function noticesOf(
  { listing, remarks, offset }: ListingAnswer,
  flags: ListingFlags,
  context: CommandContext,
): readonly string[] {
  const shown = listing.matches.length;
  const { totalMatches } = listing;
  const lossyPaths = listing.matches.filter(({ match }) => match.lossyPath === true).length;
  const found = listingNotices({ ...listing, shown, lossyPaths, totalMatches: totalMatches - (offset ?? 0) });
  const skipped = offset === undefined ? [] : offsetNotice(offset, totalMatches);
  const notices = [...listing.failures.map(errorText), ...skipped, ...found, ...remarks];
  const isForPerson = context.err.isTerminal && flags.json !== true && offset === undefined;
  if (shown > 0 || notices.length > 0 || !isForPerson) return notices;
  return [nothingFoundNotice(flags.hidden ?? false, flags.ignore)];
}

export async function printListing(
  context: CommandContext,
  answer: ListingAnswer,
  flags: ListingFlags,
): Promise<number> {
  const { listing, lines } = answer;
  await writeAnswer(context, flags, {
    lines,
    lineEnd: pathStyle(flags, context).lineEnd,
    document: documentOf(answer),
    notices: () => noticesOf(answer, flags, context),
  });
  const { matches, stopReason, unreadable = 0, failures } = listing;
  return exitCodeOf({ shown: matches.length, stopReason, unreadable: unreadable + failures.length });
}

export interface ListingFacts extends Partial<Omit<ListingOfAll<unknown>, 'matches' | 'totalMatches'>> {
  readonly shown: number;
  readonly totalMatches: number;
  readonly lossyPaths: number;
}

export function stopNotice(reason: StopReason | undefined, roots: readonly string[] = []): readonly string[] {
  const [source, scope] = roots.includes(STANDARD_INPUT)
    ? ['list has more names', 'shorter list']
    : ['tree has more entries', 'smaller --path'];
  if (reason === 'timeout') return [`--timeout ended the search early; use a longer timeout or a ${scope}`];
  if (reason !== 'budget') return [];
  const fix = scope === 'shorter list' ? 'give' : 'use';
  return [`the ${source} than FS_SCAN_MAX_ENTRIES or the result is too large, so this is a part; ${fix} a ${scope}`];
}

export function lossyNotice(count: number): readonly string[] {
  if (count === 0) return [];
  const what = `${countOf(count, 'name')} ${count === 1 ? 'is' : 'are'}`;
  return [`${what} not valid Unicode and shown with replacement characters`];
}

/** Returns `showing 100 of 2,345`, or states that there are more when their number is unknown. */
export function cutNotice(shown: number, total: number, next: string): string {
  const what =
    total > shown
      ? `showing ${formatCount(shown)} of ${formatCount(total)}`
      : `showing the first ${formatCount(shown)}, and there are more`;
  return `${what}; ${next}`;
}

export function listingNotices(facts: ListingFacts): readonly string[] {
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

export function offsetNotice(offset: number, total: number): readonly string[] {
  return total > 0 && offset >= total
    ? [`there are no more: --offset ${offset} skips all ${formatCount(total)}; use a smaller one`]
    : [];
}

export function nothingFoundNotice(searchesHidden: boolean, appliesIgnoreFiles: boolean): string {
  const skipped = [
    ...(searchesHidden ? [] : ['hidden names (--hidden)']),
    ...(appliesIgnoreFiles ? ['ignored files (--no-ignore)'] : []),
  ];
  return skipped.length === 0 ? 'nothing found' : `nothing found; not searched: ${skipped.join(' and ')}`;
}

const MAX_NAMED = 3;

export function unreadableNotice(
  count: number,
  singular: string,
  plural: string,
  paths: readonly string[] = [],
): string[] {
  if (count === 0) return [];
  const named = paths.slice(0, MAX_NAMED).map(quotePath);
  const more = named.length > 0 && count > named.length ? ` and ${formatCount(count - named.length)} more` : '';
  const names = named.length > 0 ? `: ${named.join(', ')}${more}` : '';
  return [`skipped ${countOf(count, singular, plural)} because of a read error${names}; check the permissions`];
}
