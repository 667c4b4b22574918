import { fuzzyFind, glob } from '@cairn/natives';
import type { FuzzyFindMatch, FuzzyFindResult, GlobMatch } from '@cairn/natives';

/** Which part of a tree is searched. */
export interface Scope {
  readonly hidden: boolean;
  readonly gitignore: boolean;
}

/** What is neither hidden nor left out by an ignore file. */
export const visibleScope: Scope = { hidden: false, gitignore: true };
export const wholeScope: Scope = { hidden: true, gitignore: false };

/** How many matches are looked at for ties, and how many when a tie goes on behind them and that is all of them. */
const CLOSE_LOOK = 100;
const WIDE_LOOK = 2000;

export interface SearchRequest {
  readonly root: string;
  readonly query: string;
  /** How many will be shown. */
  readonly limit: number;
  /** The paths that were used lately: they may break a tie that goes on behind those. */
  readonly used: readonly string[];
  readonly signal: AbortSignal;
}

/** The spellings of a query: names may be stored composed or decomposed, whatever the keyboard makes. */
function spellingsOf(query: string): readonly string[] {
  return [...new Set([query.normalize('NFC'), query.normalize('NFD')])];
}

/** The best matches for several spellings, each path once. */
function mergeResults(results: readonly FuzzyFindResult[]): FuzzyFindResult {
  const [only] = results;
  if (only && results.length === 1) return only;
  const best = new Map<string, FuzzyFindMatch>();
  for (const match of results.flatMap(({ matches }) => matches)) {
    if (match.score > (best.get(match.path)?.score ?? -Infinity)) best.set(match.path, match);
  }
  const stopReason = results.find((result) => result.stopReason)?.stopReason;
  return {
    matches: [...best.values()].toSorted((a, b) => b.score - a.score),
    totalMatches: Math.max(best.size, ...results.map(({ totalMatches }) => totalMatches)),
    complete: results.every(({ complete }) => complete),
    ...(stopReason && { stopReason }),
  };
}

/** Whether a path has the letters of each word of a query in order, which it needs to match without a slip. */
function hasLetters(path: string, query: string): boolean {
  const names = path.toLowerCase();
  return query
    .toLowerCase()
    .split(/[\s/\\]+/u)
    .every((word) => {
      let at = 0;
      return [...word].every((letter) => (at = names.indexOf(letter, at) + 1) > 0);
    });
}

/** The best matches in a scope. */
async function findPaths(scope: Scope, request: SearchRequest, maxResults: number): Promise<FuzzyFindResult> {
  const { root, query, signal } = request;
  const options = { path: root, cache: true, includePositions: true, maxResults, signal, ...scope };
  return mergeResults(
    await Promise.all(spellingsOf(query).map((spelling) => fuzzyFind({ ...options, query: spelling }))),
  );
}

/** Whether something that was used may stand behind the matches, equal to the last of those that will be shown. */
function isTieCut({ matches, totalMatches }: FuzzyFindResult, { query, limit, used }: SearchRequest): boolean {
  if (totalMatches <= matches.length || totalMatches > WIDE_LOOK) return false;
  if (matches[limit - 1]?.score !== matches.at(-1)?.score) return false;
  const known = new Set(matches.map(({ path }) => path));
  return used.some((path) => !known.has(path) && hasLetters(path, query));
}

/** The best matches, visible ones and all, as many of both as ties need. */
export async function findMatches(
  request: SearchRequest,
): Promise<{ readonly visible: FuzzyFindResult; readonly whole: FuzzyFindResult }> {
  const look = async (most: number): Promise<readonly [FuzzyFindResult, FuzzyFindResult]> =>
    Promise.all([findPaths(visibleScope, request, most), findPaths(wholeScope, request, most)]);
  const close = await look(Math.max(CLOSE_LOOK, request.limit));
  // Without a query everything is equal; what was used is looked up by itself then.
  const goesOn = request.query !== '' && close.some((result) => isTieCut(result, request));
  const [visible, whole] = goesOn ? await look(WIDE_LOOK) : close;
  return { visible, whole };
}

/** A literal path as a glob. */
function escapeGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}!]/gu, (character) => `\\${character}`);
}

/** What the cached scan knows of a path, when it is in a scope. */
export async function lookUp(
  path: string,
  scope: Scope,
  { root, signal }: Pick<SearchRequest, 'root' | 'signal'>,
): Promise<GlobMatch | undefined> {
  const options = { path: root, cache: true, recursive: false, maxResults: 1, includeNodeModules: false, signal };
  const { matches } = await glob({ ...options, pattern: escapeGlob(path.replace(/\/$/u, '')), ...scope });
  return matches[0];
}
