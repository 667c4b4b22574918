import { fuzzyFind, glob, type FuzzyFindResult, type GlobMatch } from '@cairn/natives';

export interface Visibility {
  readonly hidden: boolean;
  readonly gitignore: boolean;
}

export const visibleOnly: Visibility = { hidden: false, gitignore: true };
export const everything: Visibility = { hidden: true, gitignore: false };

/** The number of matches that are fetched, and the number when a tie continues after them. */
const FEW_MATCHES = 100;
const MANY_MATCHES = 2000;

export interface SearchRequest {
  readonly root: string;
  readonly query: string;
  readonly limit: number;
  /** The recently used paths: they may break a tie that continues after the fetched matches. */
  readonly used: readonly string[];
  readonly signal: AbortSignal;
}

/** Returns whether a path has the letters of each word of a query in order: without that it matches only as a typo. */
function hasLetters(path: string, query: string): boolean {
  // Names are compared composed, as the search compares them.
  const names = path.normalize('NFC').toLowerCase();
  return query
    .normalize('NFC')
    .toLowerCase()
    .split(/[\s/\\]+/u)
    .every((word) => {
      let at = 0;
      return [...word].every((letter) => (at = names.indexOf(letter, at) + 1) > 0);
    });
}

/** Returns whether a used path may come after the fetched matches with the same score as the last shown one. */
function isTieCut({ matches, totalMatches }: FuzzyFindResult, { query, limit, used }: SearchRequest): boolean {
  if (totalMatches <= matches.length || totalMatches > MANY_MATCHES) return false;
  if (matches[limit - 1]?.score !== matches.at(-1)?.score) return false;
  const known = new Set(matches.map(({ path }) => path));
  return used.some((path) => !known.has(path) && hasLetters(path, query));
}

/** Returns the best visible matches and the best of all, as many as ties need. */
export async function findMatches(
  request: SearchRequest,
): Promise<{ readonly visible: FuzzyFindResult; readonly whole: FuzzyFindResult }> {
  const { root, query, limit, signal } = request;
  const fetch = async (maxResults: number): Promise<readonly [FuzzyFindResult, FuzzyFindResult]> => {
    const options = { path: root, query, cache: true, includePositions: true, maxResults, signal };
    return Promise.all([fuzzyFind({ ...options, ...visibleOnly }), fuzzyFind({ ...options, ...everything })]);
  };
  const close = await fetch(Math.max(FEW_MATCHES, limit));
  // Without a query all paths are equal; used paths are found separately then.
  const goesOn = query !== '' && close.some((result) => isTieCut(result, request));
  const [visible, whole] = goesOn ? await fetch(MANY_MATCHES) : close;
  return { visible, whole };
}

/** Returns the entry of a path in the cached scan, when it is in a visibility. */
export async function findEntry(
  path: string,
  visibility: Visibility,
  { root, signal }: Pick<SearchRequest, 'root' | 'signal'>,
): Promise<GlobMatch | undefined> {
  const options = { path: root, cache: true, recursive: false, includeNodeModules: false, signal };
  const literal = path.replace(/\/$/u, '');
  const pattern = literal.replaceAll(/[\\*?[\]{}!]/gu, (character) => `\\${character}`);
  // Names that differ only in how a letter and its marks are stored match too.
  const { matches } = await glob({ ...options, pattern, ...visibility });
  return matches.find((match) => match.path === literal);
}
