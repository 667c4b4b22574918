import type { FuzzyFindOptions, GrepOptions } from '@cairn/natives';
import type { Range } from '../terminal/text.ts';
import { countOf, formatCount, rangesOf } from '../terminal/text.ts';

export type PickMode = 'find' | 'grep';

/** Something that can be chosen. */
export interface PickItem {
  /** Relative to the searched directory. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** The line that matched, when lines are searched. */
  readonly lineNumber?: number;
  /** What is shown in the list, and which parts of it matched. */
  readonly text: string;
  readonly ranges: readonly Range[];
}

/** What a query found. */
export interface Found {
  readonly items: readonly PickItem[];
  /** How many, and what is missing. */
  readonly summary: string;
}

/** What is searched, and how. */
export interface PickScope {
  readonly path: string;
  readonly hidden: boolean | undefined;
  readonly gitignore: boolean;
}

/** More than anybody scrolls through. */
const MOST_ITEMS = 500;
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
  if (facts.stopped) notes.push('the tree is too large to search all of it');
  if (facts.unreadable !== undefined && facts.unreadable > 0) notes.push(`${formatCount(facts.unreadable)} unreadable`);
  if (facts.lossy > 0) notes.push(`${countOf(facts.lossy, 'name')} no valid Unicode, left out`);
  return notes.join(', ');
}

async function findItems(query: string, shared: Shared): Promise<Found> {
  const { fuzzyFind } = await import('@cairn/natives');
  const result = await fuzzyFind({ ...shared, query, maxResults: MOST_ITEMS, includePositions: true });
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
  // As in many editors: capitals are meant when there are any.
  const ignoreCase = pattern === pattern.toLowerCase();
  const result = await grep({ ...shared, pattern, ignoreCase, maxCount: MOST_ITEMS, maxColumns: LINE_COLUMNS });
  const usable = result.matches.filter(({ lossyPath }) => lossyPath === undefined);
  const items = usable.map(({ path, lineNumber, line, submatches = [] }): PickItem => {
    const head = `${path}:${lineNumber}: `;
    const indent = /^\s*/u.exec(line)?.[0].length ?? 0;
    const shift = head.length - indent;
    const ranges = submatches.map(({ start, end }) => ({
      start: Math.max(start + shift, head.length),
      end: end + shift,
    }));
    return { path, isDirectory: false, lineNumber, text: head + line.slice(indent).replace(/\r$/u, ''), ranges };
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

/** Scans the tree once, whatever is typed meanwhile: searches that are dropped would each begin again. */
export function warmUp(scope: PickScope & { readonly signal: AbortSignal }): void {
  void import('@cairn/natives')
    .then(({ fuzzyFind }) => fuzzyFind({ ...scope, query: '', cache: true, maxResults: 0 }))
    // What fails here fails again in the search, and is shown then.
    .catch(() => undefined);
}

/** Searches for what was typed. */
export async function search(
  mode: PickMode,
  query: string,
  scope: PickScope & { readonly signal: AbortSignal },
): Promise<Found> {
  const shared = { ...scope, cache: true };
  return mode === 'find' ? findItems(query, shared) : grepItems(query, shared);
}
