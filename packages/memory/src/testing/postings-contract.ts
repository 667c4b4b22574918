/** The requirements of a store about the terms of rows. */
import assert from 'node:assert/strict';
import type { MemoryBackend, PostingsOfBlock, RowChange } from '../records/backend.ts';
import { numbersOf, POSTINGS_BLOCK } from '../records/postings.ts';
import { contractCase, HOUR, type ContractCase } from './harness.ts';

const k = 'ai:key';

const row = (id: string, terms: Readonly<Record<string, number>>, expected?: string): RowChange => {
  return { id, expected, next: id, terms: new Map(Object.entries(terms)) };
};

type Posting = readonly [sequence: number, count: number];

function postingsIn(blocks: readonly PostingsOfBlock[] = []): Posting[] {
  return blocks.flatMap(({ block, numbers }) =>
    numbersOf(numbers).map((number): Posting => [
      block * POSTINGS_BLOCK + (number % POSTINGS_BLOCK),
      Math.floor(number / POSTINGS_BLOCK),
    ]),
  );
}

/** For each term the ids of the rows that have it, with the counts. */
async function found(
  backend: MemoryBackend,
  terms: readonly string[],
): Promise<(readonly [string | undefined, number])[][]> {
  const { postings } = await backend.postings(k, terms);
  return Promise.all(
    postings.map(async (blocks) => {
      const all = postingsIn(blocks);
      const sequences = all.map(([sequence]) => sequence);
      assert.deepEqual(
        sequences,
        sequences.toSorted((a, b) => a - b),
      );
      const rows = await backend.rows(k, sequences);
      return all.map(([, count], index) => [rows[index]?.id, count] as const);
    }),
  );
}

async function vocabulary(backend: MemoryBackend): Promise<string[]> {
  const terms = new Set<string>();
  for await (const page of backend.terms(k)) for (const term of page) terms.add(term);
  return [...terms].toSorted();
}

export const postingsContract: readonly ContractCase[] = [
  contractCase('rows are found by their terms, with counts', async ({ backend }) => {
    assert.deepEqual(await backend.postings(k, ['x']), {
      sequence: 0,
      version: (await backend.postings(k, [])).version,
      postings: [[]],
    });
    await backend.change(k, {
      rows: [row('a', { x: 2, 表格: 1 }), row('b', { x: 1, 'it;,s "': 3 }), { id: 'c', next: 'c' }],
    });
    assert.deepEqual(await found(backend, ['x', '表格', 'none', 'it;,s "']), [
      [
        ['a', 2],
        ['b', 1],
      ],
      [['a', 1]],
      [],
      [['b', 3]],
    ]);
    const { sequence } = await backend.postings(k, []);
    assert.equal((await backend.page(k, { order: 'written' })).sequence, sequence);
    assert.deepEqual(await vocabulary(backend), ['it;,s "', 'x', '表格']);
  }),
  contractCase('a changed row has only its new terms, a removed one has none', async ({ backend }) => {
    await backend.change(k, { rows: [row('a', { x: 1, y: 1 }), row('b', { x: 1 }), row('c', { x: 1, z: 1 })] });
    const { version } = await backend.postings(k, []);
    await backend.change(k, { rows: [row('a', { y: 2 }, 'a')] });
    assert.notEqual((await backend.postings(k, [])).version, version);
    await backend.change(k, { removes: ['c'] });
    assert.deepEqual(await found(backend, ['x', 'y', 'z']), [[['b', 1]], [['a', 2]], []]);
    assert.deepEqual(await vocabulary(backend), ['x', 'y']);
    await backend.change(k, { removes: 'all' });
    assert.deepEqual([await found(backend, ['x']), await vocabulary(backend)], [[[]], []]);
  }),
  contractCase(
    'an added row changes no version, and the rows after a sequence can be read alone',
    async ({ backend }) => {
      const rows = Array.from({ length: 3 * POSTINGS_BLOCK }, (_, index) => row(`${index}`, { x: 1 }));
      await backend.change(k, { rows: rows.slice(0, -1) });
      const first = await backend.postings(k, ['x']);
      await backend.change(k, { rows: rows.slice(-1) });
      const second = await backend.postings(k, ['x', 'x'], { after: [first.sequence] });
      assert.equal(second.version, first.version);
      assert.deepEqual(second.postings[1], (await backend.postings(k, ['x'])).postings[0]);
      const [known, more] = [first, second].map(({ postings }) =>
        postingsIn(postings[0]).map(([sequence]) => sequence),
      );
      assert.ok((more?.length ?? Infinity) <= POSTINGS_BLOCK + 1);
      assert.equal(new Set([...(known ?? []), ...(more ?? [])]).size, rows.length);
    },
  ),
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
