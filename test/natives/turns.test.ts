import { fuzzyFind, glob, grep, treeSummary } from '@cairn/natives';
import type { GrepMatch } from '@cairn/natives';
import { describe, expect, it, vi } from 'vitest';
import { createTree } from '../support/tree.ts';

/** The most that a result may do between two turns of the event loop. */
const maxBytes = 1 << 20;
const maxObjects = 10_000;

/** The names of many files, together longer than one turn may decode. */
const names = Array.from({ length: 12_000 }, (_, index) => `x${index}${'é'.repeat(90)}`);

type Call = (path: string, signal: AbortSignal) => Promise<unknown>;

interface Work {
  /** The bytes decoded in each turn of the event loop. */
  readonly bytes: ReadonlyMap<number, number>;
  /** The turn in which each match was passed on. */
  readonly turns: readonly number[];
}

/** Counts what happens in each turn of the event loop during a call. */
async function watch(call: (onMatch: () => void) => Promise<unknown>): Promise<Work> {
  let turn = 0;
  let isOver = false;
  const tick = (): void => {
    turn++;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  const bytes = new Map<number, number>();
  const decode = Object.getOwnPropertyDescriptor(Buffer.prototype, 'toString')?.value as Buffer['toString'];
  const countAndDecode = function (this: Buffer, ...range: Parameters<Buffer['toString']>): string {
    const [, start = 0, end = this.length] = range;
    bytes.set(turn, (bytes.get(turn) ?? 0) + (end - start));
    return decode.call(this, ...range);
  };
  const spy = vi.spyOn(Buffer.prototype, 'toString').mockImplementation(countAndDecode as () => string);
  const turns: number[] = [];
  try {
    await call(() => turns.push(turn));
  } finally {
    isOver = true;
    spy.mockRestore();
  }
  return { bytes, turns };
}

function objectsOf({ submatches = [], contextBefore = [], contextAfter = [] }: GrepMatch): number {
  const context = [...contextBefore, ...contextAfter];
  const places = context.map((line) => line.submatches?.length ?? 0);
  return 1 + submatches.length + context.length + places.reduce((sum, count) => sum + count, 0);
}

/** The turns with the indices of the matches that each has passed on. */
function byTurn(turns: readonly number[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const [index, turn] of turns.entries()) groups.set(turn, [...(groups.get(turn) ?? []), index]);
  return groups;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, one) => total + one, 0);
}

describe('a large result leaves the event loop to others', () => {
  it.each([
    ['alone', 'x', { context: 0 }],
    ['with much context', 'z', { context: 20_000 }],
    ['with a match on every line', '^', { context: 0 }],
    ['with matches in the context', 'y', { context: 100_000, invert: true, replacement: 'y' }],
  ] as const)('grep, %s', async (_reason, pattern, options) => {
    const short = 'é xz\n'.repeat(60_000);
    const path = createTree({
      'a-many-lines': short,
      'b-many-places': `${'x'.repeat(70_000)}\n${'-\n'.repeat(30_000)}xz\n`,
      'c-long-lines': `x${'y'.repeat(3_000_000)}\n${`x${'漢'.repeat(100_000)}\n`.repeat(12)}xz\n`,
      'd-many-lines': short,
    });
    const matches: GrepMatch[] = [];
    const { bytes, turns } = await watch((onMatch) =>
      grep({ pattern, path, ...options }, (_, match) => {
        matches.push(match);
        onMatch();
      }),
    );
    expect(Math.max(...bytes.values())).toBeLessThanOrEqual(maxBytes);
    expect(sum(bytes.values())).toBeGreaterThan(6 * maxBytes);
    let last = -1;
    for (const [turn, indices] of byTurn(turns)) {
      const objects = sum(indices.map((index) => objectsOf(matches[index] as GrepMatch)));
      // A match of more objects is made over several turns, and passed on in the last of them.
      expect(indices.length > 1 ? objects : 0, `turn ${turn}`).toBeLessThanOrEqual(maxObjects);
      expect(turn - last, `turn ${turn}`).toBeGreaterThanOrEqual(Math.floor(objects / maxObjects));
      last = turn;
    }
    const counted = await grep({ pattern, path, ...options, mode: 'count' });
    expect(matches.length).toBe(counted.totalMatches);
    expect(matches.at(-1)).toMatchObject({ path: 'd-many-lines', lineNumber: 60_000, line: 'é xz' });
    const long = matches.find(({ line }) => line.length > maxBytes) ?? matches.find(hasLongContext);
    expect(long?.path).toBe('c-long-lines');
  });

  it('glob, fuzzyFind and treeSummary', async () => {
    const path = createTree(Object.fromEntries(names.map((name) => [name, ''])));
    const listed = await watch((onMatch) => glob({ pattern: '*', path }, onMatch));
    expect(Math.max(...listed.bytes.values())).toBeLessThanOrEqual(maxBytes);
    const perTurn = [...byTurn(listed.turns).values()].map((matches) => matches.length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(maxObjects);
    expect(listed.turns.length).toBe(names.length);
    const found = await watch(async () => {
      const { matches } = await fuzzyFind({ query: 'x1', path, maxResults: 1e6, includePositions: true });
      expect(new Set(matches.map((match) => match.path))).toEqual(new Set(names.filter((name) => /x.*1/u.test(name))));
    });
    expect(Math.max(...found.bytes.values())).toBeLessThanOrEqual(maxBytes);
    const shown = await watch(async () => {
      const { entries } = await treeSummary({ path, maxEntries: 100_000 });
      expect(new Set(entries.map(({ name }) => name))).toEqual(new Set(names));
    });
    expect(Math.max(...shown.bytes.values())).toBeLessThanOrEqual(maxBytes);
  });

  it.each<[string, Call]>([
    ['glob', (path, signal) => glob({ pattern: '*', path, signal })],
    ['grep', (path, signal) => grep({ pattern: '^', path, signal, context: 100 })],
    ['fuzzyFind', (path, signal) => fuzzyFind({ query: 'x', path, signal, maxResults: 1e6 })],
    ['treeSummary', (path, signal) => treeSummary({ path, signal, maxEntries: 100_000 })],
  ])('and an abort ends the reading of the result of %s', async (_name, call) => {
    const path = createTree({
      ...Object.fromEntries(names.map((name) => [name, ''])),
      x: 'a longer line, x\n'.repeat(100_000),
    });
    const controller = new AbortController();
    const reason = new Error('enough');
    const decode = Object.getOwnPropertyDescriptor(Buffer.prototype, 'toString')?.value as Buffer['toString'];
    const abortAndDecode = function (this: Buffer, ...range: Parameters<Buffer['toString']>): string {
      if (this.length > maxBytes) controller.abort(reason);
      return decode.call(this, ...range);
    };
    const spy = vi.spyOn(Buffer.prototype, 'toString').mockImplementation(abortAndDecode as () => string);
    try {
      await expect(call(path, controller.signal)).rejects.toBe(reason);
    } finally {
      spy.mockRestore();
    }
  });

  it('but a small one comes in a single turn', async () => {
    const path = createTree({ a: 'x\n'.repeat(100) });
    const { turns } = await watch((onMatch) => grep({ pattern: 'x', path }, onMatch));
    expect(new Set(turns).size).toBe(1);
  });
});

function hasLongContext({ contextBefore = [], contextAfter = [] }: GrepMatch): boolean {
  return [...contextBefore, ...contextAfter].some(({ line }) => line.length > maxBytes);
}
