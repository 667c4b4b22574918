/** The search by terms gives what a ranking of all rows gives, whatever happened to them, and reads little. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryBackend } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { createTermStore, termsIn } from '@cairn/memory/terms';
import type { TermSource, TermStore } from '@cairn/memory/terms';
import { listsOf } from '@cairn/memory/testing';
import type { BackendHarness } from '@cairn/memory/testing';
import { rankDocuments } from '@cairn/retrieval';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { backendKinds, manualClock, useBackends } from './backends.ts';
import { forever } from './records.ts';

useBackends();

const DAY = 24 * 3_600_000;

function textOf(record: string): { text: string; timeMs: number } | undefined {
  const { text, time } = JSON.parse(record) as { text: unknown; time: number };
  return typeof text === 'string' ? { text, timeMs: time } : undefined;
}

const sources: readonly TermSource[] = ['ai:memory:a:g', 'ai:memory:b:g'].map((key) => ({ key, textOf }));
const [source] = sources as readonly [TermSource];
const { key } = source;

interface Ranked {
  readonly record: string;
  readonly score: number;
  readonly isSimilar: boolean;
  readonly matched: readonly string[];
}

async function rowsOf(backend: MemoryBackend, of: string): Promise<readonly { sequence: number; text: string }[]> {
  return (await backend.page(of, { order: 'written', limit: 10_000 })).rows;
}

/** Ranks all rows that the store has now, read one by one. */
async function rankAll(backend: MemoryBackend, query: string): Promise<Ranked[]> {
  const documents = [];
  const records = new Map<string, string>();
  for (const [order, one] of sources.entries()) {
    const rows = await rowsOf(backend, one.key);
    for (const [place, { text }] of rows.entries()) {
      const found = textOf(text);
      if (found === undefined) continue;
      // Of equally good rows of one time, the one that was written last.
      const id = `${order} ${String(1e6 - place).padStart(8, '0')}`;
      documents.push({ id, ...found });
      records.set(id, text);
    }
  }
  const ranked = await rankDocuments(query, documents, { limit: 1000 });
  return ranked.map(({ id, score, isSimilar = false, matched }) => {
    return { record: records.get(id) ?? '', score, isSimilar, matched };
  });
}

async function find(store: TermStore, query: string): Promise<Ranked[]> {
  const { hits } = await store.search(sources, { query, limit: 1000 });
  return hits.map(({ record, score, isSimilar = false, matched }) => ({ record, score, isSimilar, matched }));
}

/** Adds rows as the newest, or at a time. */
async function append(
  backend: MemoryBackend,
  to: string,
  texts: readonly (string | null)[],
  options: { readonly timeMs?: number; readonly maxRecords?: number; readonly lifetimeMs?: number } = {},
): Promise<void> {
  const { timeMs, ...limits } = options;
  const drafts = texts.map((text) => {
    return { before: `{"text":${JSON.stringify(text)},"time":`, after: '}', timeMs, text: text ?? undefined };
  });
  await listsOf(backend).append(to, drafts, { rule: { ...forever, ...limits } });
}

const words = ['redis', 'cache', 'table', 'readFile', 'the', '表格', '缓存', '内容', '3x3', '🎉', 'configuration'];
const queries = [
  'redis',
  'cache table',
  '表格内容',
  'read file',
  'the',
  'confguration',
  'zebra',
  '格 3',
  'redis lion tiger zebra leopard',
];
const text = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((some) => some.join(' '));
const place = fc.constantFrom(0, 1);

type Step = (harness: BackendHarness, processes: readonly TermStore[]) => Promise<void>;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ place, texts: fc.array(fc.option(text, { freq: 8 }), { maxLength: 12, size: 'max' }) }).map(
      (call): Step =>
        ({ backend }) =>
          append(backend, sources[call.place]?.key ?? '', call.texts, { maxRecords: 40 }),
    ),
  },
  fc.record({ place, text, ageMs: fc.nat(DAY) }).map((call): Step => async ({ backend }) => {
    const timeMs = (await backend.now()) - call.ageMs;
    await append(backend, sources[call.place]?.key ?? '', [call.text], { maxRecords: 40, timeMs });
  }),
  fc.record({ place, at: fc.nat(40), isAll: fc.nat(9) }).map((call): Step => async ({ backend }) => {
    const own = sources[call.place]?.key ?? '';
    const rows = await rowsOf(backend, own);
    const one = rows[call.at % (rows.length || 1)];
    await listsOf(backend).remove(own, call.isAll === 0 ? 'all' : one === undefined ? [] : [one.text]);
  }),
  {
    weight: 6,
    arbitrary: fc
      .record({ process: fc.nat(2), query: fc.constantFrom(...queries) })
      .map((call): Step => async ({ backend }, processes) => {
        await expectRanking(backend, processes[call.process] ?? createTermStore({ backend }), call.query);
      }),
  },
);

async function expectRanking(backend: MemoryBackend, store: TermStore, query: string): Promise<void> {
  expect(await find(store, query), query).toEqual(await rankAll(backend, query));
}

/** Counts the rows that are read, and the texts of postings. */
function counting(backend: MemoryBackend): { readonly backend: MemoryBackend; readonly counts: () => number[] } {
  let [rows, units, pages] = [0, 0, 0];
  const counted: MemoryBackend = {
    ...backend,
    rows: async (of, ids, call) => {
      rows += ids.length;
      return backend.rows(of, ids, call);
    },
    postings: async (...call) => {
      const found = await backend.postings(...call);
      for (const { numbers } of found.postings.flat()) units += numbers.length;
      return found;
    },
    page: async (...call) => {
      pages += 1;
      return backend.page(...call);
    },
  };
  return {
    backend: counted,
    counts: () => {
      const all = [rows, units, pages];
      [rows, units, pages] = [0, 0, 0];
      return all;
    },
  };
}

test('the full score is the score of a text of average length that has each term of the query once', async () => {
  const backend = memory();
  await append(backend, key, ['redis sentinel cache', 'kafka topic offset', 'redis topic key', '表格']);
  const { hits, fullScore = 0 } = await createTermStore({ backend }).search([source], {
    query: 'how is the redis sentinel',
    limit: 5,
  });
  expect(hits[0]?.score).toBeCloseTo(fullScore, 10);
  expect(hits[1]?.score).toBeLessThan(0.5 * fullScore);
});

describe.each(backendKinds)('on $name', (kind) => {
  const numRuns = kind.name === 'memory' ? 150 : 15;
  test.skipIf(kind.isSkipped)('a search ranks like all rows, whatever happened to them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const harness = await kind.open();
        const processes = [0, 1].map(() => createTermStore({ backend: harness.backend }));
        try {
          for (const run of steps) {
            await harness.advance(1);
            await run(harness, processes);
          }
        } finally {
          await harness.backend.close();
        }
      }),
      { numRuns },
    );
  });

  test.skipIf(kind.isSkipped)(
    'a search reads the rows that it returns, and the postings of its terms once',
    async () => {
      const { backend } = await kind.open();
      for (let from = 0; from < 6000; from += 1000) {
        const texts = Array.from({ length: 1000 }, (_, index) => `redis word${from + index} table${index % 100}`);
        await append(backend, key, texts);
      }
      const counted = counting(backend);
      const store = createTermStore({ backend: counted.backend });
      const first = await store.search([source], { query: 'word4321', limit: 5 });
      expect(first).toMatchObject({ searched: 6000, hasMore: false });
      expect(first.hits.map(({ matched }) => matched)).toEqual([['word', '4321', 'word4321']]);
      const [rows, units, pages] = counted.counts();
      expect([rows, pages]).toEqual([1, 0]);
      // The lengths of all rows, the rows with the common term, and nothing else.
      expect(units).toBeLessThan(2 * 6000 * 6 + 100);
      await store.search([source], { query: 'word4321', limit: 5 });
      // The last block is read again.
      const [again, more = Infinity] = counted.counts();
      expect(again).toBe(1);
      expect(more).toBeLessThan(3 * 512 * 6);
      const sequences: number[] = [];
      const acceptSequence = (sequence: number): boolean => sequences.push(sequence) > 50 && sequence % 2 === 0;
      const filtered = await store.search([source], { query: 'redis table7', limit: 5, acceptSequence });
      expect(filtered.hits.every(({ sequence }) => sequence % 2 === 0)).toBe(true);
      // What the sequence rejects is not read.
      expect(counted.counts()[0]).toBeLessThanOrEqual(sequences.length / 2);
      const bare = { limit: 5, readsRecords: false, findsSimilar: false };
      const found = await store.search([source], { ...bare, query: 'word4321' });
      expect(found.hits.map(({ sequence, record }) => [sequence, record])).toEqual([[first.hits[0]?.sequence, '']]);
      expect(await store.search([source], { ...bare, query: 'unseen' })).toMatchObject({ hits: [], hasMore: false });
      expect(counted.counts()[0]).toBe(0);
      await backend.close();
    },
  );
});

test('a row that has expired is not found', async () => {
  const clock = manualClock();
  const backend = memory({ clock: clock.now });
  const store = createTermStore({ backend });
  await append(backend, key, ['redis old'], { lifetimeMs: DAY });
  await append(backend, key, ['redis new', 'another', 'one more']);
  expect(await find(store, 'redis')).toHaveLength(2);
  clock.add(DAY);
  expect((await find(store, 'redis')).map(({ record }) => textOf(record)?.text)).toEqual(['redis new']);
});

test('of equally good rows the latest comes first, even if an import wrote it earlier or later', async () => {
  const backend = memory({ clock: () => 10 * DAY });
  await append(backend, key, ['redis a'], { timeMs: 5 * DAY });
  await append(backend, key, ['redis b']);
  await append(backend, key, ['redis c'], { timeMs: 7 * DAY });
  const { hits, hasMore } = await createTermStore({ backend }).search([source], { query: 'redis', limit: 2 });
  expect([hits.map(({ record }) => textOf(record)?.text), hasMore]).toEqual([['redis b', 'redis c'], true]);
});

test('searches at once lose nothing that one of them read', async () => {
  const backend = memory();
  const store = createTermStore({ backend });
  await append(backend, key, [
    'zebra first',
    ...Array.from({ length: 1500 }, (_, index) => `filler ${index % 7}`),
    'last',
  ]);
  expect(await find(store, 'zebra')).toHaveLength(1);
  const [newest = ''] = await listsOf(backend).list(key, { limit: 1 });
  await listsOf(backend).remove(key, [newest]);
  const found = await Promise.all(['filler', 'zebra', 'filler', 'zebra'].map((query) => find(store, query)));
  expect(found.map(({ length }) => length)).toEqual([1000, 1, 1000, 1]);
  // More terms than are kept.
  for (let round = 0; round < 3; round++) {
    const other = Array.from({ length: 40 }, (_, index) => `q${round}x${index}`).join(' ');
    const [, zebras] = await Promise.all([find(store, other), find(store, 'zebra')]);
    expect(zebras).toHaveLength(1);
  }
});

describe('a row that changes while it is searched for', () => {
  /** A store whose row `a` gets another text before each of the first reads of rows. */
  function restless(changes: number): MemoryBackend {
    const backend = memory();
    const texts = Array.from({ length: changes + 1 }, (_, index) => `{"text":"zebra ${index}","time":1}`);
    let count = 0;
    const write = async (expected: string | undefined, next: string | undefined): Promise<void> => {
      const row = { id: 'a', expected, next, terms: await termsIn('zebra') };
      expect(await backend.change(key, { rows: [row] })).toMatchObject({ isDone: true });
    };
    const started = write(undefined, texts[0]);
    return {
      ...backend,
      rows: async (...call) => {
        await started;
        if (count < changes) await write(texts[count], texts[(count += 1)]);
        return backend.rows(...call);
      },
    };
  }

  test('is found', async () => {
    const found = await find(createTermStore({ backend: restless(3) }), 'zebra');
    expect(found.map(({ record }) => record)).toEqual(['{"text":"zebra 3","time":1}']);
  });

  test('each time before it is read, is an error', async () => {
    const search = find(createTermStore({ backend: restless(100) }), 'zebra');
    await expect(search).rejects.toMatchObject({ code: 'STORE_LOCKED' });
  });
});

test('after another file replaced that of a store, a search sees only the new one', async () => {
  const path = join(temporaryDirectory(), 'store.db');
  const [first, second] = [sqlite({ path }), sqlite({ path })];
  const store = createTermStore({ backend: first });
  const fillers = (count: number): string[] => Array.from({ length: count }, (_, index) => `filler ${index % 7}`);
  await append(first, key, ['zebra first', ...fillers(700)]);
  expect(await find(store, 'zebra lion')).toHaveLength(1);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  await append(second, key, ['lion first', ...fillers(400)]);
  expect(await find(store, 'zebra')).toEqual([]);
  expect((await find(store, 'lion')).map(({ record }) => textOf(record)?.text)).toEqual(['lion first']);
  await Promise.all([first.close(), second.close()]);
});

test('searches of several processes at once agree', async () => {
  const backend = memory();
  const stores = Array.from({ length: 6 }, () => createTermStore({ backend }));
  for (let round = 0; round < 4; round++) {
    for (const { key: own } of sources) await append(backend, own, ['redis cache table', 'redis', 'a table']);
    const expected = await rankAll(backend, 'redis table');
    const found = await Promise.all(stores.map((store) => find(store, 'redis table')));
    for (const one of found) expect(one).toEqual(expected);
  }
});

test('a search over many short lists reads only what is new since the last one', async () => {
  const backend = memory();
  const many = Array.from({ length: 300 }, (_, index): TermSource => ({ textOf, key: `ai:memory:s:${index}` }));
  for (const one of many) await append(backend, one.key, ['redis cache', 'a table']);
  const counted = counting(backend);
  const terms = createTermStore({ backend: counted.backend });
  const call = { query: 'redis', limit: 1000 };
  expect((await terms.search(many, call)).hits).toHaveLength(300);
  await append(backend, 'ai:memory:s:0', ['a redis']);
  expect((await terms.search(many, call)).hits).toHaveLength(301);
});

test('the terms of a long text are counted in turns of the event loop, and the first ones of too many are kept', async () => {
  let turns = 0;
  let isDone = false;
  const tick = (): void => {
    turns += 1;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  const long = Array.from({ length: 40_000 }, (_, index) => `w${index}x`).join(' ');
  const terms = await termsIn(long);
  isDone = true;
  // A turn has 16 Ki UTF-16 code units of text, or work that takes as long.
  expect(turns).toBeGreaterThan(long.length / 16_384 / 2);
  expect(terms?.get('')).toBeGreaterThanOrEqual(40_000);
  expect(terms?.size).toBe(16_385);
  expect(await termsIn('')).toEqual(new Map([['', 0]]));
  expect(await termsIn(undefined)).toBeUndefined();
});
