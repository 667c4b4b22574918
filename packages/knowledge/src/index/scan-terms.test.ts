import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssetHead } from '../assets/asset.ts';
import { exampleHead } from './heads.examples.ts';
import { ScanTerms } from './scan-terms.ts';

const assets = [
  exampleHead({ name: 'redis-sentinel-setup', title: 'Redis Sentinel 高可用配置', tags: ['ha'] }),
  exampleHead({ name: 'kafka-consumer-config', title: 'Kafka 消费者配置', tags: ['消息队列'] }),
  exampleHead({ name: 'retries', title: 'Retrying failed HTTP requests', tags: ['back-off'] }),
  exampleHead({ name: 'locks', title: '分布式锁', tags: ['锁'] }),
];

interface Scanned {
  readonly head: AssetHead;
  readonly rank: number;
}

type Terms = ScanTerms<Scanned>;

const MAX_RANK = 1000;

interface Match {
  readonly name: string;
  readonly isExact: boolean;
  readonly halves: number;
}

function matchesOf(terms: Terms, query: string): Match[] {
  const matches: Match[] = [];
  terms.match(query, MAX_RANK, ({ head: { name } }, isExact, halves) => matches.push({ name, isExact, halves }));
  return matches.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function scan(query: string): { exact: string[]; vague: string[] } {
  const terms: Terms = new ScanTerms();
  for (const [rank, head] of assets.entries()) terms.add({ head, rank });
  const found = matchesOf(terms, query);
  const named = (isExact: boolean): string[] => found.flatMap((one) => (one.isExact === isExact ? one.name : []));
  return { exact: named(true), vague: named(false) };
}

test.each([
  ['all words in name, title and tags', 'redis ha', ['redis-sentinel-setup'], []],
  [
    'other words are left out when they ask',
    'Redis Sentinel 怎么配置？',
    ['redis-sentinel-setup'],
    ['kafka-consumer-config'],
  ],
  ['stop words', 'how do we set up the redis sentinel?', [], ['redis-sentinel-setup']],
  ['stop words only around the subject', 'what is the sentinel of our redis', ['redis-sentinel-setup'], []],
  ['another form of a word', 'retry failure request', [], ['retries']],
  ['a stemmed form of each word', 'failed request retrying', ['retries'], []],
  ['a part of the words', 'redis cluster', [], ['redis-sentinel-setup']],
  ['two characters', '配置', ['kafka-consumer-config', 'redis-sentinel-setup'], []],
  ['a word of four characters', '消息队列', ['kafka-consumer-config'], []],
  ['characters of a longer word', '消息队列失败重试', [], ['kafka-consumer-config']],
  ['one character', '锁', ['locks'], []],
  ['single characters of other words', '费用', [], []],
  ['an identifier in another spelling', 'redisSentinel', ['redis-sentinel-setup'], []],
  ['a tag with a hyphen', 'backoff', ['retries'], []],
  ['plain text and not syntax', 'redis-cluster AND "sentinel*" OR NOT', [], ['redis-sentinel-setup']],
  ['full-width letters', 'Ｋａｆｋａ', ['kafka-consumer-config'], []],
  ['no words', '?!', [], []],
  ['nothing', '', [], []],
  ['an unknown word', 'postgres', [], []],
] as const)('%s: "%s"', (_name, query, exact, vague) => {
  expect(scan(query)).toEqual({ exact, vague });
});

test('fields do not form words together', () => {
  const terms: Terms = new ScanTerms();
  terms.add({ head: exampleHead({ name: 'a', title: '重', tags: ['试', 'b'] }), rank: 0 });
  expect(matchesOf(terms, '重试')).toEqual([]);
});

test('an asset that changes often does not change the others', () => {
  const terms: Terms = new ScanTerms();
  let before: Scanned | undefined;
  for (let rank = 0; rank < 500; rank++) {
    const head = assets[rank];
    if (head !== undefined) terms.add({ head, rank });
    if (before !== undefined) terms.delete(before);
    before = { head: exampleHead({ name: 'changing', title: `Number ${rank}` }), rank: assets.length };
    terms.add(before);
  }
  expect(matchesOf(terms, 'kafka').map(({ name }) => name)).toEqual(['kafka-consumer-config']);
  expect(matchesOf(terms, 'number 7')).toEqual([{ name: 'changing', isExact: false, halves: 2 }]);
  expect(matchesOf(terms, '499').map(({ name }) => name)).toEqual(['changing']);
});

test('changed and removed assets leave nothing behind', () => {
  const word = fc.constantFrom('redis', 'kafka', '配置', '锁', 'retry');
  const step = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    title: fc.option(
      fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), word, (steps, query) => {
      const terms: Terms = new ScanTerms();
      const present = new Map<string, Scanned>();
      for (const { name, title } of steps) {
        const before = present.get(name);
        if (before !== undefined) terms.delete(before);
        present.delete(name);
        if (title === undefined) continue;
        const asset = { head: exampleHead({ name, title }), rank: 'abcd'.indexOf(name) };
        terms.add(asset);
        present.set(name, asset);
      }
      // A slow model: made of the present assets alone.
      const model: Terms = new ScanTerms();
      for (const asset of present.values()) model.add(asset);
      expect(matchesOf(terms, query)).toEqual(matchesOf(model, query));
    }),
  );
});

test('exact matches have every word of the query, and vague ones some, as a model of sets has it', () => {
  const words = ['redis', 'kafka', 'queue', 'retry', 'lock', '缓存', '超时', '锁'];
  const several = fc.uniqueArray(fc.constantFrom(...words), { maxLength: 4 });
  const asset = fc.record({ name: fc.uuid(), title: several, tags: several });
  fc.assert(
    fc.property(fc.array(asset, { maxLength: 10 }), several, (all, query) => {
      const terms: Terms = new ScanTerms();
      for (const [rank, { name, title, tags }] of all.entries())
        terms.add({ head: exampleHead({ name, title: title.join(' / '), tags }), rank });
      const expected = all.flatMap(({ name, title, tags }) => {
        const has = query.filter((word) => title.includes(word) || tags.includes(word)).length;
        return has === 0 ? [] : { name, isExact: has === query.length };
      });
      // Stop words between them.
      const found = matchesOf(terms, `how is the ${query.join(' of the ')}?`);
      expect(found.map(({ name, isExact }) => ({ name, isExact }))).toEqual(
        query.length === 0 ? [] : expected.sort((a, b) => (a.name < b.name ? -1 : 1)),
      );
    }),
  );
});
