import { quotePath } from '@cairn/tool/paths';
import type { GlobMatch } from '@cairn/natives';
import { errorText, writeAnswer, type MatchesDocument } from '../../terminal/answer.ts';
import { exitCodeOf } from '../../terminal/exit.ts';
import { createPaint, usesColor, type LineEnd, type Paint } from '../../terminal/output.ts';
import type { Session } from '../../terminal/session.ts';
import { listingNotices, nothingFoundNotice, offsetNotice } from './notices.ts';
import type { ListingFlags } from './options.ts';
import type { ListingOfAll, Placed } from './search-all.ts';

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
  { out, env }: Session,
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
  session: Session,
): readonly string[] {
  const shown = listing.matches.length;
  const { totalMatches } = listing;
  const lossyPaths = listing.matches.filter(({ match }) => match.lossyPath === true).length;
  const found = listingNotices({ ...listing, shown, lossyPaths, totalMatches: totalMatches - (offset ?? 0) });
  const skipped = offset === undefined ? [] : offsetNotice(offset, totalMatches);
  const notices = [...listing.failures.map(errorText), ...skipped, ...found, ...remarks];
  const isForPerson = session.err.isTerminal && flags.json !== true && offset === undefined;
  if (shown > 0 || notices.length > 0 || !isForPerson) return notices;
  return [nothingFoundNotice(flags.hidden ?? false, flags.ignore)];
}

export async function printListing(session: Session, answer: ListingAnswer, flags: ListingFlags): Promise<number> {
  const { listing, lines } = answer;
  await writeAnswer(session, flags, {
    lines,
    lineEnd: pathStyle(flags, session).lineEnd,
    document: documentOf(answer),
    notices: () => noticesOf(answer, flags, session),
  });
  const { matches, stopReason, unreadable = 0, failures } = listing;
  return exitCodeOf({ shown: matches.length, stopReason, unreadable: unreadable + failures.length });
}
