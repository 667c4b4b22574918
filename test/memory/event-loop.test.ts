/** Long calls let other work run. The turns of the event loop are counted, because times differ between computers. */
import { setImmediate } from 'node:timers';
import { createMemory } from '@cairn/memory';
import { listsOf } from '@cairn/memory/testing';
import type { Memory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newDirectory, temporaryDirectory } from '../support/tree.ts';
import { filesWith } from './sqlite-files.ts';
import { draft, forever as rule } from './records.ts';

const PLACE = { stream: 'chat', group: 'daily' };
const COUNT = 40_000;
const KEPT = { maxMessages: Infinity, messageLifetimeMs: Infinity };
let path = '';
let exported: readonly string[] = [];

/** Returns the number of times that other work ran while a task ran. */
async function turnsOf(task: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await task();
  isDone = true;
  return turns;
}

function open(file: string): Memory {
  const memory = createMemory({ backend: sqlite({ path: file }), retention: KEPT });
  onTestFinished(() => memory.close());
  return memory;
}

beforeAll(async () => {
  path = `${newDirectory()}/memory.db`;
  await using memory = createMemory({ backend: sqlite({ path }), retention: KEPT });
  await memory.messages.addAll(
    PLACE,
    Array.from({ length: COUNT }, (_, index) => ({ content: `message ${index}` })),
  );
  exported = await Array.fromAsync(memory.export());
});

test.each([
  ['listing messages', (memory: Memory) => memory.messages.history(PLACE)],
  ['finding a message', (memory: Memory) => memory.messages.get(PLACE, 'missing')],
  ['an export', (memory: Memory) => Array.fromAsync(memory.export())],
  ['a list of unreadable records', (memory: Memory) => memory.unreadable()],
  ['an import that changes nothing', (memory: Memory) => memory.import(exported)],
])('%s lets other work run', async (_, task) => {
  const memory = open(path);
  await memory.stats();
  expect(await turnsOf(() => task(memory))).toBeGreaterThan(COUNT / 1000);
});

test('an import writes in many turns', async () => {
  const memory = open(`${temporaryDirectory()}/memory.db`);
  const lines = exported.slice(0, 4001);
  expect(await turnsOf(() => memory.import(lines))).toBeGreaterThan(20);
  expect(await memory.messages.history(PLACE)).toHaveLength(4000);
});

test('a long list is removed in many turns, and no process sees a part of it', async () => {
  const file = `${temporaryDirectory()}/memory.db`;
  const { backend } = open(file);
  const drafts = Array.from({ length: 10_000 }, (_, index) => draft(`REMOVED ${index}`));
  await listsOf(backend).append('ai:list', drafts, { rule });
  const database = new DatabaseSync(file, { readOnly: true });
  const seen: unknown[] = [];
  let isDone = false;
  const watch = (): void => {
    if (isDone) return;
    seen.push(database.prepare('SELECT sum(records) AS records FROM keys WHERE is_dropped = 0').get()?.['records']);
    setImmediate(watch);
  };
  watch();
  expect(await turnsOf(() => listsOf(backend).remove('ai:list', 'all'))).toBeGreaterThanOrEqual(4);
  isDone = true;
  expect(new Set(seen)).toEqual(new Set([10_000, null]));
  expect(database.prepare('SELECT count(*) AS count FROM entries').get()?.['count']).toBe(0);
  database.close();
  expect(await backend.erase()).toBe('done');
  expect(filesWith(file, 'REMOVED')).toEqual([]);
});

test('what a killed process left of a long list is removed by writes, or erased', async () => {
  const file = `${temporaryDirectory()}/memory.db`;
  const { backend } = open(file);
  const drafts = Array.from({ length: 10_000 }, (_, index) => draft(`REMOVED ${index}`));
  await listsOf(backend).append('ai:list', drafts, { rule });
  const database = new DatabaseSync(file);
  // As the first step of a removal leaves it.
  database.exec("UPDATE keys SET key = 'dropped x', is_dropped = 1");
  expect(await backend.keys('')).toEqual([]);
  await listsOf(backend).append('ai:list', [draft('kept')], { rule });
  const count = (): unknown => database.prepare('SELECT count(*) AS count FROM entries').get()?.['count'];
  expect(count()).toBe(10_001 - 2048);
  expect(await backend.erase()).toBe('done');
  expect(count()).toBe(1);
  database.close();
  expect(filesWith(file, 'REMOVED')).toEqual([]);
  expect(await listsOf(backend).list('ai:list')).toHaveLength(1);
});

test('an expired long list is removed in steps', async () => {
  const file = `${temporaryDirectory()}/memory.db`;
  let nowMs = 1_703_123_456_000;
  const backend = sqlite({ path: file, clock: () => nowMs });
  onTestFinished(() => backend.close());
  const short = { ...rule, lifetimeMs: 1000, temporaryLifetimeMs: 1000 };
  await listsOf(backend).append(
    'ai:list',
    Array.from({ length: 10_000 }, (_, index) => draft(`text ${index}`)),
    { rule: short },
  );
  nowMs += 2000;
  const counts: unknown[] = [];
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  for (let write = 0; write < 7; write++) {
    await listsOf(backend).swap(`ai:${write}`, { expected: undefined, next: 'x', ttlMs: 1e9 });
    counts.push(database.prepare('SELECT count(*) AS count FROM entries').get()?.['count']);
  }
  // The first write also adds a row.
  expect(counts).toEqual([7953, 5906, 3859, 1812, 5, 6, 7]);
});
