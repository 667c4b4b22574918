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

/** How many matches are looked at for ties, and how many when a tie goes on behind them. */
const CLOSE_LOOK = 100;
const WIDE_LOOK = 5000;

export interface SearchRequest {
  readonly root: string;
  readonly query: string;
  /** How many will be shown. */
  readonly limit: number;
  /** The paths that were used lately: they may break a tie that goes on behind those. */
  readonly used: Iterable<string>;
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

/** Whether a path has all letters of a query, which is less than it takes to match. */
function hasLetters(path: string, query: string): boolean {
  const names = path.toLowerCase();
  return [...query.toLowerCase()].every((letter) => letter === ' ' || names.includes(letter));
}

/** The best matches in a scope, as many as ties need. */
export async function findPaths(scope: Scope, request: SearchRequest): Promise<FuzzyFindResult> {
  const { root, query, limit, used, signal } = request;
  const look = async (maxResults: number): Promise<FuzzyFindResult> => {
    const options = { path: root, cache: true, includePositions: true, maxResults, signal, ...scope };
    return mergeResults(
      await Promise.all(spellingsOf(query).map((spelling) => fuzzyFind({ ...options, query: spelling }))),
    );
  };
  const close = await look(Math.max(CLOSE_LOOK, limit));
  const { matches, totalMatches } = close;
  const goesOn = totalMatches > matches.length && matches[limit - 1]?.score === matches.at(-1)?.score;
  // Without a query everything is equal; what was used is looked up by itself then.
  if (!goesOn || query === '') return close;
  const shown = new Set(matches.map(({ path }) => path));
  const mayFollow = [...used].some((path) => !shown.has(path) && hasLetters(path, query));
  return mayFollow ? look(WIDE_LOOK) : close;
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
