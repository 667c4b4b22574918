/** The way of a question through the layers, with the two worked cases of the source. */
import { createKnowledge } from '@cairn/knowledge';
import { createLayers, openLocalStore } from '@cairn/knowledge/internal';
import type { AssetDraft, AssetType, Knowledge } from '@cairn/knowledge';
import { MemoryError } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import type { Language } from '@cairn/tool/kernel';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const open: { knowledge: Knowledge; directory: string }[] = [];

afterEach(async () => {
  for (const { knowledge, directory } of open.splice(0)) {
    await knowledge.close();
    await rm(directory, { recursive: true });
  }
});

async function openWith(
  drafts: readonly AssetDraft[],
  backend: MemoryBackend = memory(),
  language: Language = 'en',
): Promise<Knowledge> {
  const directory = await mkdtemp(join(tmpdir(), 'cairn-layers-'));
  const knowledge = createKnowledge({ directory, backend, language, env: {}, clock: () => Date.UTC(2026, 0, 28) });
  open.push({ knowledge, directory });
  for (const draft of drafts) await knowledge.store.add(draft);
  return knowledge;
}

function draft(line: string, body: string): AssetDraft {
  const [name = '', type = '', productLine = '', title = '', tags = ''] = line.split('|');
  return { name, type: type as AssetType, productLine, title, tags: tags.split(','), body };
}

/** The assets of the source; where it has `…`, tags and product lines are filled in. */
const source: readonly AssetDraft[] = [
  draft(
    'redis-sentinel-setup|reference|exchange/infra|Redis Sentinel 高可用配置|redis,ha,sentinel',
    '三个节点，quorum 为 2，down-after-milliseconds 为 5000。怎么配置：先配置主节点，再配置哨兵。',
  ),
  draft(
    'kafka-consumer-config|reference|exchange/infra|Kafka 消费者配置|kafka,consumer,消息队列',
    '消息队列的消费者：max.poll.records、session.timeout.ms。处理失败时位点不提交，消息会再次消费。',
  ),
  draft(
    'rabbitmq-retry-strategy|best-practice|exchange/infra|RabbitMQ 重试策略|rabbitmq,retry,消息队列,失败重试',
    '消息队列失败重试的核心是指数退避。重试三次后进入死信队列。Retry with exponential backoff.',
  ),
  draft(
    'redis-stream-processing|pattern|exchange/core|Redis Stream 消息处理|redis,stream,消息队列',
    '用 XREADGROUP 读取消息，用 XACK 确认。未确认的消息由 XAUTOCLAIM 转移。',
  ),
  draft(
    'message-queue-comparison|adr|exchange/infra|消息队列技术选型|mq,kafka,rabbitmq',
    '比较 RabbitMQ、Kafka 与 Redis Stream 的吞吐、顺序与运维成本。',
  ),
  draft(
    'async-task-queue|reference|exchange/api|异步任务队列实现|async,task,消息队列',
    '任务入队、调度、取消。失败的任务写入失败表，由后台重试。',
  ),
  draft('typescript-generics|pattern|general|TypeScript 泛型最佳实践|typescript,patterns', '约束、默认类型与推断。'),
  draft('api-rate-limiting|best-practice|exchange/api|API 限流策略|api,security,rate-limit', '令牌桶与滑动窗口。'),
  draft(
    'matching-engine-latency|pitfall|exchange/core|撮合引擎延迟优化避坑|performance,optimization,matching',
    '避免在热路径分配内存。',
  ),
];

test('Redis Sentinel 怎么配置: one exact match skips L1', async () => {
  const { layers, gaps } = await openWith(source);
  const { exact, next, search, assets } = await layers.retrieve('Redis Sentinel 怎么配置？');
  expect(exact.map(({ name }) => name)).toEqual(['redis-sentinel-setup']);
  expect([next, search]).toEqual(['L2', undefined]);
  expect(assets.map(({ asset }) => asset.id)).toEqual(['exchange/infra/redis-sentinel-setup']);
  expect(await gaps.list()).toEqual([]);
});

test('消息队列 失败重试: five matches of the index are searched, and rabbitmq-retry-strategy is first', async () => {
  const { layers } = await openWith(source);
  const { exact, vague, next, search, assets } = await layers.retrieve('我们的消息队列是怎么处理失败重试的？');
  expect(next).toBe('L1');
  expect([...exact, ...vague].map(({ name }) => name).toSorted()).toEqual([
    'async-task-queue',
    'kafka-consumer-config',
    'message-queue-comparison',
    'rabbitmq-retry-strategy',
    'redis-stream-processing',
  ]);
  expect(search?.results[0]?.name).toBe('rabbitmq-retry-strategy');
  expect(assets[0]?.asset.name).toBe('rabbitmq-retry-strategy');
  const answer = await layers.search({ query: '消息队列 失败重试 retry', limit: 5 });
  expect(answer.results).toHaveLength(5);
  expect(answer.results[0]).toMatchObject({ name: 'rabbitmq-retry-strategy' });
  expect(answer.results[0]?.snippet).toContain('失败重试的核心是指数退避');
});

test('a question that no layer answers is one gap, recorded after one search', async () => {
  const { layers, gaps } = await openWith(source);
  const { exact, vague, next, search, assets } = await layers.retrieve('terraform state locking');
  expect([exact, vague, next, assets]).toEqual([[], [], 'L1', []]);
  expect(search).toMatchObject({ isAnswered: false, gap: { query: 'terraform state locking', asked: 1 } });
  await layers.retrieve('locking of terraform state');
  expect(await gaps.list()).toMatchObject([{ asked: 2 }]);
});

test('words of the body only are found by the one search that follows an empty scan', async () => {
  const { layers, gaps } = await openWith(source);
  const { exact, vague, search, assets } = await layers.retrieve('XAUTOCLAIM');
  expect([exact, vague]).toEqual([[], []]);
  expect(search?.isAnswered).toBe(true);
  expect(assets.map(({ asset }) => asset.name)).toEqual(['redis-stream-processing']);
  expect(await gaps.list()).toEqual([]);
});

test('a filtered search records nothing, and others only when they are asked to', async () => {
  const { layers, gaps } = await openWith(source);
  await layers.search({ query: 'terraform state', type: 'adr', recordsGap: true });
  await layers.search({ query: 'terraform state', productLine: 'exchange', recordsGap: true });
  await layers.search({ query: 'terraform state' });
  await layers.retrieve('terraform state', { recordsGap: false });
  expect(await gaps.list()).toEqual([]);
  await layers.search({ query: 'terraform state', recordsGap: true });
  expect(await gaps.list()).toHaveLength(1);
});

test('a search answers when the store rejects its gap, and reports that', async () => {
  const { store, index, gaps } = await openWith(source);
  const fail = async (): Promise<never> => {
    throw new MemoryError('STORE_DENIED', ['[memory:sqlite] x cannot be written', 'Change its mode.']);
  };
  const layers = createLayers({ store, index, gaps: { ...gaps, record: fail, closeQuery: fail }, language: 'en' });
  const reason = 'The list of questions without an answer could not be changed: [memory:sqlite] x cannot be written';
  for (const [query, isAnswered] of [
    ['terraform state', false],
    ['XAUTOCLAIM', true],
  ] as const) {
    const answer = await layers.search({ query, recordsGap: true });
    expect(answer.isAnswered).toBe(isAnswered);
    expect(answer.notices.at(-1)).toMatchObject({ code: 'GAPS_NOT_CHANGED', message: expect.stringContaining(reason) });
    expect(answer.gap).toBeUndefined();
  }
});

test('an exact match of the index is an answer, though its text has too little of the question', async () => {
  const { layers, gaps } = await openWith([...source, draft('lock|glossary|general|锁|x', '互斥。')]);
  expect(await layers.search({ query: '锁', recordsGap: true })).toMatchObject({ isAnswered: false });
  expect(await gaps.list()).toEqual([]);
});

test('the draft of a gap answers nothing until it has another type', async () => {
  const { store, layers, gaps } = await openWith(source);
  const { search } = await layers.retrieve('terraform state locking');
  if (search?.gap === undefined) throw new Error('no gap');
  const { id } = await store.add(gaps.draft(search.gap));
  const { exact, vague, assets, ...asked } = await layers.retrieve('terraform state locking');
  expect([exact, vague.map((head) => head.id), assets]).toEqual([[], [id], []]);
  expect(asked.search).toMatchObject({ isAnswered: false, results: [{ id, isSimilar: true }], gap: { asked: 2 } });
  expect(await layers.isAnswered('terraform state locking')).toBe(false);
  await store.change(id, { fields: { type: 'reference', tags: null }, body: 'The state is locked in a table.' });
  expect(await layers.isAnswered('terraform state locking')).toBe(true);
  expect((await layers.retrieve('terraform state locking')).assets[0]?.asset.id).toBe(id);
});

test('similar assets of a draft are those about the same, best first', async () => {
  const { layers } = await openWith(source);
  const similar = await layers.similar({
    title: 'RabbitMQ 失败重试',
    tags: ['rabbitmq'],
    body: '失败后用指数退避重试。',
  });
  expect(similar[0]?.name).toBe('rabbitmq-retry-strategy');
  expect(similar.length).toBeLessThanOrEqual(3);
  expect(await layers.similar({ title: 'Terraform state locking', body: 'Use a lock table.' })).toEqual([]);
});

const TABLE = 'ai:knowledge:assets';

/** A store that reports each call on the table of assets, after it was made. */
function watched(
  backend: MemoryBackend,
  onCall: (name: string, ids: readonly unknown[]) => Promise<void>,
): MemoryBackend {
  const watch = <Args extends readonly unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      const result = await call(...args);
      if (args[0] === TABLE) await onCall(name, Array.isArray(args[1]) ? args[1] : []);
      return result;
    };
  };
  const { rows, page, postings } = backend;
  return { ...backend, rows: watch('rows', rows), page: watch('page', page), postings: watch('postings', postings) };
}

test('a search reads only the assets that it returns, with filters too', async () => {
  const calls: string[] = [];
  let read = 0;
  const backend = watched(memory(), async (name, ids) => {
    calls.push(name);
    if (name === 'rows') read += ids.length;
  });
  const many = Array.from({ length: 1500 }, (_, index) =>
    draft(
      `asset-${index}|${index % 10 === 0 ? 'adr' : 'reference'}|line-${index % 5}|Redis topic ${index}|redis`,
      `Text about redis number ${index}.`,
    ),
  );
  const { layers, index } = await openWith(many, backend);
  await layers.search({ query: 'redis topic' });
  await index.flush();
  // One check of the index and one read of the terms.
  for (const [options, count, others = ['page', 'postings']] of [
    [{ query: 'redis topic' }, 5],
    [{ query: 'redis number', limit: 50 }, 50],
    [{ query: 'redis', type: 'adr', productLine: 'line-0' }, 5],
    [{ query: 'redis', productLine: 'unknown' }, 0],
    // Corrections are looked up, then titles with a similar spelling, after another check of the index.
    [{ query: 'nothing-has-this' }, 0, ['page', 'postings', 'postings', 'page']],
  ] as const) {
    calls.length = 0;
    read = 0;
    const { results } = await layers.search(options);
    expect(results).toHaveLength(count);
    expect([read, calls.filter((name) => name !== 'rows')]).toEqual([count, others]);
  }
});

test.each(['change', 'remove', 'add'] as const)(
  'when another process does "%s" during a search, each result has the text that was found',
  async (action) => {
    const id = 'exchange/core/redis-stream-processing';
    for (let at = 1; at <= 3; at++) {
      const base = memory();
      const other = openLocalStore({ backend: base });
      let call = 0;
      let isArmed = false;
      const backend = watched(base, async () => {
        if (!isArmed || ++call !== at) return;
        isArmed = false;
        if (action === 'remove') await other.remove(id);
        else if (action === 'add') await other.add(draft('new|adr|web|New|x', 'XAUTOCLAIM, XAUTOCLAIM.'));
        else await other.change(id, { body: 'About something else.' });
      });
      const { layers, index } = await openWith(source, backend);
      expect((await layers.search({ query: 'XAUTOCLAIM' })).results.map((one) => one.id)).toEqual([id]);
      await index.flush();
      isArmed = true;
      const { results } = await layers.search({ query: 'XAUTOCLAIM' });
      expect(results.filter(({ snippet }) => !snippet.includes('XAUTOCLAIM'))).toEqual([]);
      // The asset that was added before the terms were read is a result.
      expect(results).toHaveLength(action !== 'add' ? results.length : at === 1 ? 2 : 1);
      const next = (await layers.search({ query: 'XAUTOCLAIM' })).results.map((one) => one.id);
      expect(next.toSorted()).toEqual(action === 'add' ? [id, 'web/new'] : []);
      // The calls before it are those of a search: the index, the terms, the results.
      expect([at, isArmed]).toEqual([at, false]);
    }
  },
);

test('after a preload the first search reads no asset but its results', async () => {
  const base = memory();
  await openWith(source, base);
  let read = 0;
  const counting: MemoryBackend = {
    ...base,
    page: async (...args) => {
      const page = await base.page(...args);
      read += page.rows.length;
      return page;
    },
  };
  const { layers } = await openWith([], counting);
  await layers.preload();
  expect(read).toBeGreaterThanOrEqual(source.length);
  read = 0;
  expect((await layers.search({ query: 'XAUTOCLAIM' })).results).toHaveLength(1);
  expect(read).toBe(0);
});

test('finds a word at the end of an asset of a megabyte', async () => {
  const long = 'The text goes on and on, 还有更多内容。'.repeat(20_000);
  const { layers } = await openWith([draft('long|reference|web|Long|x', `${long} 锁等待超时`)]);
  const { results } = await layers.search({ query: '锁等待' });
  expect(results[0]?.snippet).toMatch(/锁等待超时\n?$/u);
});

test('an asset that people opened after similar questions is a result, though it has none of the words', async () => {
  const { layers, usage } = await openWith(source);
  for (const session of ['a', 'b', 'c']) {
    usage.recordOpened({ asset: 'exchange/core/matching-engine-latency', session, query: 'orders are slow' });
  }
  await usage.flush();
  const { results } = await layers.search({ query: 'slow orders' });
  expect(results.map(({ name }) => name)).toContain('matching-engine-latency');
  const filtered = await layers.search({ query: 'slow orders', type: 'adr' });
  expect(filtered.results.map(({ name }) => name)).not.toContain('matching-engine-latency');
});

test('a typo is corrected, and the evidence names the correction', async () => {
  const { layers } = await openWith(source);
  const { results, isAnswered } = await layers.search({ query: 'typescrip genericz' });
  expect(isAnswered).toBe(true);
  expect(results[0]).toMatchObject({ name: 'typescript-generics' });
  expect(results[0]?.evidence).toMatchObject({
    missing: [],
    related: [
      { kind: 'spelling', word: 'typescrip', related: 'typescript' },
      { kind: 'spelling', word: 'genericz', related: 'generic' },
    ],
  });
});

test('the bound of a search decides what is marked', async () => {
  const { layers } = await openWith(source);
  const marked = async (minEvidence: number): Promise<boolean[]> => {
    const { results } = await layers.search({ query: '消息队列 失败重试 kubernetes', minEvidence });
    return results.map(({ isSimilar }) => isSimilar === true);
  };
  expect((await marked(0)).every((one) => !one)).toBe(true);
  expect((await marked(1)).every(Boolean)).toBe(true);
  for (const minEvidence of [-0.1, 1.1, Number.NaN]) {
    await expect(layers.search({ query: 'redis', minEvidence })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  }
});

test('an exact title or tag of two characters is an answer, and a single character is not', async () => {
  const { layers } = await openWith([
    draft('lock-order|pitfall|core|并发|对账', '两个线程的加锁顺序。'),
    draft('reconcile|reference|core|每日对账任务|对账, 财务', '并发地对账。'),
    draft('ci|reference|core|CI|ci', 'Pipelines.'),
  ]);
  const answers = async (query: string): Promise<string[]> => {
    const { results } = await layers.search({ query });
    return results.flatMap(({ name, isSimilar }) => (isSimilar === true ? [] : [name]));
  };
  expect((await answers('并发'))[0]).toBe('lock-order');
  expect((await answers('对账')).toSorted()).toEqual(['lock-order', 'reconcile']);
  expect((await answers('CI'))[0]).toBe('ci');
  expect(await answers('并')).toEqual([]);
});

test('words of a similar spelling find assets by their titles, and they are marked', async () => {
  const { layers } = await openWith(source);
  const { results, isAnswered, notices } = await layers.search({ query: 'typpescrippt' });
  expect(results[0]).toMatchObject({ name: 'typescript-generics', isSimilar: true });
  expect([isAnswered, notices.map(({ code }) => code)]).toEqual([false, ['SIMILAR_WORDS_ONLY']]);
});

test.each(['en', 'zh'] as const)('notices and drafts of gaps are written in %s', async (language) => {
  const old = { ...draft('old-lock|adr|web|旧的分布式锁 SETNX|x', '用 SETNX。'), status: 'deprecated' as const };
  const backend = memory();
  const { layers, gaps } = await openWith([...source, old], backend, language);
  const texts: string[] = [];
  for (const query of [
    '?!',
    'how are the',
    'typpescrippt',
    '锁 xack postgres kubernetes',
    'SETNX',
    `redis ${'word '.repeat(600)}`,
  ]) {
    const { notices } = await layers.search({ query });
    texts.push(`# ${query.slice(0, 40)}`, ...notices.map(({ code, message }) => `${code}: ${message}`), '');
  }
  const later = { id: 'web/later', expected: undefined, next: '{"version":99}' };
  await backend.change(TABLE, { rows: [later] });
  const { notices } = await layers.search({ query: 'XAUTOCLAIM' });
  texts.push('# a row of a later version', ...notices.map(({ code, message }) => `${code}: ${message}`), '');
  for (const query of ['terraform 状态锁', 'terraform state locking', 'locking of terraform state']) {
    const gap = await gaps.record(query);
    if (gap !== undefined) texts.push(JSON.stringify({ ...gaps.draft(gap), body: '' }), gaps.draft(gap).body);
  }
  await expect(texts.join('\n')).toMatchFileSnapshot(`goldens/layers.${language}.txt`);
});
