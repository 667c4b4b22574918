import { memory } from '@cairn/memory/memory';
import { expect, test } from 'vitest';
import { openGaps } from '../gaps/gaps.ts';
import { openLocalStore } from '../stores/local-store.ts';
import { createGapSettler } from './settle-gaps.ts';

function open() {
  const backend = memory();
  const store = openLocalStore({ backend });
  const gaps = openGaps({ backend, language: 'en' });
  /** Answers with the titles of active assets. */
  const isAnswered = async (query: string): Promise<boolean> =>
    (await store.changes()).changed.some(({ asset }) => asset.status === 'active' && asset.title.includes(query));
  const settler = createGapSettler(gaps, { store, layers: { isAnswered } });
  const add = (name: string, title: string): Promise<unknown> =>
    store.add({ name, title, type: 'reference', body: `Text of ${name}.` });
  const queries = async (): Promise<string[]> => (await gaps.list()).map(({ query }) => query).toSorted();
  return { backend, store, gaps, settler, add, queries };
}

test('an asset that answers a question closes its gap', async () => {
  const { gaps, settler, add, queries } = open();
  for (const query of ['rotate keys', 'flush caches']) await gaps.record(query);
  await add('logs', 'How to rotate logs');
  await settler.flush();
  expect(await queries()).toEqual(['flush caches', 'rotate keys']);
  await add('keys', 'How to rotate keys');
  await settler.flush();
  expect(await queries()).toEqual(['flush caches']);
});

test('a change of an asset closes a gap too, and a deprecated asset does not', async () => {
  const { gaps, store, settler, add, queries } = open();
  await gaps.record('rotate keys');
  await add('keys', 'Keys');
  await store.change('general/keys', { fields: { title: 'rotate keys', status: 'deprecated' } });
  await settler.flush();
  expect(await queries()).toEqual(['rotate keys']);
  await store.change('general/keys', { fields: { status: 'active' } });
  await settler.flush();
  expect(await queries()).toEqual([]);
});

test('closing waits for the changes before it, and changes after it are not settled', async () => {
  const { gaps, settler, add, queries } = open();
  await gaps.record('rotate keys');
  await Promise.all(Array.from({ length: 120 }, (_, index) => add(`a${index}`, `rotate keys ${index}`)));
  await settler.close();
  expect(await queries()).toEqual([]);
  await gaps.record('rotate keys');
  await add('b', 'rotate keys');
  await settler.flush();
  expect(await queries()).toEqual(['rotate keys']);
});

test('after a store could not be read, the next change closes the gap', async () => {
  const { backend, gaps, settler, add, queries } = open();
  await gaps.record('rotate keys');
  const { page } = backend;
  Object.assign(backend, {
    page: async (...args: Parameters<typeof page>) => {
      if (args[0] === 'ai:knowledge:gaps') throw new Error('disk');
      return page(...args);
    },
  });
  await add('keys', 'rotate keys');
  await settler.flush();
  Object.assign(backend, { page });
  expect(await queries()).toEqual(['rotate keys']);
  await add('more-keys', 'rotate keys again');
  await settler.flush();
  expect(await queries()).toEqual([]);
});
