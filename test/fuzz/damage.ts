/** Overwrites random pages of a store: what is on other pages is exported, and the rest is reported. */
import fc from 'fast-check';
import { differencesOf, PAGE_BYTES, soundStore, writeDamaged } from '../memory/damaged-store.ts';
import type { SoundStore } from '../memory/damaged-store.ts';
import { newDirectory, removeTree } from '../support/tree.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';

interface Case {
  /** From 0 to 1: where in the store the page is. */
  readonly place: number;
  /** The new bytes. A page that repeats a byte may be empty for SQLite, or full. */
  readonly content: Uint8Array;
}

interface Batch {
  readonly records: number;
  readonly cases: readonly Case[];
}

const CASES = 20;

const content = fc.oneof(
  fc.uint8Array({ minLength: PAGE_BYTES, maxLength: PAGE_BYTES, size: 'max' }),
  fc.integer({ min: 1, max: 255 }).map((byte) => new Uint8Array(PAGE_BYTES).fill(byte)),
);

const batch: fc.Arbitrary<Batch> = fc.record({
  records: fc.integer({ min: 1, max: 400 }),
  cases: fc.array(fc.record({ place: fc.double({ min: 0, max: 0.999, noNaN: true }), content }), {
    minLength: 1,
    maxLength: CASES,
  }),
});

async function differencesIn({ place, content: bytes }: Case, store: SoundStore, path: string): Promise<string[]> {
  const page = 1 + Math.floor(place * store.pages);
  writeDamaged(path, store, page, Buffer.from(bytes));
  return differencesOf(path, store, page);
}

/** Compares the export of a store with a damaged page with the marks of the records on its pages. */
export const damageFuzzer: Fuzzer = createFuzzer<Batch>({
  name: 'damage',
  casesPerBatch: CASES,
  batch,
  compare: async ({ records, cases }) => {
    const root = newDirectory();
    try {
      const store = await soundStore(`${root}/memory.db`, records);
      const differences: string[] = [];
      for (const [index, one] of cases.entries()) {
        differences.push(...(await differencesIn(one, store, `${root}/${index}.db`)));
      }
      return { cases: cases.length, differences, hits: cases.length };
    } finally {
      removeTree(root);
    }
  },
});
