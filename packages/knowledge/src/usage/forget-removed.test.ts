import { memory } from '@cairn/memory/memory';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKnowledge } from '../create-knowledge.ts';

test('the events of an asset that is removed or renamed are removed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-forget-removed-'));
  // It outlives the knowledge, which closes its store.
  const backend = { ...memory(), close: () => Promise.resolve() };
  const open = () => createKnowledge({ directory, backend, env: {} });
  const knowledge = open();
  for (const name of ['one', 'two', 'three']) {
    await knowledge.store.add({ name, type: 'reference', title: name, body: `The body of ${name}.` });
    knowledge.usage.recordOpened({ asset: `general/${name}`, session: 's', query: `where is ${name}` });
  }
  await knowledge.usage.flush();
  await knowledge.store.remove('general/one');
  await knowledge.store.change('general/two', { fields: { name: 'second' } });
  await knowledge.store.change('general/three', { fields: { title: 'Third' } });
  await knowledge.close();
  const after = open();
  expect((await after.usage.events()).map(({ asset }) => asset)).toEqual(['general/three']);
  await after.close();
});
