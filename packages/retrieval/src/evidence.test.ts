import { expect, test } from 'vitest';
import { createEvidence } from './evidence.ts';
import type { Evidence } from './evidence.ts';
import { readQuery } from './query.ts';
import { termsOf } from './terms.ts';

interface Row {
  readonly reason: string;
  readonly query: string;
  readonly text: string;
  /** How many documents have a term. Others: 1 when the text has the term, else 0. */
  readonly frequencies?: Readonly<Record<string, number>>;
  readonly documents?: number;
  readonly evidence: Evidence;
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
  { reason: 'one of two words', query: '网关端口', text: '网关坏了', evidence: 'enough' },
  { reason: 'one of three words', query: '网关端口协议', text: '网关坏了', evidence: 'little' },
  { reason: 'single characters are never enough', query: '表格', text: '表中有格', evidence: 'little' },
  { reason: 'one character of four', query: '表格内容', text: '表头是姓名', evidence: 'little' },
  { reason: 'one character of six', query: '表格内容颜色', text: '表头是姓名', evidence: 'none' },
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
  { reason: 'only stop words', query: 'to be', text: 'to be', evidence: 'enough' },
];

test.each(rows)('$reason: $evidence', ({ query, text, frequencies = {}, documents = 10, evidence }) => {
  const own = new Set(termsOf(text));
  const parsed = readQuery(query);
  const terms = parsed.terms.map(({ term, weight }) => {
    return { term, weight, documentFrequency: frequencies[term] ?? (own.has(term) ? 1 : 0) };
  });
  const matched = terms.filter(({ term }) => own.has(term));
  expect(createEvidence(parsed, { documents, terms })(matched)).toBe(evidence);
});
