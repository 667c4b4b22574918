import { expect, test } from 'vitest';
import { Judge, withEvidence, type Coverage } from './evidence.ts';
import { readQuery } from './query.ts';
import { createTermIndex } from './term-index.ts';
import { termsOf } from './terms.ts';

/** `enough`: an answer even without a margin. `little`: marked. `none`: left out. */
type Verdict = 'enough' | 'little' | 'none';

interface Row {
  readonly reason: string;
  readonly query: string;
  readonly text: string;
  /** How many documents have a term. Others: 1 when the text has the term, else 0. */
  readonly frequencies?: Readonly<Record<string, number>>;
  readonly documents?: number;
  readonly evidence: Verdict;
}

const rows: readonly Row[] = [
  { reason: 'all words', query: 'gateway port', text: 'the gateway has a port', evidence: 'enough' },
  { reason: 'two rare words of three', query: 'gateway port zebra', text: 'a gateway port', evidence: 'enough' },
  {
    reason: 'a rare word and a third of the weight',
    query: 'gateway zebra tiger',
    text: 'a gateway',
    evidence: 'little',
  },
  {
    reason: 'common words and half of the weight',
    query: 'gateway port',
    text: 'a gateway',
    frequencies: { gateway: 20, port: 20 },
    documents: 200,
    evidence: 'little',
  },
  {
    reason: 'all words, although they are common',
    query: 'gateway port',
    text: 'the port of a gateway',
    frequencies: { gateway: 20, port: 20 },
    documents: 200,
    evidence: 'enough',
  },
  {
    reason: 'one common word of many',
    query: 'gateway lion tiger zebra',
    text: 'a gateway',
    frequencies: { gateway: 50 },
    documents: 200,
    evidence: 'none',
  },
  {
    reason: 'three rare words of a long query',
    query: `alpha beta gamma ${Array.from('bcdfghjk', (letter) => `zz${letter}`).join(' ')}`,
    text: 'alpha beta gamma',
    evidence: 'enough',
  },
  {
    reason: 'words of the question do not count against a document',
    query: 'how often does one need to use the gateway',
    text: 'a gateway',
    evidence: 'enough',
  },
  { reason: 'an identifier in another spelling', query: 'read_file', text: 'readFile', evidence: 'enough' },
  { reason: 'all pairs', query: '网关端口', text: '网关的端口', evidence: 'enough' },
  { reason: 'one of two words without a margin', query: '网关端口', text: '网关坏了', evidence: 'little' },
  { reason: 'one of three words', query: '网关端口协议', text: '网关坏了', evidence: 'little' },
  { reason: 'single characters are never enough', query: '表格', text: '表中有格', evidence: 'little' },
  { reason: 'one character of four', query: '表格内容', text: '表头是姓名', evidence: 'little' },
  { reason: 'one character of six', query: '表格缓存颜色', text: '表头是姓名', evidence: 'none' },
  {
    reason: 'a single common character',
    query: '表格内容',
    text: '表头是姓名',
    frequencies: { 表: 40 },
    documents: 200,
    evidence: 'none',
  },
  {
    reason: 'a common character that is the whole query',
    query: '表',
    text: '表头是姓名',
    frequencies: { 表: 40 },
    documents: 200,
    evidence: 'little',
  },
  { reason: 'a pair of two characters of questions', query: '多少网关协议', text: '没有多少', evidence: 'none' },
  { reason: 'a pair with a particle', query: '我的网关协议', text: '我的', evidence: 'none' },
  { reason: 'only stop words', query: 'to be', text: 'to be', evidence: 'little' },
  { reason: 'only words of any question', query: 'which may I', text: 'you may', evidence: 'little' },
  { reason: 'a number and a unit of time', query: 'eight hours', text: 'every eight hours', evidence: 'little' },
];

function coverageOf({
  query,
  text,
  frequencies = {},
  documents = 10,
}: Omit<Row, 'evidence' | 'reason'>): Coverage | undefined {
  const own = new Set(termsOf(text));
  const parsed = readQuery(query);
  const terms = parsed.terms.map(({ term, weight }) => {
    return { term, weight, documentFrequency: frequencies[term] ?? (own.has(term) ? 1 : 0) };
  });
  const matched = terms.filter(({ term }) => own.has(term));
  return new Judge(parsed, { documents, terms, relations: [] }).coverageOf({ matched, related: [] });
}

/** Two documents with the same score have no margin. */
function verdictOf(row: Omit<Row, 'evidence' | 'reason'>): Verdict {
  const coverage = coverageOf(row);
  if (coverage === undefined) return 'none';
  const [first] = withEvidence([{ score: 1, coverage }, { score: 1 }]);
  return first?.isSimilar === true ? 'little' : 'enough';
}

test.each(rows)('$reason: $evidence', (row) => {
  expect(verdictOf(row)).toBe(row.evidence);
});

test('names the words that are missing, characters in one piece, and leaves out words of any question', () => {
  const missing = (query: string, text: string): readonly string[] | undefined => coverageOf({ query, text })?.missing;
  expect(missing('how many tokens does the gateway need on Ruby', 'a gateway')).toEqual(['tokens', 'Ruby']);
  expect(missing('网关的端口协议是多少', '网关')).toEqual(['端口协议']);
  const long = Array.from({ length: 40 }, (_, place) => `word${'abcdefghij'[place % 10]}${place}`).join(' ');
  expect(missing(`gateway ${long}`, 'a gateway')).toHaveLength(12);
});

const strengthOf = (row: Omit<Row, 'evidence' | 'reason'>): number =>
  withEvidence([{ score: 1, coverage: coverageOf(row) }, { score: 1 }])[0]?.evidence?.strength ?? 0;

test('a missing name weighs more than another missing word', () => {
  const [ruby, other] = ['Ruby', 'ruby'].map((name) =>
    strengthOf({ query: `which version of ${name} runs`, text: 'a version runs' }),
  );
  expect(ruby).toBeLessThan(other ?? 0);
});

test('a missing word that few other documents have weighs more than one that no document has', () => {
  const row = { query: 'gateway zebra', text: 'a gateway', documents: 100 };
  const [known, unknown] = [{ gateway: 1, zebra: 2 }, { gateway: 1 }].map((frequencies) =>
    strengthOf({ ...row, frequencies }),
  );
  expect(known).toBeLessThan(unknown ?? 0);
});

test('a document far above the next one has more evidence, and the margin says how far', () => {
  const coverage = coverageOf({ query: 'gateway zebra', text: 'a gateway' });
  const evidence = (next: number) =>
    withEvidence([
      { score: 4, coverage },
      { score: next, coverage },
    ])[0]?.evidence;
  expect([evidence(4)?.margin, evidence(3)?.margin, evidence(0)?.margin]).toEqual([0, 0.25, 1]);
  expect(evidence(1)?.strength).toBeGreaterThan(evidence(4)?.strength ?? 1);
});

test('nothing below a marked document is unmarked', () => {
  const [all, some] = ['a gateway port', 'a gateway'].map((text) =>
    coverageOf({ query: 'gateway port zebra tiger', text }),
  );
  const marks = (hits: readonly { score: number; coverage?: Coverage | undefined }[], bound?: number): boolean[] =>
    withEvidence(hits, bound).map(({ isSimilar }) => isSimilar === true);
  const hits = [{ score: 3, coverage: all }, { score: 3, coverage: some }, { score: 3, coverage: all }, { score: 3 }];
  expect(marks(hits, 0.2)).toEqual([false, false, false, true]);
  const between =
    withEvidence(hits)
      .slice(0, 2)
      .reduce((sum, one) => sum + (one.evidence?.strength ?? 0), 0) / 2;
  expect(marks(hits, between)).toEqual([false, true, true, true]);
});

test('the bound of a call decides what is marked: 0 marks nothing that has a word of the query', () => {
  const index = createTermIndex();
  index.add({ id: 'a', text: 'the gateway', timeMs: 0 });
  const query = 'gateway zebra tiger lion';
  expect(index.rank(query, 1)[0]?.isSimilar).toBe(true);
  expect(index.rank(query, 1, { minEvidence: 0 })[0]).not.toHaveProperty('isSimilar');
  expect(index.rank('gateway', 1, { minEvidence: 1 })[0]?.isSimilar).toBe(true);
});

test('a related word counts at most half of the word itself, and is named', () => {
  const glossary = {
    relatedTo: () => [{ word: 'timeout', of: ['timeout'], related: '超时', terms: ['超时'], weight: 0.5 }],
  };
  const index = createTermIndex();
  index.add({ id: 'word', text: 'timeout of x', timeMs: 0 });
  index.add({ id: 'related', text: '超时 x y z', timeMs: 0 });
  const [word, related] = index.rank('timeout', 2, { glossary });
  expect([word?.id, related?.id]).toEqual(['word', 'related']);
  expect(related?.score).toBeLessThanOrEqual((word?.score ?? 0) / 2);
  expect(word?.evidence).not.toHaveProperty('related');
  expect(related?.evidence).toMatchObject({
    covered: 0.5,
    missing: [],
    related: [{ kind: 'glossary', word: 'timeout', related: '超时' }],
  });
});

test('of several words that are related to one word, a document has the best one', () => {
  const of = ['timeout'];
  const all = ['alpha', 'beta'].map((one) => ({ word: 'timeout', of, related: one, terms: [one], weight: 0.5 }));
  const index = createTermIndex();
  index.add({ id: 'both', text: 'alpha beta', timeMs: 0 });
  index.add({ id: 'one', text: 'alpha x', timeMs: 0 });
  index.add({ id: 'other', text: 'beta x', timeMs: 0 });
  const scores = index.rank('timeout', 3, { glossary: { relatedTo: () => all } }).map(({ score }) => score);
  expect(new Set(scores).size).toBe(1);
});

test('a phrase is related only to documents with all of its terms', () => {
  const related = { word: 'lb', of: ['lb'], related: 'load balancer', terms: ['load', 'balanc'], weight: 0.5 };
  const index = createTermIndex();
  index.add({ id: 'phrase', text: 'a load balancer', timeMs: 0 });
  index.add({ id: 'word', text: 'the load of a page', timeMs: 0 });
  expect(index.rank('lb', 5, { glossary: { relatedTo: () => [related] } }).map(({ id }) => id)).toEqual(['phrase']);
});

test('a typo is corrected, and named', () => {
  const index = createTermIndex();
  index.add({ id: 'a', text: 'the configuration of the gateway', timeMs: 0 });
  const [found] = index.rank('confguration gateway', 5);
  expect(found?.isSimilar).toBeUndefined();
  expect(found?.evidence?.related).toEqual([{ kind: 'spelling', word: 'confguration', related: 'configuration' }]);
  expect(found?.matched).toEqual(['gateway', 'configur']);
});
