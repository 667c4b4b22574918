import type { FuzzyFindOptions, GrepMatch, GrepOptions } from '@cairn/natives';
import { byScore, searchAll } from '../search/search-all.ts';
import { errorText } from '../terminal/answer.ts';
import { pathPrefix } from '../terminal/path-prefix.ts';
import type { Range } from '../terminal/text.ts';
import { countOf, formatCount, rangesOf } from '../terminal/text.ts';

export type PickMode = 'find' | 'grep';

/** A match that can be chosen. */
export interface PickItem {
  /** The path to open and to print. */
  readonly path: string;
  /** The path in the list: relative to the searched directory when there is one. */
  readonly shownPath: string;
  readonly isDirectory: boolean;
  /** The number of the matched line, in grep mode. */
  readonly lineNumber?: number;
  /** The matched line, or the path as it is shown, and the highlighted parts. */
  readonly text: string;
  readonly ranges: readonly Range[];
}

/** The matches of a query. */
export interface Found {
  readonly items: readonly PickItem[];
  /** The number of matches, and what is missing. */
  readonly summary: string;
}

/** Where and how to search. */
export interface PickScope {
  readonly roots: readonly string[];
  readonly hidden: boolean | undefined;
  readonly gitignore: boolean;
}

/** More than a user scrolls through. */
const MAX_ITEMS = 500;
const LINE_COLUMNS = 400;

type Shared = Pick<FuzzyFindOptions & GrepOptions, 'hidden' | 'gitignore' | 'cache' | 'signal'>;

/** Returns the path of a match in the two forms of an item. */
function pathsOf(root: string, path: string, hasOneRoot: boolean): Pick<PickItem, 'path' | 'shownPath'> {
  const whole = pathPrefix(root) + path;
  return { path: whole, shownPath: hasOneRoot ? path : whole };
}

function summaryOf(
  [shown, total]: readonly [number, number],
  noun: string,
  facts: {
    readonly isCut: boolean;
    readonly unreadable?: number | undefined;
    readonly lossy: number;
    readonly stopped: boolean;
    readonly failures: readonly unknown[];
  },
): string {
  const more = total > shown ? `${formatCount(shown)} of ${countOf(total, noun)}` : `the first ${countOf(shown, noun)}`;
  const notes = [facts.isCut ? more : countOf(shown, noun), ...facts.failures.map(errorText)];
  if (facts.stopped) notes.push('the tree is too large, only a part was searched');
  if (facts.unreadable !== undefined && facts.unreadable > 0) notes.push(`${formatCount(facts.unreadable)} unreadable`);
  if (facts.lossy > 0) notes.push(`skipped ${countOf(facts.lossy, 'name')} that are not valid Unicode`);
  return notes.join(', ');
}

async function findItems(query: string, roots: readonly string[], shared: Shared): Promise<Found> {
  const { fuzzyFind } = await import('@cairn/natives');
  const options = { ...shared, query, maxResults: MAX_ITEMS, includePositions: true };
  const order = { limit: MAX_ITEMS, compare: byScore };
  const { matches, totalMatches, unreadable, stopReason, failures } = await searchAll(
    roots,
    (path) => fuzzyFind({ ...options, path }),
    order,
  );
  const usable = matches.filter(({ match }) => match.lossyPath === undefined);
  const items = usable.map(({ root, match }): PickItem => {
    const paths = pathsOf(root, match.path, roots.length === 1);
    const ranges = rangesOf(match.positions ?? [], paths.shownPath.length - match.path.length);
    return { ...paths, isDirectory: match.isDirectory, text: paths.shownPath, ranges };
  });
  const summary = summaryOf([items.length, totalMatches], 'path', {
    isCut: totalMatches > matches.length,
    unreadable,
    lossy: matches.length - usable.length,
    stopped: stopReason === 'budget',
    failures,
  });
  return { items, summary };
}

/** Returns a matched line without its indent. */
function lineItem({ path, lineNumber, line, submatches = [] }: GrepMatch, root: string, hasOneRoot: boolean): PickItem {
  const indent = /^\s*/u.exec(line)?.[0].length ?? 0;
  const ranges = submatches.map(({ start, end }) => ({ start: Math.max(start - indent, 0), end: end - indent }));
  const text = line.slice(indent).replace(/\r$/u, '');
  return { ...pathsOf(root, path, hasOneRoot), isDirectory: false, lineNumber, text, ranges };
}

async function grepItems(pattern: string, roots: readonly string[], shared: Shared): Promise<Found> {
  if (pattern === '') return { items: [], summary: 'type to search in files' };
  const { grep } = await import('@cairn/natives');
  // As in many editors: case matters only when the pattern has capitals.
  const ignoreCase = pattern === pattern.toLowerCase();
  const options = { ...shared, pattern, ignoreCase, crlf: true, maxCount: MAX_ITEMS, maxColumns: LINE_COLUMNS };
  let isCut = false;
  let isLiteral = false;
  const listing = await searchAll(
    roots,
    async (path) => {
      const { skipped, limitReached = false, engine, ...result } = await grep({ ...options, path });
      isCut ||= limitReached;
      isLiteral ||= engine === 'literal';
      return { ...result, unreadable: skipped.unreadable };
    },
    { limit: MAX_ITEMS },
  );
  const { matches, totalMatches, unreadable, stopReason, failures } = listing;
  const usable = matches.filter(({ match }) => match.lossyPath === undefined);
  const items = usable.map(({ root, match }) => lineItem(match, root, roots.length === 1));
  const summary = summaryOf([items.length, totalMatches], 'line', {
    isCut: isCut || totalMatches > matches.length,
    unreadable,
    lossy: matches.length - usable.length,
    stopped: stopReason === 'budget',
    failures,
  });
  return { items, summary: isLiteral ? `${summary}, searched as plain text` : summary };
}

/** Starts one scan of each root that survives further typing. Each aborted search would otherwise start it again. */
export function warmUp({ roots, ...scope }: PickScope & { readonly signal: AbortSignal }): void {
  void import('@cairn/natives')
    .then(({ fuzzyFind }) =>
      Promise.all(roots.map((path) => fuzzyFind({ ...scope, path, query: '', cache: true, maxResults: 0 }))),
    )
    // The search reports the same failure.
    .catch(() => undefined);
}

/** Searches for the query. */
export async function search(
  mode: PickMode,
  query: string,
  { roots, ...scope }: PickScope & { readonly signal: AbortSignal },
): Promise<Found> {
  const shared = { ...scope, cache: true };
  return mode === 'find' ? findItems(query, roots, shared) : grepItems(query, roots, shared);
}
