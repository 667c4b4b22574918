import type { MemoryBackend } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { expect, test } from 'vitest';
import { openLocalStore } from './local-store.ts';

test('an asset that is removed while the others are read is not known for long', async () => {
  const base = memory();
  const writer = openLocalStore({ backend: base });
  for (let index = 0; index < 300; index++) {
    await writer.add({ name: `n${index}`, type: 'adr', title: 'T', body: `body ${index}` });
  }
  let isFirst = true;
  const backend: MemoryBackend = {
    ...base,
    page: async (...call) => {
      const page = await base.page(...call);
      if (isFirst) await writer.remove('general/n0');
      isFirst = false;
      return page;
    },
  };
  const reader = openLocalStore({ backend });
  const first = await reader.changes();
  const sequences = new Map(first.changed.map(({ asset, sequence }) => [asset.id, sequence]));
  expect(sequences.has('general/n0')).toBe(true);
  const next = await reader.changes({ ...first, sequences });
  expect(next).toMatchObject({ isContinued: false, count: 299 });
  expect(next.changed).toHaveLength(299);
});
