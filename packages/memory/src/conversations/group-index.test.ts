import { createTermIndex, deserializeTermIndex } from '@cairn/retrieval';
import { describe, expect, test } from 'vitest';
import { memory } from '../backends/memory.ts';
import { MemoryError } from '../errors.ts';
import type { MemoryBackend } from '../records/backend.ts';
import { limitsOf } from '../records/limits.ts';
import { createGroupIndexes } from './group-index.ts';

const KEY = 'ai:memory:chat:g';
const SEGMENT = 'ai:terms:chat:g:0';
const sizes = { segment: 4, minGroup: 6 };
const words = ['table', 'redis', 'cluster', 'deploy', 'timeout', 'cache', 'user', 'graph', 'weather', 'config'];

/** A store whose clock stands before the times of all documents. */
function openStore(): MemoryBackend {
  return memory({ clock: () => 0 });
}

type Documents = Map<string, { readonly content: string; readonly time: number }>;

/** Documents with one word each, newest first, as a group is read. */
function documentsOf(...contents: readonly string[]): Documents {
  return new Map(contents.map((content, index) => [`m ${content}`, { content, time: contents.length - index }]));
}

/** Searches like a new process: with the segments of the store and no index. */
function find(backend: MemoryBackend, documents: Documents, query: string): Promise<string[]> {
  const indexes = createGroupIndexes({ backend, limits: limitsOf() }, sizes);
  return indexes.rank(KEY, documents, { query, limit: 3 }).then((ranked) => ranked.map(({ id }) => id));
}

async function segmentsOf(backend: MemoryBackend): Promise<string[]> {
  return (await backend.keys('ai:terms:')).map(({ key }) => key).toSorted();
}

async function replace(backend: MemoryBackend, next: string | undefined): Promise<void> {
  expect(await backend.swap(SEGMENT, { expected: await backend.read(SEGMENT), next, ttlMs: Infinity })).toBe(true);
}

describe('the stored index of a group', () => {
  test('is not written for a small group', async () => {
    const backend = openStore();
    expect(await find(backend, documentsOf(...words.slice(0, 5)), 'redis')).toEqual(['m redis']);
    expect(await segmentsOf(backend)).toEqual([]);
  });

  test('has full segments only, and is completed with the messages that are in none', async () => {
    const backend = openStore();
    expect(await find(backend, documentsOf(...words), 'redis')).toEqual(['m redis']);
    expect(await segmentsOf(backend)).toEqual([SEGMENT, 'ai:terms:chat:g:1']);
    expect(await find(backend, documentsOf('later', ...words), 'later')).toEqual(['m later']);
    expect(await segmentsOf(backend)).toHaveLength(2);
  });

  test('is used instead of the texts', async () => {
    const backend = openStore();
    await find(backend, documentsOf(...words), 'redis');
    const index = createTermIndex();
    index.add({ id: 'm redis', text: 'zebra', timeMs: 0 });
    await replace(backend, index.serialize(0));
    expect(await find(backend, documentsOf(...words), 'zebra')).toEqual(['m redis']);
  });

  test.each([
    ['damaged', 'nonsense'],
    ['of another version', createTermIndex().serialize(0).replace('"version":1', '"version":99')],
    ['removed', undefined],
  ])('gives the same answers when it is %s, and is written again', async (_, text) => {
    const backend = openStore();
    const documents = documentsOf(...words);
    await find(backend, documents, 'redis');
    await replace(backend, text);
    expect(await find(backend, documents, 'redis table')).toEqual(['m table', 'm redis']);
    expect(deserializeTermIndex((await backend.read(SEGMENT)) ?? '')).toMatchObject({
      sequence: 10,
      index: { size: 4 },
    });
  });

  test('is not trusted about messages that are gone', async () => {
    const backend = openStore();
    await find(backend, documentsOf(...words), 'redis');
    expect(await find(backend, documentsOf(...words.slice(2)), 'redis')).toEqual([]);
  });

  test('is written again when most of its messages are gone', async () => {
    const backend = openStore();
    await find(backend, documentsOf(...words), 'redis');
    const later = ['eagle', 'falcon', 'heron', 'owl', 'raven', 'swan'];
    expect(await find(backend, documentsOf(...later, ...words.slice(0, 2)), 'owl')).toEqual(['m owl']);
    expect(await segmentsOf(backend)).toEqual([SEGMENT]);
    const { index } = deserializeTermIndex((await backend.read(SEGMENT)) ?? '');
    expect([...index.ids()].toSorted()).toEqual(['m eagle', 'm falcon', 'm heron', 'm owl']);
  });

  test('starts again after another process removed it', async () => {
    const backend = openStore();
    const indexes = createGroupIndexes({ backend, limits: limitsOf() }, sizes);
    await indexes.rank(KEY, documentsOf(...words), { query: 'redis', limit: 1 });
    for (const key of await segmentsOf(backend)) {
      await backend.swap(key, { expected: await backend.read(key), next: undefined, ttlMs: Infinity });
    }
    const later = documentsOf('eagle', 'falcon', 'heron', 'owl', ...words);
    await indexes.rank(KEY, later, { query: 'redis', limit: 1 });
    expect(await segmentsOf(backend)).toEqual([SEGMENT]);
  });

  test('expires with its newest message, also when it is written long after it', async () => {
    const { lifetimeMs } = limitsOf().messages;
    let nowMs = lifetimeMs / 2;
    const backend = memory({ clock: () => nowMs });
    await find(backend, documentsOf(...words), 'redis');
    nowMs = lifetimeMs;
    expect(await segmentsOf(backend)).toEqual([SEGMENT, 'ai:terms:chat:g:1']);
    nowMs = lifetimeMs + words.length;
    expect(await segmentsOf(backend)).toEqual([]);
  });

  test('has no words of notes, which expire earlier than messages', async () => {
    const backend = openStore();
    const note = ['n secret', { content: 'secret', time: 5, source: 'agent' }] as const;
    const documents = new Map([note, ...documentsOf(...words)]);
    expect(await find(backend, documents, 'secret')).toEqual(['n secret']);
    const texts = await Promise.all((await segmentsOf(backend)).map((key) => backend.read(key)));
    expect(texts).toHaveLength(2);
    expect(texts.join()).not.toContain('secret');
  });

  test.each(['read', 'swap'] as const)('is optional: a store that refuses to %s it is searched too', async (call) => {
    const refuse = async (): Promise<never> => {
      throw new MemoryError('STORE_DENIED', ['The store refused', 'Try another one.']);
    };
    const backend = { ...openStore(), [call]: refuse };
    expect(await find(backend, documentsOf(...words), 'redis')).toEqual(['m redis']);
    expect(await segmentsOf(backend)).toEqual([]);
  });
});
