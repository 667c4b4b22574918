import { MemoryError } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { MemoryBackend } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { createTermStore } from '@cairn/memory/terms';
import type { TermSource } from '@cairn/memory/terms';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendKinds, manualClock, useBackends } from './backends.ts';
import {
  append,
  compare,
  expectNoIndex,
  find,
  rankAll,
  rowsOf,
  rule,
  runSteps,
  small,
  sources,
  stepArbitrary,
  storedTerms,
} from './terms-model.ts';

useBackends();

const [source, other] = sources as readonly [TermSource, TermSource];
const { key } = source;
const large: TermSource = {
  ...source,
  rule: { ...rule, maxRecords: Infinity, lifetimeMs: Infinity, temporaryLifetimeMs: Infinity },
};

type Call = Exclude<keyof MemoryBackend, 'name' | 'backup'>;

/** A store that runs a task before each call, with the number and the name of the call. */
function hooked(backend: MemoryBackend, before: (number: number, call: Call) => Promise<void>): MemoryBackend {
  let number = 0;
  const calls = Object.entries(backend).map(([name, value]: [string, unknown]) => {
    if (typeof value !== 'function') return [name, value];
    const call = async (...args: unknown[]): Promise<unknown> => {
      number += 1;
      await before(number, name as Call);
      return (value as (...all: unknown[]) => Promise<unknown>)(...args);
    };
    return [name, call];
  });
  return Object.fromEntries(calls) as MemoryBackend;
}

const texts = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `redis cache ${index % 7} ${index === 11 ? 'secretword' : 'table'}`);

test('the full score is that of a text of average length that has each term of the query once', async () => {
  const backend = memory();
  // Each has the average length.
  await append(backend, key, ['redis sentinel cache', 'kafka topic offset', 'redis topic key', '表格']);
  const { hits, fullScore = 0 } = await createTermStore({ backend }).search([source], {
    query: 'how is the redis sentinel',
    limit: 5,
  });
  expect(hits[0]?.score).toBeCloseTo(fullScore, 10);
  expect(hits[1]?.score).toBeLessThan(0.5 * fullScore);
});

describe.each(backendKinds)('the stored index on $name', (kind) => {
  const numRuns = kind.name === 'memory' ? 150 : 15;
  test.skipIf(kind.isSkipped)('ranks like all records that the store keeps, whatever happened to both', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 60, size: 'max' }), async (steps) => {
        const harness = await kind.open();
        try {
          await runSteps(harness, steps);
        } finally {
          await harness.backend.close();
        }
      }),
      { numRuns },
    );
  });

  test.skipIf(kind.isSkipped)('reads only the records that it returns, and few rows', async () => {
    const { backend } = await kind.open();
    const drafts = Array.from({ length: 6000 }, (_, index) => ({
      before: `{"text":"redis word${index} table${index % 100}","time":`,
      after: '}',
    }));
    const forever = { ...rule, maxRecords: Infinity, lifetimeMs: Infinity, temporaryLifetimeMs: Infinity };
    await listsOf(backend).append(key, drafts, { rule: forever });
    await createTermStore({ backend }).catchUp(large);
    let records = 0;
    let units = 0;
    const calls: string[] = [];
    const counting: MemoryBackend = {
      ...backend,
      changes: async (...args) => {
        calls.push('changes');
        const page = await backend.changes(...args);
        records += page.records.length;
        return page;
      },
      fetch: async (...args) => {
        calls.push('fetch');
        records += args[2].length;
        return backend.fetch(...args);
      },
      rows: async (...args) => {
        calls.push('rows');
        const rows = await backend.rows(...args);
        units += rows.reduce((sum, row) => sum + (row?.record.length ?? 0), 0);
        return rows;
      },
      sequences: async () => Promise.reject(new Error('all sequences were read')),
      list: async () => Promise.reject(new Error('all records were read')),
    };
    const all = (await rowsOf(backend)).reduce((sum, { record }) => sum + record.length, 0);
    const store = createTermStore({ backend: counting });
    const first = await store.search([large], { query: 'word4321', limit: 5 });
    expect(first).toMatchObject({ searched: 6000, hasMore: false });
    expect(first.hits.map(({ matched }) => matched)).toEqual([['word', '4321', 'word4321']]);
    expect(records).toBeLessThan(300);
    expect(units).toBeLessThan(all / 2);
    calls.length = 0;
    records = 0;
    await store.search([large], { query: 'word4321', limit: 5 });
    expect([calls, records]).toEqual([['changes', 'fetch'], 1]);
    records = 0;
    const sequences: number[] = [];
    const acceptSequence = (sequence: number): boolean => sequences.push(sequence) > 50 && sequence % 2 === 0;
    const filtered = await store.search([large], { query: 'redis table7', limit: 5, acceptSequence });
    expect(filtered.hits.every(({ sequence }) => sequence % 2 === 0)).toBe(true);
    // What the sequence rejects is not read.
    expect(records).toBeLessThan(sequences.length / 2);
    calls.length = 0;
    const bare = { limit: 5, readsRecords: false, findsSimilar: false };
    const found = await store.search([large], { ...bare, query: 'word4321' });
    expect(found.hits.map(({ sequence, record }) => [sequence, record])).toEqual([[first.hits[0]?.sequence, '']]);
    expect(await store.search([large], { ...bare, query: 'unseen' })).toMatchObject({ hits: [], hasMore: false });
    // One block of terms shows that no record has the second word.
    expect(calls).toEqual(['changes', 'changes', 'rows']);
    await backend.close();
  });
});

describe('a process that is killed', () => {
  test('at any call of a search leaves an index that another process uses or repairs', async () => {
    for (let end = 1; ; end++) {
      const backend = memory();
      await append(backend, key, texts(30));
      await createTermStore({ backend, sizes: small }).catchUp(source);
      await append(backend, key, texts(9));
      let isKilled = false;
      const killed = hooked(backend, async (number) => {
        // Nothing that the process does afterwards reaches the store.
        isKilled ||= number >= end;
        if (isKilled) throw new Error('killed');
      });
      const search = find(createTermStore({ backend: killed, sizes: small }), 'redis');
      const failure = await search.then(
        () => undefined,
        (error: unknown) => error,
      );
      const next = createTermStore({ backend, sizes: small });
      await compare(next, backend, 'secretword');
      await append(backend, key, texts(3));
      await compare(next, backend, 'redis');
      await expectOnlySegments(backend);
      if (failure === undefined) return;
    }
  });
});

interface Rows {
  readonly ids: readonly string[];
  readonly segments: readonly { readonly name: string; readonly blocks: number }[];
  readonly garbage: readonly unknown[];
  readonly holes: readonly number[];
}

async function readRows(backend: MemoryBackend): Promise<Rows> {
  const rows = await rowsOf(backend);
  const state = rows.find(({ id }) => id === 'state');
  return { ids: rows.map(({ id }) => id), ...(JSON.parse(state?.record ?? '') as Omit<Rows, 'ids'>) };
}

/** Checks that no row of a segment is missing. */
async function expectAllBlocks(backend: MemoryBackend): Promise<void> {
  const { ids, segments } = await readRows(backend);
  const blocks = segments.flatMap(({ name, blocks: count }) =>
    Array.from({ length: count }, (_, at) => `${name} ${at}`),
  );
  expect(ids).toEqual(expect.arrayContaining(blocks));
}

/** Checks that each row belongs to a segment, and that no row is missing. */
async function expectOnlySegments(backend: MemoryBackend): Promise<void> {
  const { ids, segments, garbage } = await readRows(backend);
  const names = new Set(segments.map(({ name }) => name));
  expect(ids.filter((id) => id !== 'state' && !names.has(id.split(' ')[0] ?? ''))).toEqual([]);
  expect(garbage).toEqual([]);
  await expectAllBlocks(backend);
}

describe('forgotten records', () => {
  // `pending`: they are removed only after the other process has finished.
  test.each([
    { which: 'one', isIndexed: true, isPending: false },
    { which: 'one', isIndexed: true, isPending: true },
    { which: 'one', isIndexed: false, isPending: false },
    { which: 'one', isIndexed: false, isPending: true },
    { which: 'all', isIndexed: true, isPending: false },
    { which: 'all', isIndexed: true, isPending: true },
    { which: 'all', isIndexed: false, isPending: false },
  ] as const)(
    'leave no term, at whatever call of another process they are forgotten: $which, index $isIndexed, pending $isPending',
    async ({ which, isIndexed, isPending }) => {
      for (let at = 1, isOver = false; !isOver; at++) {
        const backend = memory();
        await append(backend, key, texts(14), large.rule);
        if (isIndexed) await createTermStore({ backend, sizes: small }).catchUp(large);
        // A shorter list has no guard: it never has an index.
        await append(backend, key, texts(isIndexed ? 24 : 140), large.rule);
        const { records } = await backend.changes(key);
        const secrets = records.filter(({ record }) => record.includes('secretword'));
        const sequences = secrets.map(({ sequence }) => sequence);
        const store = createTermStore({ backend, sizes: small });
        const remove = async (): Promise<void> => {
          await listsOf(backend).remove(key, which === 'all' ? 'all' : secrets.map(({ record }) => record));
          if (which === 'all') await store.forget(large, 'all');
        };
        let hasRun = false;
        const forget = async (): Promise<void> => {
          hasRun = true;
          await store.forget(large, which === 'all' ? 'all' : sequences);
          if (!isPending) await remove();
        };
        let calls = -Infinity;
        const interrupted = hooked(backend, async () => {
          calls += 1;
          if (calls === at) await forget();
        });
        const process = createTermStore({ backend: interrupted, sizes: small });
        // It has already removed the indexes that belong to nothing.
        await append(backend, other.key, texts(5));
        await process.catchUp(other);
        calls = 0;
        const { hits } = await process.search([large], { query: 'secretword', limit: 100 });
        expect(hits.length, `call ${at}`).toBeLessThanOrEqual(2);
        isOver = !hasRun;
        if (isOver) await forget();
        expect(await storedTerms(backend), `call ${at}`).not.toContain('secretword');
        if (isPending) await remove();
        expect((await backend.keys('ai:terms:')).length, `call ${at}`).toBe(which === 'one' ? 2 : 1);
        const next = createTermStore({ backend, sizes: small });
        const { searched } = await next.search([large], { query: 'redis', limit: 1 });
        expect(searched, `call ${at}`).toBe((await backend.changes(key)).count);
      }
    },
  );

  test('leave no term when another process stores them between their terms and themselves', async () => {
    const backend = memory();
    await append(backend, key, texts(30));
    const slow = createTermStore({ backend, sizes: small });
    await slow.catchUp(source);
    const { records } = await backend.changes(key);
    const secret = records.find(({ record }) => record.includes('secretword'));
    await slow.forget(source, [secret?.sequence ?? 0]);
    // Not yet removed: it is found, and not stored.
    const process = createTermStore({ backend, sizes: small });
    expect((await find(process, 'secretword')).map(({ record }) => record)).toEqual([secret?.record]);
    await append(backend, key, texts(8));
    await compare(process, backend, 'secretword');
    expect(await storedTerms(backend)).not.toContain('secretword');
    await listsOf(backend).remove(key, [secret?.record ?? '']);
    await compare(process, backend, 'secretword redis');
  });

  test('with the records of an older version of them', async () => {
    const backend = memory();
    const table: TermSource = { key: 'ai:facts:user', textOf: (record) => ({ text: record, timeMs: 0 }) };
    const rows = texts(30).map((next, index) => ({ id: `${index}`, expected: undefined, next }));
    await backend.change(table.key, { rows });
    const store = createTermStore({ backend, sizes: small });
    await store.catchUp(table);
    await backend.change(table.key, { rows: [{ id: '11', expected: texts(12)[11], next: 'new text' }] });
    expect(await storedTerms(backend)).toContain('secretword');
    const [row] = await backend.rows(table.key, ['11']);
    await store.forget(table, [row?.sequence ?? 0]);
    await backend.change(table.key, { rows: [{ id: '11', expected: 'new text', next: undefined }] });
    expect([...(await storedTerms(backend))].filter((term) => ['secretword', 'new'].includes(term))).toEqual([]);
    expect((await store.search([table], { query: 'redis', limit: 100 })).searched).toBe(29);
  });

  test('leave no trace in the state when they are gone', async () => {
    const backend = memory();
    await append(
      backend,
      key,
      texts(200).map((text, index) => `${text} ${index}`),
      large.rule,
    );
    const store = createTermStore({ backend });
    const { records } = await backend.changes(key);
    for (const { sequence, record } of records.slice(0, 20)) {
      await store.forget(large, [sequence]);
      await listsOf(backend).remove(key, [record]);
    }
    expect((await readRows(backend)).holes).toEqual([records[19]?.sequence]);
  });

  test('after a kill before they are removed, are found, and stored again later', async () => {
    const clock = manualClock();
    const backend = memory({ clock: clock.now });
    await append(backend, key, texts(30));
    const store = createTermStore({ backend, sizes: small });
    await store.catchUp(source);
    await store.forget(source, 'all');
    const next = createTermStore({ backend, sizes: small });
    await compare(next, backend, 'secretword');
    expect(await storedTerms(backend)).toEqual(new Set());
    clock.add(600_000);
    await compare(next, backend, 'secretword');
    await compare(createTermStore({ backend, sizes: small }), backend, 'secretword');
    expect(await storedTerms(backend)).toContain('secretword');
  });
});

describe('an index', () => {
  test('of several processes at once is complete and has no other rows', async () => {
    const backend = memory();
    for (let round = 0; round < 4; round++) {
      await append(backend, key, texts(20));
      await append(backend, other.key, texts(7));
      const stores = Array.from({ length: 6 }, () => createTermStore({ backend, sizes: small }));
      const expected = await rankAll(backend, sources, 'redis table');
      const found = await Promise.all(stores.map((store) => find(store, 'redis table')));
      for (const one of found) expect(one).toEqual(expected);
    }
  });

  test('is read and not written when the store rejects writes', async () => {
    const backend = memory();
    await append(backend, key, texts(30));
    let writes = 0;
    const readOnly: MemoryBackend = {
      ...backend,
      change: async () => {
        writes += 1;
        throw new MemoryError('STORE_DENIED', ['[memory:memory] read-only', 'Use another store.']);
      },
    };
    const store = createTermStore({ backend: readOnly, sizes: small });
    await compare(store, backend, 'redis');
    await append(backend, key, texts(9));
    await compare(store, backend, 'secretword');
    expect(writes).toBe(1);
    expect(await rowsOf(backend)).toEqual([]);
    await expect(store.forget(source, [1])).resolves.toBeUndefined();
  });

  test('that another version wrote is written again, and its rows are removed', async () => {
    const backend = memory();
    await append(backend, key, texts(30));
    await createTermStore({ backend, sizes: small }).catchUp(source);
    const rows = await rowsOf(backend);
    const state = rows.find(({ id }) => id === 'state');
    const next = state?.record.replace('"format":"', '"format":"0 ');
    await backend.change(state?.key ?? '', { rows: [{ id: 'state', expected: state?.record, next }] });
    const store = createTermStore({ backend, sizes: small });
    await compare(store, backend, 'redis');
    const names = new Set(rows.map(({ id }) => id).filter((id) => id !== 'state'));
    const now = await rowsOf(backend);
    expect(now.length).toBeGreaterThan(1);
    expect(now.filter(({ id }) => names.has(id))).toEqual([]);
    await expectOnlySegments(backend);
  });

  test('that another version wrote can be replaced by two processes at once', async () => {
    for (let at = 1, isOver = false; !isOver; at++) {
      const backend = memory();
      await append(backend, key, texts(30));
      await createTermStore({ backend, sizes: small }).catchUp(source);
      const [row] = await backend.rows('ai:terms:memory:a:g', ['state']);
      const next = row?.record.replace('"format":"', '"format":"0 ');
      await backend.change('ai:terms:memory:a:g', { rows: [{ id: 'state', expected: row?.record, next }] });
      isOver = true;
      const interrupted = hooked(backend, async (number) => {
        if (number !== at) return;
        isOver = false;
        const process = createTermStore({ backend, sizes: small });
        await process.catchUp(source);
        await append(backend, key, texts(3));
        await process.catchUp(source);
      });
      await find(createTermStore({ backend: interrupted, sizes: small }), 'redis');
      await expectAllBlocks(backend);
      await compare(createTermStore({ backend, sizes: small }), backend, 'redis');
      await expectOnlySegments(backend);
    }
  });

  test('is written again without the records that are gone when these are the most', async () => {
    const backend = memory();
    await append(backend, key, texts(30));
    const store = createTermStore({ backend, sizes: small });
    await store.catchUp(source);
    const { records } = await backend.changes(key);
    await listsOf(backend).remove(
      key,
      records.slice(0, 25).map(({ record }) => record),
    );
    await compare(store, backend, 'redis');
    expect(await storedTerms(backend)).not.toContain('secretword');
  });

  test('of a list that has ended is removed when a process writes another one', async () => {
    const clock = manualClock();
    const backend = memory({ clock: clock.now });
    await append(backend, key, texts(30));
    await createTermStore({ backend, sizes: small }).catchUp(source);
    await listsOf(backend).swap('ai:terms:a:g:0', { expected: undefined, next: 'of an earlier version', ttlMs: 1e9 });
    clock.add(25 * 3_600_000);
    await append(backend, 'ai:memory:c:g', ['tick']);
    clock.add(25 * 3_600_000);
    await append(backend, other.key, texts(30));
    await createTermStore({ backend, sizes: small }).catchUp(other);
    await expectNoIndex(backend, key);
    expect((await backend.keys('ai:terms:')).map((info) => info.key)).toEqual(['ai:terms:memory:b:g']);
  });

  test('has segments of some sizes only, and none is written again for each record', async () => {
    const backend = memory();
    let written = 0;
    const counting: MemoryBackend = {
      ...backend,
      change: async (table, change, call) => {
        for (const { id, next = '' } of change.rows) if (id !== 'state') written += next.length;
        return backend.change(table, change, call);
      },
    };
    const store = createTermStore({
      backend: counting,
      sizes: { minRecords: 16, minTerms: 32, maxRecords: 256, maxTerms: 512 },
    });
    const forever = { ...rule, maxRecords: Infinity };
    for (let index = 0; index < 1000; index++) {
      const draft = { before: `{"text":"redis ${index % 50}","time":`, after: '}' };
      await listsOf(backend).append(key, [draft], { rule: forever });
      await store.search([{ ...source, rule: forever }], { query: 'redis', limit: 1 });
    }
    const rows = (await rowsOf(backend)).filter(({ id }) => id !== 'state');
    const stored = rows.reduce((sum, { record }) => sum + record.length, 0);
    expect(rows.filter(({ id }) => id.endsWith(' columns')).length).toBeLessThan(12);
    expect(written / stored).toBeLessThan(5);
  });

  test('is built in turns of the event loop', async () => {
    const backend = memory();
    const forever = { ...rule, maxRecords: Infinity };
    const long = 'some words of a long text, '.repeat(40_000);
    const drafts = [long, ...texts(3000)].map((text) => ({
      before: `{"text":${JSON.stringify(text)},"time":`,
      after: '}',
    }));
    await listsOf(backend).append(key, drafts, { rule: forever });
    let turns = 0;
    let isDone = false;
    const tick = (): void => {
      turns += 1;
      if (!isDone) setImmediate(tick);
    };
    setImmediate(tick);
    await createTermStore({ backend }).search([{ ...source, rule: forever }], { query: 'words redis', limit: 3 });
    isDone = true;
    // A turn has 16 Ki UTF-16 code units of text, or work that takes as long.
    expect(turns).toBeGreaterThan(long.length / 16_384);
  });
});

test('a search over many short lists reads only what is new since the last one', async () => {
  const backend = memory();
  const many = Array.from({ length: 300 }, (_, index): TermSource => ({ ...large, key: `ai:memory:s:${index}` }));
  for (const one of many) await append(backend, one.key, ['redis cache', 'a table']);
  let read = 0;
  const counting: MemoryBackend = {
    ...backend,
    changes: async (...args) => {
      const page = await backend.changes(...args);
      read += page.records.length;
      return page;
    },
  };
  const terms = createTermStore({ backend: counting });
  const call = { query: 'redis', limit: 1000 };
  expect((await terms.search(many, call)).hits).toHaveLength(300);
  expect(read).toBe(600);
  await append(backend, 'ai:memory:s:0', ['a redis']);
  expect((await terms.search(many, call)).hits).toHaveLength(301);
  expect(read).toBe(601);
});

test('a list of 300 messages of usual length is stored, so that another process does not split them again', async () => {
  const backend = memory();
  const texts300 = Array.from({ length: 300 }, (_, index) =>
    Array.from({ length: 30 }, (__, word) => `w${index * word}`).join(' '),
  );
  await append(backend, key, texts300, large.rule);
  await createTermStore({ backend }).search([large], { query: 'w77', limit: 5 });
  let read = 0;
  const counting: MemoryBackend = {
    ...backend,
    changes: async (...args) => {
      const page = await backend.changes(...args);
      read += page.records.length;
      return page;
    },
  };
  const { hits, searched } = await createTermStore({ backend: counting }).search([large], { query: 'w77', limit: 5 });
  expect(hits.length).toBeGreaterThan(0);
  expect(searched).toBe(300);
  expect(read).toBeLessThanOrEqual(64);
});
