import { memory } from '@cairn/memory/memory';
import { expect, test } from 'vitest';
import { openLocalStore } from './local.ts';

test('an asset is added, changed, renamed and removed', async () => {
  const store = openLocalStore({ backend: memory(), clock: () => 1000 });
  const draft = {
    name: 'redis',
    productLine: 'exchange/infra',
    type: 'pitfall',
    title: 'Redis',
    body: 'Use it.',
  } as const;
  const added = await store.add(draft);
  expect(added.text).toBe(
    '---\nname: redis\ntype: pitfall\nproduct_line: exchange/infra\ntitle: Redis\n---\n\nUse it.\n',
  );
  const changed = await store.change('exchange/infra/redis', { fields: { tags: ['a', 'b'], type: 'adr' } });
  expect(changed.text).toContain('tags: [a, b]');
  const renamed = await store.change(changed.id, { fields: { name: 'valkey' } });
  expect(await store.get('exchange/infra/redis')).toBeUndefined();
  expect(await store.get('Exchange/infra/VALKEY')).toEqual(renamed);
  const first = await store.changes();
  expect(first.changed.map(({ asset }) => asset.id)).toEqual(['exchange/infra/valkey']);
  const known = {
    ...first,
    sequences: new Map(first.changed.map(({ asset, sequence }) => [asset.id, sequence])),
  };
  expect(await store.remove(renamed.id)).toEqual({ erasure: 'done' });
  await store.add({ ...draft, body: 'other' });
  const second = await store.changes(known);
  expect(second.changed.map(({ asset }) => asset.id)).toEqual(['exchange/infra/redis']);
  expect(second.isContinued && !second.removed.includes('exchange/infra/valkey')).toBe(false);
});
