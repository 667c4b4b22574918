/** The requirements of a store about the terms of rows. */
import assert from 'node:assert/strict';
import type { MemoryBackend, RowChange } from '../records/backend.ts';
import { numbersOf, POSTINGS_BLOCK } from '../records/postings.ts';
import { contractCase, HOUR } from './harness.ts';
import type { ContractCase } from './harness.ts';

const k = 'ai:key';

const row = (id: string, terms: Readonly<Record<string, number>>, expected?: string): RowChange => {
  return { id, expected, next: id, terms: new Map(Object.entries(terms)) };
};

/** For each term the ids of the rows that have it, with the counts and the lengths. */
async function found(backend: MemoryBackend, terms: readonly string[]): Promise<(readonly [string | undefined, number | undefined, number | undefined])[][]> {
  const { postings } = await backend.postings(k, terms);
  return Promise.all(
    postings.map(async (text) => {
      const numbers = numbersOf(text);
      const sequences = numbers.filter((_, index) => index % 3 === 0);
      assert.deepEqual(sequences, sequences.toSorted((a, b) => a - b));
      const rows = await backend.rows(k, sequences);
      return rows.map((one, index) => [one?.id, numbers[3 * index + 1], numbers[3 * index + 2]] as const);
    }),
  );
}

async function vocabulary(backend: MemoryBackend): Promise<string[]> {
  const terms = new Set<string>();
  for await (const page of backend.terms(k)) for (const term of page) terms.add(term);
  return [...terms].toSorted();
}

export const postingsContract: readonly ContractCase[] = [
  contractCase('rows are found by their terms, with counts and lengths', async ({ backend }) => {
    assert.deepEqual(await backend.postings(k, ['x']), {
      sequence: 0,
      version: (await backend.postings(k, [])).version,
      documents: 0,
      totalLength: 0,
      postings: [''],
    });
    await backend.change(k, { rows: [row('a', { x: 2, 表格: 1 }), row('b', { x: 1, 'it;,s "': 3 }), { id: 'c', next: 'c' }] });
    assert.deepEqual(await found(backend, ['x', '表格', 'none', 'it;,s "']), [
      [['a', 2, 3], ['b', 1, 4]],
      [['a', 1, 3]],
      [],
      [['b', 3, 4]],
    ]);
    const { documents, totalLength, sequence } = await backend.postings(k, []);
    const page = await backend.page(k, { order: 'written' });
    assert.deepEqual([documents, totalLength, sequence], [2, 7, page.sequence]);
    assert.deepEqual(await vocabulary(backend), ['it;,s "', 'x', '表格']);
  }),
  contractCase('a changed row has only its new terms, a removed one has none', async ({ backend }) => {
    await backend.change(k, { rows: [row('a', { x: 1, y: 1 }), row('b', { x: 1 }), row('c', { x: 1, z: 1 })] });
    const { version } = await backend.postings(k, []);
    await backend.change(k, { rows: [row('a', { y: 2 }, 'a')] });
    assert.notEqual((await backend.postings(k, [])).version, version);
    await backend.change(k, { removes: ['c'] });
    assert.deepEqual(await found(backend, ['x', 'y', 'z']), [[['b', 1, 1]], [['a', 2, 2]], []]);
    assert.deepEqual(await vocabulary(backend), ['x', 'y']);
    const { documents, totalLength } = await backend.postings(k, []);
    assert.deepEqual([documents, totalLength], [2, 3]);
    await backend.change(k, { removes: 'all' });
    assert.deepEqual([await found(backend, ['x']), await vocabulary(backend)], [[[]], []]);
  }),
  contractCase('an added row changes no version, and the rows after a sequence can be read alone', async ({ backend }) => {
    const rows = Array.from({ length: 3 * POSTINGS_BLOCK }, (_, index) => row(`${index}`, { x: 1 }));
    await backend.change(k, { rows: rows.slice(0, -1) });
    const first = await backend.postings(k, ['x']);
    await backend.change(k, { rows: rows.slice(-1) });
    const second = await backend.postings(k, ['x'], { after: first.sequence });
    assert.equal(second.version, first.version);
    const known = new Set(numbersOf(first.postings[0] ?? '').filter((_, index) => index % 3 === 0));
    const more = numbersOf(second.postings[0] ?? '').filter((_, index) => index % 3 === 0);
    assert.ok(more.length <= POSTINGS_BLOCK + 1);
    assert.deepEqual(new Set([...known, ...more]).size, rows.length);
  }),
  contractCase('rows that are not kept have no terms', async ({ backend, advance }) => {
    const keep = [{ idPrefix: '', maxRows: 2 }];
    for (const id of 'abc') await backend.change(k, { rows: [row(id, { x: 1, [id]: 1 })], keep });
    assert.deepEqual(await vocabulary(backend), ['b', 'c', 'x']);
    await backend.change(k, { removes: 'all' });
    await backend.change(k, { rows: [{ ...row('d', { d: 1 }), lifetimeMs: HOUR }, row('e', { e: 1 })] });
    await advance(HOUR);
    await backend.change(k, { rows: [row('f', { f: 1 })] });
    assert.deepEqual(await vocabulary(backend), ['e', 'f']);
  }),
];
