import { createMemory } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { expect, test } from 'vitest';
import { openLocalStore } from '../stores/local-store.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { openHotAssets } from './hot-assets.ts';
import type { HotAssets } from './hot-assets.ts';
import { openUsage } from './usage.ts';
import type { Usage } from './usage.ts';

interface Bench {
  readonly store: LocalStore;
  readonly usage: Usage;
  readonly hot: HotAssets;
  /** The calls of the store since the last time, in their order, without those of the usage. */
  readonly calls: () => string[];
}

function createBench(): Bench {
  const backend = memory();
  const calls: string[] = [];
  const counted: MemoryBackend = {
    ...backend,
    page: async (key, ...rest) => {
      const page = await backend.page(key, ...rest);
      if (!key.includes('usage')) calls.push(`page: ${page.rows.length} rows`);
      return page;
    },
    rows: async (key, ids, ...rest) => {
      calls.push(`rows: ${ids.join(' ')}`);
      return backend.rows(key, ids, ...rest);
    },
  };
  const store = openLocalStore({ backend: counted });
  const usage = openUsage({ open: async () => createMemory({ backend: counted }) });
  const hot = openHotAssets(store, usage);
  return { store, usage, hot, calls: () => calls.splice(0) };
}

async function add(store: LocalStore, name: string, body: string = `The body of ${name}.`): Promise<void> {
  await store.add({ name, productLine: 'a', type: 'reference', title: name, body });
}

const CHECK = 'page: 0 rows';

test('a hot asset is read without its body, after one check of the revision', async () => {
  const { store, usage, hot, calls } = createBench();
  for (const name of ['one', 'two', 'three']) await add(store, name);
  for (const session of ['x', 'y']) usage.recordOpened({ asset: 'a/two', session });
  await usage.flush();
  await hot.preload();
  calls();
  expect((await hot.get('a/two'))?.body).toContain('The body of two.');
  expect(calls()).toEqual([CHECK]);
  await hot.get('a/one');
  expect(calls()).toEqual([CHECK, 'rows: a/one']);
  await hot.get('A/One');
  expect(calls()).toEqual([CHECK]);
});

test('a change is seen at once, also one by another process', async () => {
  const { store, hot } = createBench();
  const other = openLocalStore({ backend: store.backend });
  await add(store, 'one');
  await hot.get('a/one');
  await other.change('a/one', { body: 'Another body.\n' });
  expect((await hot.get('a/one'))?.body).toBe('Another body.\n');
  await other.remove('a/one');
  expect(await hot.get('a/one')).toBeUndefined();
  await add(store, 'one');
  expect((await hot.get('a/one'))?.body).toContain('The body of one.');
});

test('a change during the read is seen by the next one', async () => {
  const { store, usage } = createBench();
  await add(store, 'one');
  const slow: LocalStore = {
    ...store,
    get: async (id) => {
      const asset = await store.get(id);
      await store.change(id, { body: 'Changed meanwhile.\n' });
      return asset;
    },
  };
  const hot = openHotAssets(slow, usage);
  expect((await hot.get('a/one'))?.body).toContain('The body of one.');
  expect((await openHotAssets(store, usage).get('a/one'))?.body).toBe('Changed meanwhile.\n');
  expect((await hot.get('a/one'))?.body).toBe('Changed meanwhile.\n');
});

test('at most 32 assets are kept, and none that is large', async () => {
  const { store, hot, calls } = createBench();
  for (let number = 0; number < 33; number++) await add(store, `n${number}`);
  await add(store, 'large', 'x'.repeat(128 * 1024));
  for (let number = 0; number < 33; number++) await hot.get(`a/n${number}`);
  calls();
  await hot.get('a/n1');
  expect(calls()).toEqual([CHECK]);
  await hot.get('a/n0');
  expect(calls()).toEqual([CHECK, 'rows: a/n0']);
  await hot.get('a/large');
  calls();
  await hot.get('a/large');
  expect(calls()).toEqual([CHECK, 'rows: a/large']);
});

test('an asset that was opened and is gone is not preloaded', async () => {
  const { usage, hot } = createBench();
  usage.recordOpened({ asset: 'a/gone', session: 'x' });
  await usage.flush();
  await hot.preload();
  expect(await hot.get('a/gone')).toBeUndefined();
});
