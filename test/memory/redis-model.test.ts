/** Random calls on a list in Redis give the results of a slow model, also next to another program that writes to the list. */
import assert from 'node:assert/strict';
import { createClient } from '@redis/client';
import type { Draft, ListRule, MemoryBackend } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasRedis } from '../support/redis-server.ts';
import { backendKinds, sharedRedis, START_MS, useBackends } from './backends.ts';

const RUNS = Number(process.env['CAIRN_MEMORY_MODEL_RUNS'] ?? 40);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KEY = 'ai:memory:s:g';
const NUMBERING = '{"cairn:sequences":';

type Rule = Omit<ListRule, 'keepsPresent'> & { readonly keepsPresent?: boolean };

const forever: Rule = {
  maxRecords: Infinity,
  maxTemporaryRecords: Infinity,
  lifetimeMs: Infinity,
  temporaryLifetimeMs: Infinity,
};
const hours = (lifetime: number, temporaryLifetime: number): Pick<Rule, 'lifetimeMs' | 'temporaryLifetimeMs'> => {
  return { lifetimeMs: lifetime * HOUR, temporaryLifetimeMs: temporaryLifetime * HOUR };
};
const rules: readonly Rule[] = [
  forever,
  { maxRecords: 300, maxTemporaryRecords: Infinity, ...hours(4, 4) },
  { maxRecords: 50, maxTemporaryRecords: Infinity, ...hours(4, 4), keepsPresent: true },
  { maxRecords: 10, maxTemporaryRecords: Infinity, ...hours(2, 2) },
  { maxRecords: Infinity, maxTemporaryRecords: 3, ...hours(4, 4) },
  { maxRecords: Infinity, maxTemporaryRecords: Infinity, ...hours(3, 3) },
];
/** Of notes. */
const mixed: readonly Rule[] = [
  { maxRecords: 20, maxTemporaryRecords: 5, ...hours(4, 0.5) },
  { maxRecords: 5, maxTemporaryRecords: 20, ...hours(4, 0.5), keepsPresent: true },
  { maxRecords: 300, maxTemporaryRecords: 5, ...hours(Infinity, 1) },
];

/** Time and kind of a record, by another way than the one of the store. */
function lifeOf(record: string): { readonly time: number; readonly temporary: boolean } | undefined {
  try {
    const { time, temporary } = JSON.parse(record) as { time?: unknown; temporary?: unknown };
    return typeof time === 'number' ? { time, temporary: temporary === true } : undefined;
  } catch {
    return undefined;
  }
}

function endOf(record: string, rule: Rule): number {
  const life = lifeOf(record);
  if (life === undefined) return Infinity;
  return life.time + (life.temporary ? rule.temporaryLifetimeMs : rule.lifetimeMs);
}

const isTemporary = (record: string): boolean => lifeOf(record)?.temporary === true;

/** The list after drafts were added. */
function append(before: readonly string[], drafts: readonly Draft[], rule: Rule, nowMs: number): string[] {
  const live = before.filter((record) => endOf(record, rule) > nowMs);
  const limit = { true: rule.maxTemporaryRecords, false: rule.maxRecords };
  if (rule.keepsPresent === true) {
    limit.true = Math.max(limit.true, live.filter(isTemporary).length);
    limit.false = Math.max(limit.false, live.filter((record) => !isTemporary(record)).length);
  }
  const list = [...live];
  for (const { before: start, after, timeMs, unlessStart } of drafts) {
    const present = unlessStart !== undefined && list.some((one) => one.startsWith(unlessStart));
    if (present) continue;
    const record = `${start}${timeMs ?? nowMs}${after}`;
    if (endOf(record, rule) <= nowMs) continue;
    const older = list.findIndex((one) => (lifeOf(one)?.time ?? Infinity) <= (timeMs ?? Infinity));
    list.splice(timeMs === undefined ? 0 : older === -1 ? list.length : older, 0, record);
  }
  const left = { ...limit };
  return list.filter((record) => left[`${isTemporary(record)}`]-- > 0);
}

interface World {
  readonly backend: MemoryBackend;
  readonly advance: (ms: number) => Promise<void>;
  readonly raw: Awaited<ReturnType<typeof rawClient>>;
  list: string[];
  /** The rule of the last write; `undefined` when another program wrote later. */
  rule: Rule | undefined;
  /** How far the clock went back. */
  backMs: number;
}

async function rawClient(): Promise<ReturnType<typeof createClient>> {
  const client = createClient({ url: sharedRedis().url });
  await client.connect();
  return client as ReturnType<typeof createClient>;
}

interface Step {
  readonly name: string;
  readonly run: (world: World) => Promise<void>;
}

function stepOf(name: string, run: Step['run']): Step {
  return Object.assign({ name, run }, { [fc.toStringMethod]: () => name });
}

const draft = (count: number): fc.Arbitrary<Draft> =>
  fc
    .record({
      text: fc.integer({ min: 0, max: count }),
      agoMs: fc.option(fc.integer({ min: 0, max: 5 * 60 * 60 }), { nil: undefined, freq: 2 }),
      temporary: fc.constantFrom(undefined, undefined, undefined, true, false),
      isOnce: fc.integer({ min: 0, max: 5 }),
      isTorn: fc.integer({ min: 0, max: 30 }),
    })
    .map(({ text, agoMs, temporary, isOnce, isTorn }): Draft => {
      if (isTorn === 0) return { before: `{"text":"${text}`, after: '' };
      return {
        before: `{"text":"${text}","time":`,
        after: temporary === undefined ? '}' : `,"temporary":${temporary}}`,
        timeMs: agoMs === undefined ? undefined : START_MS - agoMs * 1000,
        unlessStart: isOnce === 0 ? `{"text":"${text}",` : undefined,
      };
    });

const appendStep = (choice: readonly Rule[]): fc.Arbitrary<Step> =>
  fc
    .record({
      rule: fc.constantFrom(...choice),
      drafts: fc.oneof(
        { arbitrary: fc.array(draft(1000), { maxLength: 4 }), weight: 6 },
        { arbitrary: fc.array(draft(1000), { minLength: 150, maxLength: 300, size: 'max' }), weight: 1 },
      ),
    })
    .map(({ rule, drafts }) =>
      stepOf(
        `append ${drafts.length > 4 ? drafts.length : JSON.stringify(drafts)} ${JSON.stringify(rule)}`,
        async (world) => {
          const added = await listsOf(world.backend).append(KEY, drafts, { rule });
          expect(added).toHaveLength(drafts.length);
          world.list = append(world.list, drafts, rule, await world.backend.now());
          world.rule = rule;
        },
      ),
    );

const step = (choice: readonly Rule[], minutes: readonly number[]): fc.Arbitrary<Step> =>
  fc.oneof(
    { arbitrary: appendStep(choice), weight: 8 },
    {
      arbitrary: fc.array(fc.nat(400), { minLength: 1, maxLength: 20 }).map((indices) =>
        stepOf(`remove ${indices.join()}`, async (world) => {
          const records = indices.flatMap((index) => world.list[index] ?? []);
          const rest = [...world.list];
          for (const record of records) {
            const index = rest.indexOf(record);
            if (index !== -1) rest.splice(index, 1);
          }
          const removed = await listsOf(world.backend).remove(KEY, [...records, 'none']);
          expect(removed).toBe(world.list.length - rest.length);
          world.list = rest;
        }),
      ),
      weight: 3,
    },
    {
      arbitrary: fc.constantFrom(...minutes).map((count) =>
        stepOf(`advance ${count} minutes`, async (world) => {
          world.backMs += Math.max(-count * MINUTE, 0);
          await world.advance(count * MINUTE);
        }),
      ),
      weight: 3,
    },
    {
      arbitrary: fc
        .record({
          kind: fc.constantFrom('LPUSH', 'RPUSH', 'LTRIM', 'LPOP', 'RPOP', 'LREM', 'PERSIST'),
          index: fc.nat(400),
        })
        .map(({ kind, index }) =>
          stepOf(`another program calls ${kind} ${index}`, async (world) => {
            const { raw } = world;
            const now = await world.backend.now();
            const record = `{ "time": ${now}, "content": "${index}" }`;
            if (kind === 'LPUSH') await raw.lPush(KEY, record);
            if (kind === 'RPUSH') await raw.rPush(KEY, `{"time":${now - 4 * HOUR},"text":"${index}"}`);
            if (kind === 'LTRIM') await raw.lTrim(KEY, 0, index);
            if (kind === 'LPOP') await raw.lPop(KEY);
            if (kind === 'RPOP') await raw.rPop(KEY);
            if (kind === 'LREM') await raw.lRem(KEY, 1, (await raw.lIndex(KEY, index)) ?? '');
            await raw.persist(KEY);
            world.list = (await raw.lRange(KEY, 0, -1)).filter((one) => !one.startsWith(NUMBERING));
            world.rule = undefined;
          }),
        ),
      weight: 1,
    },
  );

/** Follows the changes of a list, like an index. */
class Follower {
  epoch = '';
  after = 0;
  readonly records = new Map<number, string>();

  async follow({ backend, raw }: World, limit: number): Promise<void> {
    for (;;) {
      const page = await backend.changes(KEY, { epoch: this.epoch, after: this.after, limit });
      if (page.epoch !== this.epoch) {
        this.records.clear();
        this.after = 0;
      }
      this.epoch = page.epoch;
      assert.ok(page.count >= page.records.length);
      for (const { sequence, record } of page.records) {
        assert.ok(sequence > this.after && sequence <= page.sequence);
        this.records.set(sequence, record);
        this.after = sequence;
      }
      if (page.records.length < limit) break;
    }
    // The text of a sequence never changes.
    const known = [...this.records.keys()];
    const fetched = await backend.fetch(KEY, this.epoch, known);
    for (const [index, sequence] of known.entries()) {
      assert.ok([this.records.get(sequence), undefined].includes(fetched[index]));
      if (fetched[index] === undefined) this.records.delete(sequence);
    }
    const { epoch, sequences } = await backend.sequences(KEY);
    assert.deepEqual([epoch, sequences], [this.epoch, [...this.records.keys()].toSorted((a, b) => a - b)]);
    const present = (await raw.lRange(KEY, 0, -1)).filter((one, index, all) =>
      index === all.length - 1 ? !one.startsWith(NUMBERING) : true,
    );
    assert.deepEqual([...this.records.values()].toSorted(), present.toSorted());
  }
}

async function check(world: World, choice: readonly Rule[]): Promise<void> {
  const { backend, raw, list } = world;
  const now = await backend.now();
  for (const rule of [forever, ...choice]) {
    const live = list.filter((record) => endOf(record, rule) > now);
    const isLast = rule === world.rule || world.rule === undefined;
    // A store may keep what has expired by the rule of the last write until a later write.
    if (isLast || rule !== forever) expect(await listsOf(backend).list(KEY)).toEqual(live);
    if (isLast) expect(await listsOf(backend).list(KEY, { limit: 3 })).toEqual(live.slice(0, 3));
  }
  const { rule } = world;
  const live = list.filter((record) => endOf(record, rule ?? forever) > now);
  if (rule === undefined || live.length === 0) return;
  const left = await raw.pTTL(KEY);
  const last = Math.max(...live.flatMap((record) => (lifeOf(record) ? [endOf(record, rule)] : [])));
  if (last === Infinity) expect(left).toBe(-1);
  else if (last > 0) {
    // After a step back of the clock and a longer rule, the key may end when its newest record does.
    expect(left).toBeGreaterThan(last - now - 10_000 - world.backMs);
    expect(left).toBeLessThanOrEqual(Math.max(rule.lifetimeMs, rule.temporaryLifetimeMs) + 5 * HOUR);
  }
}

async function runSteps(steps: readonly Step[], choice: readonly Rule[]): Promise<void> {
  const kind = backendKinds.find(({ name }) => name === 'redis');
  if (kind === undefined) throw new Error('no Redis');
  const { backend, advance } = await kind.open();
  const raw = await rawClient();
  const world: World = { backend, advance, raw, list: [], rule: undefined, backMs: 0 };
  const followers = [new Follower(), new Follower()] as const;
  try {
    for (const [index, { name, run }] of steps.entries()) {
      const description = `step ${index}: ${name}`;
      try {
        await run(world);
        // What expired with the whole key is gone.
        if ((await raw.exists(KEY)) === 0) world.list = world.list.filter(() => false);
        await check(world, choice);
        await followers[0].follow(world, 100);
        if (index % 3 === 2) await followers[1].follow(world, 1000);
      } catch (error) {
        throw new Error(description, { cause: error });
      }
    }
  } finally {
    await backend.close();
    raw.destroy();
  }
}

const seed = process.env['CAIRN_SEED'] === undefined ? {} : { seed: Number(process.env['CAIRN_SEED']) };

describe.skipIf(!hasRedis)('random calls on a list', () => {
  useBackends();

  test('with one lifetime, while the clock goes forward and back', async () => {
    const minutes = [0, 1, 10, 59, -1, -45];
    await fc.assert(
      fc.asyncProperty(fc.array(step(rules, minutes), { minLength: 5, maxLength: 25 }), (steps) =>
        runSteps(steps, rules),
      ),
      { numRuns: RUNS, endOnFailure: process.env['CAIRN_SHRINK'] === undefined, ...seed },
    );
  }, 600_000);

  test('of notes, while the clock goes forward and back', async () => {
    const minutes = [0, 1, 10, 59, -1, -45];
    await fc.assert(
      fc.asyncProperty(fc.array(step(mixed, minutes), { minLength: 5, maxLength: 25 }), (steps) =>
        runSteps(steps, mixed),
      ),
      { numRuns: RUNS, endOnFailure: process.env['CAIRN_SHRINK'] === undefined, ...seed },
    );
  }, 600_000);
});
