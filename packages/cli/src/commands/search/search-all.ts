import type { FuzzyFindMatch, FuzzyFindOptions, GuessKind, StopReason } from '@cairn/natives';
import { inOptions, UsageError } from '../../terminal/errors.ts';
import { pathBelow, pathPrefix } from '../../terminal/path-prefix.ts';
import { STANDARD_INPUT } from '../../terminal/standard-input.ts';
import type { NameList } from '../../terminal/name-list.ts';

export interface Listing<Match> {
  readonly matches: readonly Match[];
  readonly totalMatches: number;
  readonly complete: boolean;
  readonly stopReason?: StopReason;
  readonly unreadable?: number;
  readonly unreadablePaths?: readonly string[];
  readonly hint?: string;
}

export interface Placed<Match> {
  readonly root: string;
  readonly prefix: string;
  readonly match: Match;
}

export interface ListingOfAll<Match> extends Omit<Listing<Match>, 'matches' | 'hint'> {
  readonly roots: readonly string[];
  readonly matches: readonly Placed<Match>[];
  /** Whether a search ended at its limit without counting the rest, so that `totalMatches` is a lower bound. */
  readonly isTotalOpen: boolean;
  readonly hints: readonly string[];
  readonly failures: readonly unknown[];
}

export interface ListingOrder<Match> {
  readonly limit: number;
  /** Compares matches of different roots. Without it, they are in the order of the roots. */
  readonly compare?: ((one: Match, other: Match) => number) | undefined;
}

/** The reasons to stop, the most important first. */
const stopReasons: readonly StopReason[] = ['timeout', 'budget', 'limit'];

/** Searches every root and adds the results up. A failed root is reported. @throws the first error when all failed */
export async function searchAll<Match>(
  roots: readonly string[],
  searchOne: (root: string) => Promise<Listing<Match>>,
  { limit, compare }: ListingOrder<Match>,
): Promise<ListingOfAll<Match>> {
  const outcomes = await Promise.allSettled(roots.map(searchOne));
  const found = outcomes.flatMap((outcome, index) =>
    outcome.status === 'fulfilled' ? [{ root: roots[index] ?? '', listing: outcome.value }] : [],
  );
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  if (found.length === 0) throw failures[0];
  const placed = found.flatMap(({ root, listing }) => {
    const prefix = pathPrefix(root);
    return listing.matches.map((match): Placed<Match> => ({ root, prefix, match }));
  });
  // Sorting is stable: among equals the order of the roots holds.
  if (compare !== undefined && found.length > 1) placed.sort((one, other) => compare(one.match, other.match));
  const listings = found.map(({ listing }) => listing);
  const sum = (count: (listing: Listing<Match>) => number): number =>
    listings.reduce((total, listing) => total + count(listing), 0);
  const unreadable = sum((listing) => listing.unreadable ?? 0);
  const unreadablePaths = found.flatMap(({ root, listing }) =>
    (listing.unreadablePaths ?? []).map((path) => pathBelow(root, path)),
  );
  // A hint about a root without matches says nothing about the matches of another root.
  const withMatches = listings.filter(({ totalMatches }) => totalMatches > 0);
  const hinting = withMatches.length === 0 ? listings : withMatches;
  const stopReason = stopReasons.find((reason) => listings.some((listing) => listing.stopReason === reason));
  return {
    roots,
    matches: placed.slice(0, limit),
    totalMatches: sum((listing) => listing.totalMatches),
    isTotalOpen: listings.some((one) => one.stopReason === 'limit' && one.totalMatches <= one.matches.length),
    complete: failures.length === 0 && listings.every((listing) => listing.complete),
    ...(stopReason !== undefined && { stopReason }),
    ...(unreadable > 0 && { unreadable, unreadablePaths }),
    hints: [...new Set(hinting.flatMap(({ hint }) => hint ?? []))].map(inOptions),
    failures,
  };
}

export interface FindPlaces extends Pick<FuzzyFindOptions, 'hidden' | 'gitignore' | 'cache'> {
  readonly roots: readonly string[];
  /** The names that the root `-` stands for. */
  readonly list?: NameList | undefined;
}

export type FindRules = Omit<FuzzyFindOptions, 'path' | 'candidates' | keyof FindPlaces> & {
  readonly maxResults: number;
};

export interface FoundPaths extends ListingOfAll<FuzzyFindMatch> {
  /** The kind of the best match if every match is a guess. */
  readonly guess?: GuessKind;
}

/** Ranks the paths of all roots together. The operators of fzf count. */
export async function findAll({ roots, list, ...scope }: FindPlaces, rules: FindRules): Promise<FoundPaths> {
  const { fuzzyFind } = await import('@cairn/natives');
  const options = { ...rules, syntax: 'fzf' } as const;
  const searchOne = async (root: string): ReturnType<typeof fuzzyFind> => {
    if (root !== STANDARD_INPUT || list === undefined) return fuzzyFind({ ...options, ...scope, path: root });
    const result = await fuzzyFind({ ...options, candidates: list.names });
    const matches = result.matches.map((match) =>
      list.lossyNames.has(match.path) ? { ...match, lossyPath: true as const } : match,
    );
    return { ...result, matches };
  };
  const compare = (one: FuzzyFindMatch, other: FuzzyFindMatch): number => other.score - one.score;
  try {
    const found = await searchAll(roots, searchOne, { limit: rules.maxResults, compare });
    const guess = found.matches.every(({ match }) => match.guess) ? found.matches[0]?.match.guess : undefined;
    return { ...found, ...(guess && { guess }) };
  } catch (error) {
    if (!(error instanceof Error && 'option' in error && error.option === 'query')) throw error;
    const fix = 'use at most 1,024 bytes, and 32 words and path segments';
    throw new UsageError('the query is too long', fix, { cause: error });
  }
}
