import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inverseDocumentFrequency, termFrequencyScore } from './bm25.ts';
import { readQuery } from './query.ts';
import { createTermIndex } from './term-index.ts';
import type { RankDocument, RankedDocument } from './term-index.ts';
import { termsOf } from './terms.ts';

function indexOf(documents: readonly RankDocument[]): ReturnType<typeof createTermIndex> {
  const index = createTermIndex();
  for (const document of documents) index.add(document);
  return index;
}

/** Documents with their position as id and time. */
function documentsOf(...texts: readonly string[]): RankDocument[] {
  return texts.map((text, place) => ({ id: `${place}`, text, timeMs: place }));
}

function idsOf(ranked: readonly RankedDocument[]): string[] {
  return ranked.map(({ id }) => id);
}

type Row = readonly [reason: string, query: string, texts: readonly string[], found: readonly string[]];

const rows: readonly Row[] = [
  ['one term of the query is enough', 'redis table', ['a table', 'nothing', 'redis'], ['2', '0']],
  ['more terms rank higher', 'redis table', ['a table', 'redis table', 'redis'], ['1', '2', '0']],
  ['a rare word counts more', 'redis cache', ['cache a', 'cache b', 'cache c', 'redis d'], ['3', '2', '1', '0']],
  ['a short text ranks higher', 'redis', ['redis', 'redis and many other words'], ['0', '1']],
  ['of equally good documents the latest is first', 'redis', ['redis', 'redis', 'redis'], ['2', '1', '0']],
  ['inflections match', 'retrying connection', ['it retries', 'connected'], ['1', '0']],
  ['another spelling of an identifier', 'read_file', ['the readFile tool', 'files'], ['0', '1']],
  ['accents are optional', 'cafe', ['Café'], ['0']],
  ['one Chinese character', '表', ['一张报表', '别的'], ['0']],
  ['a pair ranks above its characters', '表格', ['表头与格式', '这个表格'], ['1', '0']],
  ['one Kana, Hangul, Thai character', 'カ 한 ไ', ['カナ', '한국', 'ไท'], ['2', '1', '0']],
  ['a pictograph', '🎉', ['done 🎉', 'done'], ['0']],
  ['quotes and operators are plain text', '"redis-cluster" AND * NOT', ['redis-cluster', 'redis'], ['0', '1']],
  ['stop words do not match', 'what is the table', ['what is the what', 'table'], ['1']],
  ['a query of stop words matches them', 'the', ['the', 'a'], ['0']],
  ['a number', '6379', ['port 6379', 'port 80'], ['0']],
  ['no document has the word', '缓存', ['redis'], []],
  ['an empty query', '?', ['?'], []],
];

describe('a query finds', () => {
  test.each(rows)('%s', (reason, query, texts, found) => {
    expect(idsOf(indexOf(documentsOf(...texts)).rank(query, 10)), reason).toEqual(found);
  });

  test('the message with the table of three rows and columns', () => {
    const conversation = documentsOf(
      '帮我做一个表格',
      '请告诉我表格的具体内容，包括行数、列数、表头和数据',
      '3行3列，表头是姓名、年龄、城市，数据是张三25北京、李四30上海、王五28深圳',
      '好的，我这就开始',
      '今天天气不错',
    );
    const found = indexOf(conversation).rank('表格内容', 5);
    expect(idsOf(found)).toEqual(['1', '0', '2']);
    // It has one character of the query.
    expect(found.map(({ isSimilar }) => isSimilar)).toEqual([undefined, undefined, true]);
    for (const documents of [conversation.slice(2, 3), conversation.slice(2)]) {
      expect(indexOf(documents).rank('表格内容', 5)).toMatchObject([{ id: '2', isSimilar: true }]);
    }
  });

  test('at most `limit` documents, the best ones', () => {
    const documents = documentsOf(...Array.from({ length: 100 }, (_, place) => 'word '.repeat(place + 1)));
    const all = idsOf(indexOf(documents).rank('word', 100));
    expect(all).toHaveLength(100);
    for (const limit of [1, 3, 40]) expect(idsOf(indexOf(documents).rank('word', limit))).toEqual(all.slice(0, limit));
  });
});

describe('when no document has a term of the query', () => {
  test.each([
    ['two typos', 'configuratuin', 'the configuration', true],
    ['a part of a compound', 'maxsockets', 'sockets', true],
    ['a Russian ending', 'таблицами', 'таблица', true],
    ['another word', 'zebra', 'the configuration', false],
    ['numbers are not compared', '1234', '1235 12345', false],
    ['Chinese is not compared', '缓存器械', '数据表', false],
  ] as const)(
    'it finds documents with a word of a similar spelling, and marks them: %s',
    (reason, query, text, isFound) => {
      const index = indexOf(documentsOf(text, 'nothing'));
      const found = index.rank(query, 10);
      expect(idsOf(found), reason).toEqual(isFound ? ['0'] : []);
      for (const one of found) expect(one.isSimilar, reason).toBe(true);
    },
  );

  test('words of a similar spelling do not count beside terms', () => {
    const found = indexOf(documentsOf('configuration', 'token')).rank('configuratuin token zebra', 10);
    expect(found).toMatchObject([{ id: '1', isSimilar: true, matched: ['token'] }]);
    expect(found).toHaveLength(1);
  });
});

const alphabet = [
  'redis',
  'cache',
  'table',
  'readFile',
  'the',
  '表格',
  '缓存',
  '的',
  '内容',
  '3x3',
  '🎉',
  '한국',
  ' ',
  '，',
];
const textArbitrary = fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }).map((words) => words.join(' '));
const runArbitrary = fc
  .array(fc.constantFrom(...'表格内容缓存的了一𠮷'), { minLength: 2, maxLength: 12 })
  .map((all) => all.join(''));
const documentsArbitrary = fc
  .array(fc.tuple(fc.oneof(textArbitrary, runArbitrary), fc.nat(3)), { maxLength: 12 })
  .map((all) => all.map(([text, timeMs], place): RankDocument => ({ id: `${place}`, text, timeMs })));

/** BM25 as in the literature, for one document and one term at a time. */
function rankSlowly(query: string, documents: readonly RankDocument[]): { id: string; score: number }[] {
  const terms = documents.map(({ text }) => termsOf(text));
  const averageLength = terms.flat().length / documents.length;
  const scored = documents.map(({ id, timeMs }, place) => {
    const own = terms[place] ?? [];
    let score = 0;
    for (const { term, weight } of readQuery(query).terms) {
      const frequency = own.filter((one) => one === term).length;
      if (frequency === 0) continue;
      const having = terms.filter((some) => some.includes(term)).length;
      const value = weight * inverseDocumentFrequency(having, documents.length);
      score += value * termFrequencyScore(frequency, own.length, averageLength);
    }
    return { id, timeMs, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score || right.timeMs - left.timeMs || (left.id < right.id ? -1 : 1))
    .map(({ id, score }) => ({ id, score }));
}

/** The formula knows no related words. */
const noGlossary = { relatedTo: () => [] };

const withoutMarks = (ranked: readonly RankedDocument[]): { id: string; score: number }[] =>
  ranked.filter(({ matched }) => matched.length > 0).map(({ id, score }) => ({ id, score }));

/** Whether a text has a word of the query, or a pair without a stop character, that at most four other texts have. */
function hasRareWord(query: string, text: string, documents: readonly RankDocument[]): boolean {
  const own = new Set(termsOf(text));
  const others = documents.map((one) => new Set(termsOf(one.text)));
  return readQuery(query).terms.some(
    ({ term, weight }) => weight === 1 && own.has(term) && others.filter((terms) => terms.has(term)).length <= 5,
  );
}

const ofTerms = (ranked: readonly RankedDocument[]): readonly RankedDocument[] =>
  ranked.filter((one) => one.isSimilar !== true);

describe('an index', () => {
  test('ranks like the formula', () => {
    fc.assert(
      fc.property(textArbitrary, documentsArbitrary, (query, documents) => {
        const found = withoutMarks(indexOf(documents).rank(query, 100, { glossary: noGlossary }));
        const ids = new Set(found.map(({ id }) => id));
        const slow = rankSlowly(query, documents);
        expect(found).toEqual(slow.filter(({ id }) => ids.has(id)));
        for (const { id } of slow) {
          expect(ids.has(id) || !hasRareWord(query, documents[Number(id)]?.text ?? '', documents)).toBe(true);
        }
      }),
    );
  });

  test('does not depend on the order of documents', () => {
    fc.assert(
      fc.property(
        fc.oneof(textArbitrary, fc.constantFrom('rediss', 'tabel cach')),
        documentsArbitrary,
        (query, documents) => {
          const ranked = indexOf(documents).rank(query, 100);
          expect(indexOf(documents.toReversed()).rank(query, 100)).toEqual(ranked);
        },
      ),
    );
  });

  test('still finds the same documents after another one was added', () => {
    fc.assert(
      fc.property(textArbitrary, documentsArbitrary, textArbitrary, (query, documents, text) => {
        const index = indexOf(documents);
        const before = idsOf(ofTerms(index.rank(query, 100)));
        index.add({ id: 'other', text, timeMs: 0 });
        expect(idsOf(index.rank(query, 100))).toEqual(expect.arrayContaining(before));
      }),
    );
  });

  test('finds every document with two adjacent characters of the query', () => {
    fc.assert(
      fc.property(runArbitrary, documentsArbitrary, (query, all) => {
        // No term of so few documents is common.
        const documents = all.slice(0, 5);
        const found = new Set(idsOf(indexOf(documents).rank(query, 100)));
        const characters = [...query];
        const having = documents.filter(({ text }) =>
          characters.some((one, place) => {
            const pair = `${characters[place - 1]}${one}`;
            // A pair with a particle says no more than a single character.
            return place > 0 && !/[的了]/u.test(pair) && text.includes(pair);
          }),
        );
        for (const { id, text } of having) expect(found.has(id), `${query} in ${text}`).toBe(true);
      }),
    );
  });

  test('ranks like a new index after documents were removed and replaced', () => {
    const step = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      text: fc.option(textArbitrary),
      timeMs: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), textArbitrary, (steps, query) => {
        const index = createTermIndex();
        const left = new Map<string, RankDocument>();
        for (const { id, text, timeMs } of steps) {
          const isThere = left.delete(id);
          const isRemoved = text === null && index.remove(id);
          expect(isRemoved).toBe(text === null && isThere);
          if (text !== null) {
            index.add({ id, text, timeMs });
            left.set(id, { id, text, timeMs });
          }
          expect(index.has(id)).toBe(text !== null);
        }
        expect(index.size).toBe(left.size);
        expect(index.rank(query, 100)).toEqual(indexOf([...left.values()]).rank(query, 100));
      }),
    );
  });

  test('ranks the same after its documents were replaced many times', () => {
    const documents = documentsOf('redis cache', '表格内容', 'the table', 'redis 表格');
    const index = indexOf(documents);
    for (let round = 0; round < 100; round++) {
      for (const document of documents) index.add({ ...document, text: `old${round} redis` });
      for (const document of documents) index.add(document);
    }
    expect(index.size).toBe(4);
    for (const query of ['redis table', '表格', 'the', 'old']) {
      expect(index.rank(query, 10)).toEqual(indexOf(documents).rank(query, 10));
    }
    expect(index.remove('2')).toBe(true);
    expect(index.rank('table', 10)).toEqual([]);
  });

  test('is empty when it is created', () => {
    expect(createTermIndex().rank('redis', 5)).toEqual([]);
  });
});
