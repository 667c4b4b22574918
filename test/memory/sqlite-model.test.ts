/** Random calls give the same results on SQLite as on the store in this process, which has no file and no index. */
import { memory } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import type { Draft, ListRule, MemoryBackend, RowChange } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { manualClock, START_MS } from './backends.ts';

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
    temporary: fc.constantFrom(undefined, true, false),
    isOnce: fc.boolean(),
    isTorn: fc.integer({ min: 0, max: 19 }),
  })
  .map(({ text: content, agoMs, temporary, isOnce, isTorn }): Draft => {
    const before = isTorn === 0 ? `{"text":"${content}` : `{"text":"${content}","time":`;
    return {
      before,
      after: isTorn === 0 ? '' : temporary === undefined ? '}' : `,"temporary":${temporary}}`,
      timeMs: agoMs === undefined || isTorn === 0 ? undefined : START_MS - agoMs * MINUTE,
      unlessStart: isOnce ? `{"text":"${content}",` : undefined,
    };
  });
const row = fc
  .record({
    id: fc.constantFrom('1', '2', '3'),
    next: fc.option(text, { nil: undefined }),
    unique: fc.option(fc.constantFrom('u', 'v'), { nil: undefined }),
    isExpected: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ isExpected, ...rest }) => ({ ...rest, isExpected: isExpected > 0 }));

interface Step {
  readonly name: string;
  readonly run: (backend: MemoryBackend, advance: (ms: number) => void) => Promise<unknown>;
}

const step = fc.oneof(
  fc.record({ key, rule, drafts: fc.array(draft, { maxLength: 4 }) }).map((call): Step => ({
    name: `append ${JSON.stringify(call)}`,
    run: (backend) => listsOf(backend).append(call.key, call.drafts, { rule: call.rule }),
  })),
  fc.record({ key, index: fc.nat(5), isAll: fc.boolean() }).map((call): Step => ({
    name: `remove ${JSON.stringify(call)}`,
    run: async (backend) => {
      if (call.isAll && call.index === 0) return listsOf(backend).remove(call.key, 'all');
      const records = await listsOf(backend).list(call.key, { rule: rules[2] as ListRule });
      return listsOf(backend).remove(call.key, [records[call.index] ?? 'none', records[0] ?? 'none']);
    },
  })),
  fc
    .record({ key, next: fc.option(text, { nil: undefined }), ttlMs: fc.constantFrom(HOUR, Infinity) })
    .map((call): Step => ({
      name: `swap ${JSON.stringify(call)}`,
      run: async (backend) => listsOf(backend).swap(call.key, { ...call, expected: await listsOf(backend).read(call.key) }),
    })),
  fc
    .record({ key, rows: fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 3 }), replaces: fc.boolean() })
    .map((call): Step => ({
      name: `change ${JSON.stringify(call)}`,
      run: async (backend) => {
        const isDocument = (await backend.keys(call.key)).some(
          (one) => one.key === call.key && one.kind === 'document',
        );
        const replaces = isDocument && call.replaces ? await listsOf(backend).read(call.key) : undefined;
        const ids = call.rows.map(({ id }) => id);
        const known = replaces === undefined ? await backend.rows(call.key, ids) : [];
        const rows = call.rows.map(({ id, next, unique, isExpected }, index): RowChange => {
          return { id, next, unique, expected: isExpected ? known[index]?.record : 'another' };
        });
        const result = await backend.change(call.key, { rows, replaces });
        return { ...result, sequence: undefined };
      },
    })),
  fc.constantFrom(0, 0, 1, 10, 61, 150, 26 * 60, 40 * 24 * 60, -1, -90, -26 * 60).map((minutes): Step => ({
    name: `advance ${minutes} minutes`,
    run: async (backend, advance) => {
      advance(minutes * MINUTE);
      // The file keeps a reading of the clock that a write took.
      await listsOf(backend).swap('clock', { expected: await listsOf(backend).read('clock'), next: '', ttlMs: Infinity });
      return backend.trustedNow();
    },
  })),
);

/** Everything that the calls that read return. */
async function contentsOf(backend: MemoryBackend): Promise<unknown> {
  const infos = (await backend.keys('')).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const values = infos.map(async ({ key: name, kind, records, expiresInMs }) => {
    if (kind === 'document') return { name, kind, records, expiresInMs, text: await listsOf(backend).read(name) };
    const { epoch, count, sequence, records: changed } = await backend.changes(name);
    const { sequences, epoch: same } = await backend.sequences(name);
    expect(same).toBe(epoch);
    expect(changed.map((one) => one.sequence)).toEqual(sequences);
    expect(sequence).toBeGreaterThanOrEqual(sequences.at(-1) ?? 0);
    expect(await backend.fetch(name, epoch, sequences)).toEqual(changed.map(({ record }) => record));
    const half = Math.floor(sequences.length / 2);
    const later = await backend.changes(name, { epoch, after: sequences[half - 1] ?? 0 });
    expect(later.records.map((one) => one.sequence)).toEqual(sequences.slice(half));
    const listed = kind === 'list' ? await Promise.all(rules.map((one) => listsOf(backend).list(name))) : [];
    return { name, kind, records, count, expiresInMs, listed, changed: changed.map(({ id, record }) => [id, record]) };
  });
  return { values: await Promise.all(values), prefixed: (await backend.keys('a')).length };
}

async function outcomeOf(run: Promise<unknown>): Promise<unknown> {
  return run.catch((error: unknown) => (error as { readonly code?: string }).code ?? error);
}

test(`random calls, ${RUNS} runs`, async () => {
  const root = temporaryDirectory();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      run += 1;
      const path = `${root}/${run}.db`;
      const stores = [memory, ({ clock }: { clock: () => number }) => sqlite({ clock, path })].map((create) => {
        const clock = manualClock();
        return { backend: create({ clock: clock.now }), advance: clock.add };
      });
      for (const { name, run: call } of steps) {
        const [expected, actual] = await Promise.all(
          stores.map(async ({ backend, advance }) => {
            const result = await outcomeOf(call(backend, advance));
            return { result, contents: await contentsOf(backend) };
          }),
        );
        expect(actual, name).toEqual(expected);
      }
      await Promise.all(stores.map(({ backend }) => backend.close()));
    }),
    { numRuns: RUNS, ...(process.env['CAIRN_SEED'] !== undefined && { seed: Number(process.env['CAIRN_SEED']) }) },
  );
}, 600_000);
