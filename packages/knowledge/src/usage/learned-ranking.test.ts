import { createTermIndex } from '@cairn/retrieval';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { learnRanking } from './learned-ranking.ts';
import type { LearnedRanking, OpenedEvent, RankableResult } from './learned-ranking.ts';

/** An asset, and what people asked before they opened it, in the order of time. No two of the questions are equal. */
interface LoggedAsset {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly body: string;
  readonly queries: readonly string[];
}

function asset(id: string, title: string, body: string, queries: readonly string[]): LoggedAsset {
  return { id, name: id.slice(id.lastIndexOf('/') + 1), title, body, queries };
}

/**
 * Assets that answer similar questions. Many of the questions use words of a neighbour, or words that no asset has, as people do
 * who do not know how the asset is called.
 */
const usageLog: readonly LoggedAsset[] = [
  asset(
    'exchange/infra/rabbitmq-retry-strategy',
    'RabbitMQ 重试策略',
    '消息队列失败重试的核心是指数退避。死信队列接收超过次数的消息，消费者手动确认。Retries use exponential backoff and a dead letter queue.',
    [
      '消息队列 失败重试',
      '消费失败的消息丢到哪里',
      'failed messages go where',
      '消息队列 消费失败 怎么处理',
      'consumer failed message handling',
      '消息一直失败一直重来',
    ],
  ),
  asset(
    'exchange/infra/kafka-consumer-config',
    'Kafka 消费者配置',
    '消费者组的 max.poll.records、session.timeout.ms 与提交方式。消息队列的消费者配置，失败时位点不提交。Consumer group settings and offsets.',
    ['kafka 消费者 参数', 'rebalance 太频繁', 'consumer group rebalancing too often', '消费者 频繁 rebalance'],
  ),
  asset(
    'exchange/infra/redis-stream-processing',
    'Redis Stream 消息处理',
    '用 XREADGROUP 读取消息，XACK 确认，XPENDING 查看未确认的消息。消息队列的轻量选择。Pending entries are claimed by another consumer.',
    ['redis stream 未确认', '消息卡在 pending', 'messages stuck pending in redis', 'redis 消息 卡住 pending'],
  ),
  asset(
    'exchange/infra/async-task-queue',
    '异步任务队列实现',
    '任务入队、调度、超时与取消。任务失败后写入失败表，由后台任务重试。Task queue with delay, priority and retry of failed tasks.',
    ['后台任务 延迟执行', 'delayed jobs', '任务 定时 延迟', 'run a job later'],
  ),
  asset(
    'exchange/infra/message-queue-comparison',
    '消息队列技术选型',
    'RabbitMQ、Kafka 与 Redis Stream 的吞吐、顺序、重试、运维成本比较。为什么选择消息队列。Why we chose a message queue.',
    ['为什么用 rabbitmq 不用 kafka', 'rabbitmq vs kafka decision', 'kafka 和 rabbitmq 选哪个', 'why not kafka'],
  ),
  asset(
    'exchange/infra/redis-sentinel-setup',
    'Redis Sentinel 高可用配置',
    '三个 sentinel 节点，quorum 为 2，down-after-milliseconds 5000。主从切换由 sentinel 完成。Sentinel setup with three nodes.',
    ['redis 高可用 怎么配', 'redis primary goes down', 'redis 主节点挂了', 'redis ha setup'],
  ),
  asset(
    'exchange/infra/redis-cluster-failover',
    'Redis 集群故障转移指南',
    'cluster-node-timeout、从节点选举、手动 CLUSTER FAILOVER。高可用的集群方案，slot 迁移。Cluster failover and slots.',
    ['slot 迁移 卡住', 'redis resharding stuck', 'redis slot migration hangs', '集群 扩容 slot'],
  ),
  asset(
    'exchange/infra/redis-memory-eviction',
    'Redis 内存淘汰与大 key',
    'maxmemory-policy 选择 allkeys-lru，大 key 用 UNLINK 删除，用 redis-cli --bigkeys 查找。Eviction and big keys.',
    ['redis 内存满了', 'redis out of memory', 'redis oom 怎么办', 'redis memory full what to do'],
  ),
  asset(
    'exchange/core/matching-engine-latency',
    '撮合引擎延迟优化避坑',
    '关闭透明大页，绑核，避免堆分配；GC 停顿使撮合延迟抖动。日志改为异步。Latency spikes of the matching engine come from GC.',
    ['撮合 很慢 抖动', 'order matching slow p99', '下单 延迟 毛刺', 'p99 latency spike orders'],
  ),
  asset(
    'exchange/core/order-book-snapshot',
    '订单簿快照与恢复',
    '撮合引擎每 10 秒写快照，重启时重放增量日志。Order book snapshots and replay after a restart of the matching engine.',
    ['撮合 重启 恢复', 'recover orders after crash', '撮合引擎 崩溃 恢复', 'engine crash recovery'],
  ),
  asset(
    'exchange/core/decimal-precision',
    '金额精度与舍入',
    '金额用整数最小单位，舍入使用银行家舍入，禁止 float。手续费向上取整。Amounts are integers; never use floating point.',
    ['0.1 + 0.2 金额不对', 'money rounding error', '手续费 少一分钱', 'fee off by one cent'],
  ),
  asset(
    'exchange/core/idempotent-orders',
    '下单幂等',
    'client_order_id 唯一索引，重复请求返回同一订单。重试不产生第二个订单。Idempotent order placement by client order id.',
    ['重复下单', 'user was charged twice', '点两次 下了两单', 'double order on retry'],
  ),
  asset(
    'exchange/api/api-rate-limiting',
    'API 限流策略',
    '令牌桶，每个 API key 每秒 20 次，超出返回 429 与 Retry-After。Token bucket rate limits for each key.',
    ['429 太多请求', 'clients get 429', '接口 返回 429', 'too many requests error'],
  ),
  asset(
    'exchange/api/websocket-reconnect',
    'WebSocket 断线重连',
    '心跳 15 秒，断线后指数退避重连并按序号补发行情。Reconnect with backoff, resume by sequence.',
    ['行情 断了', 'price feed stops updating', '行情 不更新', 'stale prices in client'],
  ),
  asset(
    'exchange/api/api-key-signature',
    'API 签名与时间窗',
    'HMAC-SHA256 签名，时间戳误差不超过 5 秒，服务器时钟用 NTP 同步。请求重放被拒绝。Signature and timestamp window.',
    ['签名错误 时间戳', 'timestamp outside window', '时间戳 过期 报错', 'request expired signature'],
  ),
  asset(
    'general/typescript-generics',
    'TypeScript 泛型最佳实践',
    '用约束代替 any，避免过深的条件类型。类型推断优先于显式参数。Constrain generics, avoid deep conditional types.',
    ['类型 太深 报错', 'type instantiation is excessively deep', 'ts2589', 'excessively deep type error'],
  ),
  asset(
    'general/ci-cache',
    'CI 缓存与构建时间',
    '按锁文件的哈希缓存依赖，测试分片并行。CI caches dependencies by the hash of the lock file and splits tests.',
    ['流水线 太慢', 'pipeline takes 40 minutes', '流水线 40 分钟', 'slow pipeline'],
  ),
  asset(
    'general/flaky-tests',
    '不稳定测试的处理',
    '等待事件而不是时间，隔离端口与临时目录，测试失败时保留日志。Wait for events, isolate ports; quarantine flaky tests.',
    ['测试 有时候失败', 'test passes locally fails in ci', '流水线 测试 随机 失败', 'ci random failures'],
  ),
  asset(
    'general/database-migrations',
    '数据库迁移规范',
    '先加列，再双写，再回填，最后删列；迁移可回滚。大表加索引用并发方式。Expand and contract migrations; concurrent indexes.',
    ['大表 加字段 锁表', 'alter table locks production', '加索引 锁表', 'add index without downtime'],
  ),
  asset(
    'general/postgres-connection-pool',
    'Postgres 连接池',
    '连接数上限按核数计算，用 pgbouncer 事务模式，空闲连接 60 秒回收。数据库连接耗尽时先查慢查询。Pool size and pgbouncer.',
    ['too many clients already', '数据库 连接 用完', 'remaining connection slots', '数据库 连不上 连接数'],
  ),
];

const index = createTermIndex();
for (const { id, name, title, body } of usageLog) index.add({ id, text: `${name}\n${title}\n${body}`, timeMs: 0 });
const byId = new Map(usageLog.map((asset) => [asset.id, asset]));

/** Searches without learning. */
function search(query: string): RankableResult[] {
  const ranked = index.rank(query, 50);
  const best = ranked[0]?.score ?? 1;
  return ranked.map(({ id, score }) => ({ id, name: byId.get(id)?.name ?? '', score: (0.8 * score) / best }));
}

/** Searches as the layers do: with the suggested assets, then in the learned order. */
function answer(ranking: LearnedRanking, query: string): RankableResult[] {
  const found = search(query);
  const missing = ranking.suggest(query).filter((id) => found.every((result) => result.id !== id));
  const added = missing.map((id) => ({ id, name: byId.get(id)?.name ?? '', score: 0 }));
  return ranking.rerank(query, [...found, ...added]);
}

interface LoggedQuery {
  readonly asset: string;
  readonly query: string;
}

const logged = (isLearned: boolean): LoggedQuery[] =>
  usageLog.flatMap(({ id, queries }) => {
    const half = queries.length / 2;
    return (isLearned ? queries.slice(0, half) : queries.slice(half)).map((query) => ({ asset: id, query }));
  });
/** The first half in the order of time. */
const learned = logged(true);
const heldOut = logged(false);

function eventsOf(queries: readonly LoggedQuery[]): OpenedEvent[] {
  return queries.map(({ asset, query }, place) => ({ asset, query, session: `session ${place}` }));
}

/** Returns the mean of 1 / place of the asset that was opened; an asset that is not found counts 0. */
function meanReciprocalRank(queries: readonly LoggedQuery[], events: readonly OpenedEvent[]): number {
  const ranking = learnRanking(events);
  const ranks = queries.map(({ asset, query }) => {
    const place = answer(ranking, query).findIndex(({ id }) => id === asset);
    return place === -1 ? 0 : 1 / (place + 1);
  });
  return ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
}

/** Each asset is opened after the questions of another one. */
function misleadingEvents(): OpenedEvent[] {
  return eventsOf(
    learned.map(({ query }, place) => ({ query, asset: usageLog[(place * 7 + 5) % usageLog.length]?.id ?? '' })),
  );
}

test('a replayed log raises the mean reciprocal rank of the half that was held out', () => {
  const before = meanReciprocalRank(heldOut, []);
  const after = meanReciprocalRank(heldOut, eventsOf(learned));
  expect(before).toBeCloseTo(0.81, 2);
  expect(after).toBeGreaterThan(before + 0.03);
});

test('a replayed log does not depend on the order of its events, nor on how often it is replayed', () => {
  const events = eventsOf(learned);
  const again = JSON.parse(JSON.stringify(events.toReversed())) as OpenedEvent[];
  for (const { query } of heldOut) {
    const ids = (log: readonly OpenedEvent[]): string[] => answer(learnRanking(log), query).map(({ id }) => id);
    expect(ids(again)).toEqual(ids(events));
    expect(ids([...events, ...events])).toEqual(ids(events));
  }
});

test('openings without a reason cost little', () => {
  const before = meanReciprocalRank(heldOut, []);
  expect(meanReciprocalRank(heldOut, misleadingEvents())).toBeGreaterThan(before - 0.1);
});

test('without events the ranking is that of the search', () => {
  const { rerank, suggest } = learnRanking([]);
  for (const { query } of heldOut) {
    expect(rerank(query, search(query))).toEqual(search(query));
    expect(suggest(query)).toEqual([]);
  }
});

test('an asset that was opened after the same query moves up, and not to the top at once', () => {
  const results = [
    { id: 'a/one', name: 'one', score: 0.9 },
    { id: 'a/two', name: 'two', score: 0.5 },
  ];
  const opened = (sessions: number): OpenedEvent[] =>
    Array.from({ length: sessions }, (_, session) => ({ asset: 'a/two', query: 'disk full', session: `${session}` }));
  const order = (events: readonly OpenedEvent[]): string[] =>
    learnRanking(events)
      .rerank('disk full', results)
      .map(({ name }) => name);
  expect(order(opened(1))).toEqual(['one', 'two']);
  expect(order([...opened(1), ...opened(1)])).toEqual(['one', 'two']);
  const near = [{ id: 'a/one', name: 'one', score: 0.7 }, ...results.slice(1)];
  expect(
    learnRanking(opened(20))
      .rerank('disk full', near)
      .map(({ name }) => name),
  ).toEqual(['two', 'one']);
  expect(learnRanking(opened(1)).suggest('disk full')).toEqual(['a/two']);
  expect(learnRanking(opened(20)).suggest('printer jam')).toEqual([]);
});

const anyResult = fc.constantFrom(...usageLog);
const anyLog = fc.array(
  fc.record({
    asset: fc.constantFrom(...usageLog.map(({ id }) => id)),
    session: fc.constantFrom('a', 'b', 'c', 'd'),
    query: fc.oneof(
      fc.constantFrom(...usageLog.flatMap(({ name, queries }) => [name, name.replaceAll('-', ' '), ...queries])),
      fc.string({ unit: 'grapheme' }),
    ),
  }),
  { maxLength: 200 },
);

test('no log moves the asset with exactly the name that was asked for from the first place', () => {
  const spellings = [
    (name: string) => name,
    (name: string) => name.replaceAll('-', ' '),
    (name: string) => name.toUpperCase().replaceAll('-', '_'),
  ];
  const anyScores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: usageLog.length,
    maxLength: usageLog.length,
  });
  fc.assert(
    fc.property(anyLog, anyResult, fc.constantFrom(...spellings), anyScores, (events, { id, name }, spell, scores) => {
      const results = usageLog.map((other, place) => ({ id: other.id, name: other.name, score: scores[place] ?? 0 }));
      // Another asset again and again, after exactly this query.
      const against = Array.from({ length: 50 }, (_, session) => ({
        asset: usageLog.find((other) => other.id !== id)?.id ?? '',
        query: spell(name),
        session: `${session}`,
      }));
      const ranked = learnRanking([...events, ...against]).rerank(spell(name), results);
      expect(ranked[0]?.id).toBe(id);
      expect(ranked[0]?.score).toBe(Math.max(...ranked.map(({ score }) => score)));
    }),
  );
});

test('any log keeps every result once, and scores that stay from 0 to 1 and never rise', () => {
  fc.assert(
    fc.property(anyLog, fc.constantFrom(...heldOut, ...learned), (events, { query }) => {
      const found = search(query);
      const ranked = learnRanking(events).rerank(query, found);
      expect(new Set(ranked.map(({ id }) => id))).toEqual(new Set(found.map(({ id }) => id)));
      expect(ranked).toHaveLength(found.length);
      const scores = ranked.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
    }),
  );
});
