import { memory } from '@cairn/memory/memory';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openIndex } from '../index/knowledge-index.ts';
import type { AssetDraft } from '../stores/draft.ts';
import { openLocalStore } from '../stores/local-store.ts';
import { search } from './search.ts';
import type { SearchAnswer, SearchOptions } from './search.ts';

const directory = mkdtempSync(join(tmpdir(), 'cairn-search-'));
afterAll(() => rmSync(directory, { recursive: true }));

const filler = '这里什么都不说。'.repeat(20);

function draft(name: string, title: string, body: string, rest: Partial<AssetDraft> = {}): AssetDraft {
  return { name, title, body, type: 'reference', productLine: 'exchange/infra', ...rest };
}

const drafts: readonly AssetDraft[] = [
  draft('rabbitmq-retry-strategy', 'RabbitMQ 重试策略', `${filler}消息队列失败重试的核心是指数退避。${filler}`, {
    tags: ['rabbitmq', 'retry'],
    type: 'best-practice',
  }),
  draft('kafka-consumer-config', 'Kafka 消费者配置', `${filler}消费者组与位点提交，失败后不重试。${filler}`),
  draft(
    'redis-cluster-failover',
    'Redis 集群故障转移指南',
    'Failover of a cluster takes fifteen seconds: the AND of all nodes. 锁',
  ),
  draft('redis-key-naming', 'Naming of keys', `Use colons. ${'redis-cluster '.repeat(30)}`, { productLine: 'general' }),
  draft('old-lock', '旧的分布式锁', '用 SETNX 实现分布式锁。', { status: 'deprecated' }),
  draft('release-flow', 'Release flow', 'How to release: tag, build, deploy.', { type: 'skill' }),
  draft('core-latency', '撮合引擎延迟', 'Matching latency and garbage collection.', { productLine: 'exchange/core' }),
];

async function ask(options: SearchOptions, more: readonly AssetDraft[] = []): Promise<SearchAnswer> {
  const store = openLocalStore({ backend: memory() });
  for (const one of [...drafts, ...more]) await store.add(one);
  const index = openIndex({ store, directory });
  try {
    return await search({ store, index, language: 'en' }, options);
  } finally {
    await index.close();
  }
}

const names = ({ results }: SearchAnswer): string[] => results.map(({ name }) => name);

test('returns name, product line, type, title, score and the hit with 50 characters on each side', async () => {
  const { results, isAnswered } = await ask({ query: '失败重试 指数退避' });
  expect(isAnswered).toBe(true);
  const [first] = results;
  expect(first).toMatchObject({
    id: 'exchange/infra/rabbitmq-retry-strategy',
    name: 'rabbitmq-retry-strategy',
    productLine: 'exchange/infra',
    type: 'best-practice',
    title: 'RabbitMQ 重试策略',
  });
  const [, before = '', after = ''] = /^…(.*)失败重试的核心是指数退避(.*)…$/u.exec(first?.snippet ?? '') ?? [];
  expect([Array.from(before).length, Array.from(after).length]).toEqual([50, 50]);
});

test('the score is between 0 and 1, falls in the order of the results, and rises with the words that an asset has', async () => {
  const { results } = await ask({ query: '消息队列 失败 重试 指数退避', limit: 50 });
  const scores = results.map(({ score }) => score);
  expect(scores.toSorted((left, right) => right - left)).toEqual(scores);
  expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  const [most, fewer] = await Promise.all([
    ask({ query: '消息队列 失败 重试' }),
    ask({ query: '消息队列 失败 重试 unknown words that nothing has' }),
  ]);
  expect(most.results[0]?.name).toBe(fewer.results[0]?.name);
  expect(most.results[0]?.score).toBeGreaterThan(fewer.results[0]?.score ?? 1);
  // A text with every word has the score 1, and one with half of them about the half.
  const shares = await ask({ query: 'sextant zeppelin' }, [
    draft('both', 'Instruments', 'A sextant in the zeppelin.'),
    draft('one', 'Others', 'A zeppelin without it.'),
  ]);
  expect(names(shares)).toEqual(['both', 'one']);
  expect(shares.results[0]?.score).toBe(1);
  expect(shares.results[1]?.score).toBeGreaterThan(0.4);
  expect(shares.results[1]?.score).toBeLessThan(0.8);
});

test.each([
  'redis-cluster',
  '"redis-cluster"',
  'redis-cluster AND *',
  "redis-cluster') OR 1=1 --",
  'NEAR(redis-cluster)',
])('the query %s is plain text', async (query) => {
  const answer = await ask({ query });
  expect(names(answer)).toContain('redis-cluster-failover');
  expect(names(answer)).toContain('redis-key-naming');
});

test.each(['锁', '重试', '位点'])('finds the Chinese word %s of a body', async (query) => {
  const { results } = await ask({ query });
  expect(results[0]?.snippet).toContain(query);
});

test('an asset of exactly the name comes first, whatever others say about it', async () => {
  for (const query of ['redis-cluster-failover', 'Redis Cluster Failover', 'exchange/infra/redis-cluster-failover']) {
    const { results } = await ask({ query }, [
      draft('about', 'redis-cluster-failover', 'redis-cluster-failover '.repeat(50)),
    ]);
    expect(results[0]).toMatchObject({ name: 'redis-cluster-failover', score: 1 });
  }
});

test('a product line selects its own assets and those of lines below it', async () => {
  expect(names(await ask({ query: 'redis-cluster', productLine: 'general' }))).toEqual(['redis-key-naming']);
  expect(names(await ask({ query: 'latency', productLine: 'exchange' }))).toEqual(['core-latency']);
  expect(names(await ask({ query: 'latency', productLine: 'exch' }))).toEqual([]);
});

test('a type selects its assets; skills are found only by their type', async () => {
  expect(names(await ask({ query: '重试', type: 'best-practice' }))).toEqual(['rabbitmq-retry-strategy']);
  expect(names(await ask({ query: 'release tag build deploy' }))).toEqual([]);
  expect(names(await ask({ query: 'release tag build deploy', type: 'skill' }))).toEqual(['release-flow']);
});

test('states how many assets the filters select', async () => {
  const searched = async (filters: Partial<SearchOptions>): Promise<number> =>
    (await ask({ query: 'x', ...filters })).searched;
  expect(await searched({})).toBe(5);
  expect(await searched({ type: 'skill' })).toBe(1);
  expect(await searched({ productLine: 'exchange' })).toBe(4);
  expect(await searched({ productLine: 'unknown' })).toBe(0);
});

test('a deprecated asset is left out, and the answer names it', async () => {
  const { results, notices } = await ask({ query: '分布式锁 SETNX' });
  expect(results.filter(({ name }) => name === 'old-lock')).toEqual([]);
  expect(notices.find(({ code }) => code === 'INACTIVE_LEFT_OUT')?.message).toContain('exchange/infra/old-lock');
});

test('an answer below the evidence threshold is marked', async () => {
  const { isAnswered, notices } = await ask({ query: 'failover of postgres replication slots in kubernetes' });
  expect(isAnswered).toBe(false);
  expect(notices.map(({ code }) => code)).toEqual(['LITTLE_EVIDENCE']);
});

test('the limit is kept, and more results are reported', async () => {
  const answer = await ask({ query: 'redis-cluster', limit: 1 });
  expect([answer.results.length, answer.hasMore]).toEqual([1, true]);
});

test('a very long query is cut, and the answer states it', async () => {
  const { results, notices } = await ask({ query: `redis-cluster ${'word '.repeat(600)} latency` });
  expect(results.map(({ name }) => name)).not.toContain('core-latency');
  expect(notices.map(({ code }) => code)).toContain('LONG_QUERY');
});

test('a query without words has no results', async () => {
  for (const query of ['', '  ', '?!', '"*"']) {
    expect(await ask({ query })).toMatchObject({
      results: [],
      isAnswered: false,
      notices: [{ code: 'NOTHING_TO_SEARCH' }],
    });
  }
});

test.each([
  [{ limit: 0 }, 'limit'],
  [{ limit: 51 }, 'limit'],
  [{ limit: 1.5 }, 'limit'],
  [{ type: 'note' }, 'type'],
  [{ productLine: ' ' }, 'product line'],
  [{ query: 7 }, 'query'],
])('rejects %j', async (options, word) => {
  const asked = ask({ query: 'redis', ...options } as SearchOptions);
  await expect(asked).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(word) as string,
  });
});

test('an asset that was found by its title only shows the beginning of its body', async () => {
  const { results } = await ask({ query: '撮合引擎延迟' });
  expect(results[0]?.snippet).toBe('Matching latency and garbage collection.');
});

test('an asset of exactly the name comes first, even when many others have more of its words', async () => {
  const others = Array.from({ length: 60 }, (_, number) =>
    draft(`redis-${number}`, 'redis redis', `redis redis redis ${number}`, { tags: ['redis'] }),
  );
  const named = draft('redis', 'A store of keys', 'something else entirely '.repeat(200), { productLine: 'general' });
  const answer = await ask({ query: 'Redis', limit: 3 }, [...others, named]);
  expect(names(answer)[0]).toBe('redis');
  expect(answer.results).toHaveLength(3);
});

test('an inactive asset of exactly the name is named, even when another asset is first', async () => {
  const { notices } = await ask({ query: 'old lock' }, [draft('lock', 'The old lock', 'old lock '.repeat(20))]);
  expect(notices.map(({ code }) => code)).toContain('INACTIVE_LEFT_OUT');
});

test('a product line is compared without its case, as in the index', async () => {
  expect(names(await ask({ query: 'latency', productLine: ' Exchange/Core/ ' }))).toEqual(['core-latency']);
});
