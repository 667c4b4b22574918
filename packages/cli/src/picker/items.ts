import type { FuzzyFindOptions, GrepOptions } from '@cairn/natives';
import type { Range } from '../terminal/text.ts';
import { countOf, formatCount, rangesOf } from '../terminal/text.ts';

export type PickMode = 'find' | 'grep';

/** A match that can be chosen. */
export interface PickItem {
  /** Relative to the searched directory. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** The number of the matched line, in grep mode. */
  readonly lineNumber?: number;
  /** The path or the matched line, and its highlighted parts. */
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
  readonly path: string;
  readonly hidden: boolean | undefined;
  readonly gitignore: boolean;
}

/** More than a user scrolls through. */
const MAX_ITEMS = 500;
const LINE_COLUMNS = 400;

type Shared = Pick<FuzzyFindOptions & GrepOptions, 'path' | 'hidden' | 'gitignore' | 'cache' | 'signal'>;

function summaryOf(
  [shown, total]: readonly [number, number],
  noun: string,
  facts: {
    readonly isCut: boolean;
    readonly unreadable?: number | undefined;
    readonly lossy: number;
    readonly stopped: boolean;
  },
): string {
  const more = total > shown ? `${formatCount(shown)} of ${countOf(total, noun)}` : `the first ${countOf(shown, noun)}`;
  const notes = [facts.isCut ? more : countOf(shown, noun)];
  if (facts.stopped) notes.push('the tree is too large, only a part was searched');
  if (facts.unreadable !== undefined && facts.unreadable > 0) notes.push(`${formatCount(facts.unreadable)} unreadable`);
  if (facts.lossy > 0) notes.push(`skipped ${countOf(facts.lossy, 'name')} that are not valid Unicode`);
  return notes.join(', ');
}

async function findItems(query: string, shared: Shared): Promise<Found> {
  const { fuzzyFind } = await import('@cairn/natives');
  const result = await fuzzyFind({ ...shared, query, maxResults: MAX_ITEMS, includePositions: true });
  const usable = result.matches.filter(({ lossyPath }) => lossyPath === undefined);
  const items = usable.map(({ path, isDirectory, positions = [] }): PickItem => ({
    path,
    isDirectory,
    text: path,
    ranges: rangesOf(positions),
  }));
  const lossy = result.matches.length - usable.length;
  const { totalMatches, unreadable, stopReason } = result;
  const isCut = totalMatches > result.matches.length;
  const stopped = stopReason === 'budget';
  return { items, summary: summaryOf([items.length, totalMatches], 'path', { isCut, unreadable, lossy, stopped }) };
}

async function grepItems(pattern: string, shared: Shared): Promise<Found> {
  if (pattern === '') return { items: [], summary: 'type to search in files' };
  const { grep } = await import('@cairn/natives');
  // As in many editors: case matters only when the pattern has capitals.
  const ignoreCase = pattern === pattern.toLowerCase();
  const result = await grep({
    ...shared,
    pattern,
    ignoreCase,
    crlf: true,
    maxCount: MAX_ITEMS,
    maxColumns: LINE_COLUMNS,
  });
  const usable = result.matches.filter(({ lossyPath }) => lossyPath === undefined);
  const items = usable.map(({ path, lineNumber, line, submatches = [] }): PickItem => {
    const indent = /^\s*/u.exec(line)?.[0].length ?? 0;
    const ranges = submatches.map(({ start, end }) => ({ start: Math.max(start - indent, 0), end: end - indent }));
    return { path, isDirectory: false, lineNumber, text: line.slice(indent).replace(/\r$/u, ''), ranges };
  });
  const lossy = result.matches.length - usable.length;
  const { limitReached: isCut = false, totalMatches, skipped, stopReason, engine } = result;
  const stopped = stopReason === 'budget';
  const summary = summaryOf([items.length, totalMatches], 'line', {
    isCut,
    unreadable: skipped.unreadable,
    lossy,
    stopped,
  });
  return { items, summary: engine === 'literal' ? `${summary}, searched as plain text` : summary };
}

/** Starts one scan that survives further typing. Each aborted search would otherwise start it again. */
export function warmUp(scope: PickScope & { readonly signal: AbortSignal }): void {
  void import('@cairn/natives')
    .then(({ fuzzyFind }) => fuzzyFind({ ...scope, query: '', cache: true, maxResults: 0 }))
    // The search reports the same failure.
    .catch(() => undefined);
}

/** Searches for the query. */
export async function search(
  mode: PickMode,
  query: string,
  scope: PickScope & { readonly signal: AbortSignal },
): Promise<Found> {
  const shared = { ...scope, cache: true };
  return mode === 'find' ? findItems(query, shared) : grepItems(query, shared);
}
