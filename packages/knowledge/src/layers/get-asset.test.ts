import { memory } from '@cairn/memory/memory';
import { expect, test } from 'vitest';
import type { AssetHead } from '../assets/asset.ts';
import { foldName } from '../assets/names.ts';
import { openLocalStore } from '../stores/local-store.ts';
import type { AssetDraft } from '../stores/draft.ts';
import { headOf } from '../stores/record.ts';
import { getAsset } from './get-asset.ts';
import type { FoundAsset, GetAssetDependencies, GetAssetOptions } from './get-asset.ts';

const drafts: readonly AssetDraft[] = [
  {
    name: 'redis-sentinel-setup',
    productLine: 'exchange/infra',
    type: 'reference',
    title: 'Redis Sentinel 高可用配置',
    body: 'One. [[limits]] [[general/limits]] [[gone]]',
  },
  { name: 'limits', productLine: 'exchange/infra', type: 'reference', title: 'Limits', body: 'Two.' },
  {
    name: 'limits',
    productLine: 'general',
    type: 'reference',
    title: 'Limits of all',
    body: 'Three. [[redis-sentinel-setup]]',
  },
  { name: 'flow', productLine: 'general', type: 'skill', title: 'Flow', body: 'Four. [[limits]]' },
  { name: 'old', productLine: 'web', type: 'adr', title: 'Old', body: 'Five. [[limits]]', status: 'deprecated' },
];

/** Reads an asset. `compared`: how often all assets were compared. */
async function get(options: GetAssetOptions): Promise<FoundAsset & { readonly compared: number }> {
  const store = openLocalStore({ backend: memory() });
  const all: AssetHead[] = [];
  const refresh = async (): Promise<{ changed: number }> => {
    const { changed } = await store.changes();
    all.splice(0, all.length, ...changed.map(({ asset }) => headOf(asset)));
    return { changed: changed.length };
  };
  for (const one of drafts) await store.add(one);
  let compared = 0;
  const index: GetAssetDependencies['index'] = {
    refresh,
    heads: () => {
      compared += 1;
      return all;
    },
    head: (id) => all.find((one) => one.id === id),
    named: (name) => all.filter((one) => [one.name, one.id].some((own) => foldName(own) === foldName(name))),
  };
  return { ...(await getAsset({ index, read: store.get }, options)), compared };
}

test.each([
  ['redis-sentinel-setup', undefined],
  ['redis-sentinel-setup', 'exchange/infra'],
  ['exchange/infra/redis-sentinel-setup', undefined],
  ['exchange/infra/redis-sentinel-setup', 'exchange/infra'],
  ['[[redis-sentinel-setup]]', undefined],
  [' Redis-Sentinel-Setup ', ' exchange/infra/ '],
])('reads %s of the product line %s', async (name, productLine) => {
  const { asset, compared } = await get({ name, productLine });
  expect(asset.id).toBe('exchange/infra/redis-sentinel-setup');
  expect(compared).toBe(0);
  expect(asset.text).toMatch(/^---\n[\s\S]*\n---\n\nOne\. /u);
});

test('gives the links, each with the asset that it names', async () => {
  const { links } = await get({ name: 'redis-sentinel-setup' });
  expect(links).toEqual([
    // Of two with this name, the one of the same product line.
    { name: 'limits', assets: ['exchange/infra/limits'] },
    { name: 'general/limits', assets: ['general/limits'] },
    { name: 'gone', assets: [] },
  ]);
  expect((await get({ name: 'old' })).links[0]?.assets.toSorted()).toEqual(['exchange/infra/limits', 'general/limits']);
});

test('a name in two product lines names two assets, and the product line chooses', async () => {
  await expect(get({ name: 'limits' })).rejects.toMatchObject({
    code: 'AMBIGUOUS_ASSET',
    assets: ['exchange/infra/limits', 'general/limits'],
    hint: 'Pass one as product_line: exchange/infra, general.',
  });
  expect((await get({ name: 'limits', productLine: 'general' })).asset.title).toBe('Limits of all');
});

test('reads what the index does not list', async () => {
  expect((await get({ name: 'flow' })).asset.type).toBe('skill');
  expect((await get({ name: 'old' })).asset.status).toBe('deprecated');
});

test.each([
  ['redis-sentinel', undefined, ['exchange/infra/redis-sentinel-setup']],
  ['redis_sentinel_setup', undefined, ['exchange/infra/redis-sentinel-setup']],
  ['Redis Sentinel 高可用', undefined, ['exchange/infra/redis-sentinel-setup']],
  ['redis-sentinel-setup', 'exchange/core', ['exchange/infra/redis-sentinel-setup']],
  ['exchange/core/redis-sentinel-setup', undefined, ['exchange/infra/redis-sentinel-setup']],
  ['exchange/infra/redis-sentinel-setup', 'general', ['exchange/infra/redis-sentinel-setup']],
  ['../../x', undefined, []],
  ['$(rm -rf ~)', undefined, []],
  ['zzz', undefined, []],
])('the unknown name %s of the product line %s has the near names %j', async (name, productLine, assets) => {
  await expect(get({ name, productLine })).rejects.toMatchObject({ code: 'UNKNOWN_ASSET', assets });
});

test.each([[''], ['  '], [7]])('rejects the name %j', async (name) => {
  await expect(get({ name: name as string })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});
