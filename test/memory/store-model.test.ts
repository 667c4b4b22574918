/** Random calls give the same results on SQLite and Redis as on the store in this process, which has no file and no index. */
import type { MemoryBackend, RowChange } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { BackendHarness, Draft, ListRule } from '@cairn/memory/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendKinds, START_MS, useBackends } from './backends.ts';

useBackends();

const RUNS = Number(process.env['CAIRN_MEMORY_MODEL_RUNS'] ?? 60);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const keys = ['a', 'ab', 'b'];
const rules: readonly ListRule[] = [
  { maxRecords: 3, maxTemporaryRecords: 2, lifetimeMs: 10 * HOUR, temporaryLifetimeMs: HOUR },
  { maxRecords: 5, maxTemporaryRecords: Infinity, lifetimeMs: 2 * HOUR, temporaryLifetimeMs: 2 * HOUR },
  { maxRecords: Infinity, maxTemporaryRecords: Infinity, lifetimeMs: Infinity, temporaryLifetimeMs: Infinity },
  { maxRecords: 2, maxTemporaryRecords: 1, lifetimeMs: 10 * HOUR, temporaryLifetimeMs: HOUR, keepsPresent: true },
];

const key = fc.constantFrom(...keys);
const rule = fc.constantFrom(...rules);
const text = fc.constantFrom('x', 'y', 'z', '表');
const draft = fc
  .record({
    text,
    agoMs: fc.option(fc.integer({ min: -3, max: 12 * 60 }), { nil: undefined }),
    isTemporary: fc.boolean(),
    isOnce: fc.boolean(),
  })
  .map(({ text: content, agoMs, isTemporary, isOnce }): Draft => ({
    before: `{"text":"${content}","time":`,
    after: '}',
    timeMs: agoMs === undefined ? undefined : START_MS - agoMs * MINUTE,
    id: isOnce ? content : undefined,
    isTemporary,
    text: `${content} word`,
  }));
const row = fc
  .record({
    id: fc.constantFrom('1', '2', '3'),
    next: fc.option(text, { nil: undefined }),
    unique: fc.option(fc.constantFrom('u', 'v'), { nil: undefined }),
    lifetimeMs: fc.constantFrom(undefined, HOUR, 3 * HOUR),
    terms: fc.option(
      fc.dictionary(fc.constantFrom('k', 'l', '格', ' '), fc.integer({ min: 1, max: 900 }), { maxKeys: 3 }),
      { nil: undefined },
    ),
    labels: fc.option(fc.uniqueArray(fc.constantFrom('p', 'q', 'p q', '')), { nil: undefined }),
    agoMs: fc.constantFrom(undefined, undefined, 0, 5),
    isExpected: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ isExpected, ...rest }) => ({ ...rest, isExpected: isExpected > 0 }));

interface Step {
  readonly name: string;
  readonly run: (harness: BackendHarness) => Promise<unknown>;
}

const step = fc.oneof(
  fc.record({ key, rule, drafts: fc.array(draft, { maxLength: 4 }) }).map((call): Step => ({
    name: `append ${JSON.stringify(call)}`,
    run: ({ backend }) => listsOf(backend).append(call.key, call.drafts, { rule: call.rule }),
  })),
  fc.record({ key, index: fc.nat(5), isAll: fc.boolean() }).map((call): Step => ({
    name: `remove ${JSON.stringify(call)}`,
    run: async ({ backend }) => {
      if (call.isAll && call.index === 0) return listsOf(backend).remove(call.key, 'all');
      const { rows } = await backend.page(call.key, { order: 'newest' });
      const removes = [rows[call.index]?.id ?? 'none', rows[0]?.id ?? 'none'];
      const result = await backend.change(call.key, { removes });
      return result.isDone && result.removed;
    },
  })),
  fc
    .record({ key, next: fc.option(text, { nil: undefined }), ttlMs: fc.constantFrom(HOUR, Infinity) })
    .map((call): Step => ({
      name: `swap ${JSON.stringify(call)}`,
      run: async ({ backend }) =>
        listsOf(backend).swap(call.key, { ...call, expected: await listsOf(backend).read(call.key) }),
    })),
  fc.record({ key, rows: fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 3 }) }).map((call): Step => ({
    name: `change ${JSON.stringify(call)}`,
    run: async ({ backend }) => {
      const known = await backend.rows(
        call.key,
        call.rows.map(({ id }) => id),
      );
      const rows = call.rows.map(({ isExpected, terms, agoMs, ...rest }, index): RowChange => ({
        ...rest,
        timeMs: agoMs && START_MS - agoMs,
        terms: terms && new Map(Object.entries(terms)),
        expected: isExpected ? known[index]?.text : 'another',
      }));
      const result = await backend.change(call.key, { rows });
      return result.isDone ? result.rows.map((one) => [one.id, one.text, one.expiresAt]) : result;
    },
  })),
  fc.constantFrom(0, 0, 1, 10, 61, 150, 26 * 60).map((minutes): Step => ({
    name: `advance ${minutes} minutes`,
    run: async ({ backend, advance }) => {
      await advance(minutes * MINUTE);
      // The file keeps a reading of the clock that a write took.
      await listsOf(backend).swap('clock', { expected: await listsOf(backend).read('clock'), next: '' });
      return backend.now();
    },
  })),
);

/** Everything that the calls that read return, apart from the numbers that a store chooses. */
async function contentsOf(backend: MemoryBackend): Promise<unknown> {
  const names = (await backend.keys('')).map((info) => info.key).toSorted();
  const values = names.map(async (name) => {
    const { rows, sequence, hasMore } = await backend.page(name, { order: 'written' });
    const sequences = rows.map((one) => one.sequence);
    expect(hasMore).toBe(false);
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
    expect(sequence).toBeGreaterThanOrEqual(sequences.at(-1) ?? 0);
    expect(await backend.rows(name, sequences)).toEqual(rows);
    const half = Math.floor(rows.length / 2);
    const later = await backend.page(name, { order: 'written', after: sequences[half - 1] ?? 0 });
    expect(later.rows).toEqual(rows.slice(half));
    const newest = (await backend.page(name, { order: 'newest' })).rows;
    expect(newest.toSorted((a, b) => a.sequence - b.sequence)).toEqual(rows);
    const shown = ({ text: own, expiresAt }: (typeof rows)[number]): unknown => [own, expiresAt];
    const labelled = ['p', 'q', 'p q', '', 'r'].map(async (label) => {
      const page = await backend.page(name, { order: 'newest', label });
      // Only expired rows that were not yet removed are counted and not shown.
      expect(page.count).toBeGreaterThanOrEqual(page.rows.length);
      const [first] = page.rows;
      const rest = await backend.page(name, { order: 'newest', label, before: first });
      expect(rest.rows).toEqual(page.rows.slice(first === undefined ? 0 : 1));
      expect(newest.filter(({ id }) => page.rows.some((one) => one.id === id))).toEqual(page.rows);
      return page.rows.map(({ id }) => id);
    });
    const labels = await Promise.all(labelled);
    return { name, newest: newest.map(shown), written: rows.map(shown), terms: await termsOf(backend, name), labels };
  });
  return { values: await Promise.all(values), prefixed: (await backend.keys('a')).length };
}

/** The terms of the rows that can be read, with their counts. */
async function termsOf(backend: MemoryBackend, name: string): Promise<unknown> {
  const terms = ['word', 'x', 'y', '表', 'k', 'l', '格', ' ', ''];
  const { postings } = await backend.postings(name, terms);
  return Promise.all(
    postings.map(async (blocks, index) => {
      const all = blocks.flatMap(({ block, numbers }) =>
        (JSON.parse(`[${numbers.slice(1)}]`) as number[]).map((number) => [block * 512 + (number % 512), number >> 9]),
      );
      const rows = await backend.rows(
        name,
        all.map(([sequence = 0]) => sequence),
      );
      return [terms[index], all.flatMap(([, count], at) => (rows[at] === undefined ? [] : [[rows[at].text, count]]))];
    }),
  );
}

async function outcomeOf(run: Promise<unknown>): Promise<unknown> {
  return run.catch((error: unknown) => (error as { readonly code?: string }).code ?? error);
}

const [inProcess, ...others] = backendKinds;

describe.each(others)('on $name', (kind) => {
  test.skipIf(kind.isSkipped)(
    `random calls, ${RUNS} runs`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
          const stores = await Promise.all([inProcess, kind].map(async (one) => one?.open()));
          for (const { name, run } of steps) {
            const [expected, actual] = await Promise.all(
              stores.map(async (store) => {
                if (store === undefined) throw new Error('no store');
                const result = await outcomeOf(run(store));
                return { result, contents: await contentsOf(store.backend) };
              }),
            );
            expect(actual, name).toEqual(expected);
          }
          await Promise.all(stores.map(async (store) => store?.backend.close()));
        }),
        { numRuns: RUNS, ...(process.env['CAIRN_SEED'] !== undefined && { seed: Number(process.env['CAIRN_SEED']) }) },
      );
    },
    600_000,
  );
});
