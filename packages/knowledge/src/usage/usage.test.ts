import { createMemory } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import type { MemoryBackend } from '@cairn/memory';
import { expect, test } from 'vitest';
import { openUsage } from './usage.ts';
import type { Usage } from './usage.ts';

function open(backend: MemoryBackend = memory(), learn?: boolean): Usage {
  return openUsage({ open: async () => createMemory({ backend }), learn });
}

const results = [
  { id: 'a/one', name: 'one', score: 0.6 },
  { id: 'a/two', name: 'two', score: 0.5 },
];

async function order(usage: Usage): Promise<string[]> {
  return (await usage.ranking()).rerank('disk full', results).map(({ name }) => name);
}

function openTwo(usage: Usage, sessions: number = 5): void {
  for (let session = 0; session < sessions; session++) {
    usage.recordOpened({ asset: 'a/two', session: `${session}`, query: 'disk full' });
  }
}

test('what is recorded is used at once, also by another process', async () => {
  const backend = memory();
  const [writer, reader] = [open(backend), open(backend)];
  expect(await order(reader)).toEqual(['one', 'two']);
  openTwo(writer);
  await writer.flush();
  expect([await order(writer), await order(reader)]).toEqual([
    ['two', 'one'],
    ['two', 'one'],
  ]);
});

test('an asset counts as opened once for each session', async () => {
  const usage = open();
  usage.recordOpened({ asset: 'a/one', session: 's' });
  usage.recordOpened({ asset: 'a/one', session: 's', query: 'again' });
  usage.recordOpened({ asset: 'a/one', session: 't' });
  usage.recordOpened({ asset: 'a/two', session: 't' });
  await usage.flush();
  expect([...(await usage.opened())]).toEqual([
    ['a/one', 2],
    ['a/two', 1],
  ]);
});

test('the events are the newest 2,000', async () => {
  const usage = open();
  for (let event = 0; event < 2100; event++) usage.recordOpened({ asset: `a/${event}`, session: 's' });
  await usage.flush();
  const events = await usage.events();
  expect([events.length, events[0]?.asset, events.at(-1)?.asset]).toEqual([2000, 'a/100', 'a/2099']);
  usage.recordOpened({ asset: 'a/last', session: 's' });
  await usage.flush();
  expect((await usage.events()).length).toBe(2000);
  expect((await usage.opened()).has('a/100')).toBe(false);
});

test('learning that is switched off records nothing, and uses nothing that is there', async () => {
  const backend = memory();
  const [on, off] = [open(backend), open(backend, false)];
  openTwo(on);
  openTwo(off);
  await Promise.all([on.flush(), off.flush()]);
  expect(await on.events()).toHaveLength(5);
  expect([await order(off), await off.opened(), await off.events(), off.isOn]).toEqual([
    ['one', 'two'],
    new Map(),
    [],
    false,
  ]);
});

test('the export and the statistics of the memory include the events, and its forget removes them', async () => {
  const backend = memory();
  const store = createMemory({ backend });
  const usage = openUsage({ open: async () => store });
  openTwo(usage, 1);
  await usage.flush();
  const lines: string[] = [];
  for await (const line of store.export()) lines.push(line);
  expect(lines.filter((line) => line.includes('disk full'))).toHaveLength(1);
  expect((await store.stats()).namespaces).toMatchObject([{ name: 'knowledge' }]);
  await store.forget({ namespace: 'knowledge' });
  expect(await usage.events()).toEqual([]);
});

test('the events of one asset can be removed', async () => {
  const usage = open();
  openTwo(usage, 2);
  usage.recordOpened({ asset: 'a/one', session: 's' });
  expect(await usage.forget('a/Two')).toBe(2);
  expect(await usage.forget('a/two')).toBe(0);
  expect((await usage.events()).map(({ asset }) => asset)).toEqual(['a/one']);
});

test('a query with a secret is not stored, and a long one is cut', async () => {
  const usage = open();
  usage.recordOpened({
    asset: 'a/one',
    session: 's',
    query: 'why is ghp_16C7e42F292c6912E7710c838347Ae178B4a rejected',
  });
  usage.recordOpened({ asset: 'a/one', session: 's', query: `  long\n ${'text '.repeat(500)}` });
  await usage.flush();
  const queries = (await usage.events()).map(({ query }) => query);
  expect(queries[0]).toBeUndefined();
  expect(queries[1]).toHaveLength(300);
  expect(queries[1]).toMatch(/^long text text/u);
});

test('a store that fails costs the event, and the reader does not notice', async () => {
  const backend: MemoryBackend = { ...memory(), change: () => Promise.reject(new Error('disk full')) };
  const usage = openUsage({ open: async () => createMemory({ backend }) });
  openTwo(usage, 1);
  await usage.flush();
  expect(await usage.events()).toEqual([]);
});

test('records of another form are left out', async () => {
  const store = createMemory({ backend: memory() });
  await store.namespace('knowledge').append('usage', [{ asset: 1 }, { other: true }]);
  expect(await openUsage({ open: async () => store }).events()).toEqual([]);
});
