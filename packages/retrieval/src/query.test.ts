import { expect, test } from 'vitest';
import { readQuery } from './query.ts';
import type { Query } from './query.ts';

type Row = readonly [reason: string, query: string, terms: Readonly<Record<string, number>>, basis: Query['basis']];

const rows: readonly Row[] = [
  ['a word has weight 1', 'gateway token', { gateway: 1, token: 1 }, 'words'],
  ['each term appears once', 'token Tokens TOKEN', { token: 1 }, 'words'],
  ['stop words are left out', 'how do I configure the gateway', { configur: 1, gateway: 1 }, 'words'],
  ['an identifier made of stop words is not a stop word', 'isOn', { ison: 1 }, 'words'],
  ['a query of stop words searches for them', 'to be', { to: 1, be: 1 }, 'common-words'],
  ['a pair has weight 1, its characters 0.2', '表格', { 表: 0.2, 表格: 1, 格: 0.2 }, 'words'],
  ['a single character has weight 1', '表', { 表: 1 }, 'words'],
  ['a single character keeps its weight beside a pair with it', '表 表格', { 表: 1, 表格: 1, 格: 0.2 }, 'words'],
  [
    'stop characters are left out, pairs with one have weight 0.2',
    '我的表',
    { 我: 0, 我的: 0.2, 的表: 0.2, 表: 0.2 },
    'words',
  ],
  ['a query of stop characters searches for them', '的', { 的: 1 }, 'common-words'],
  ['quotes, stars and operators of FTS5 are plain text', '"a" OR b* NEAR(c)', { b: 1, near: 1, c: 1 }, 'words'],
  ['punctuation has no terms', '?! …', {}, 'nothing'],
  ['an empty query has no terms', '', {}, 'nothing'],
];

test.each(rows)('%s', (reason, query, terms, basis) => {
  const read = readQuery(query);
  const expected = Object.fromEntries(Object.entries(terms).filter(([, weight]) => weight > 0));
  expect(Object.fromEntries(read.terms.map(({ term, weight }) => [term, weight])), reason).toEqual(expected);
  expect(read.basis, reason).toBe(basis);
});

interface UnitRow {
  readonly reason: string;
  readonly query: string;
  /** Each unit as its terms, its character in brackets, `?` for the form of a question. */
  readonly units: readonly string[];
}

const unitRows: readonly UnitRow[] = [
  { reason: 'a word is a unit', query: 'the gateway tokens', units: ['gateway', 'token'] },
  { reason: 'a word is one unit', query: 'token tokens', units: ['token'] },
  { reason: 'an identifier belongs to its last word', query: 'readFile', units: ['read', 'file|readfil'] },
  { reason: 'an identifier of stop words is a unit', query: 'isOn', units: ['ison'] },
  { reason: 'a character has the pairs with it', query: '表格内', units: ['表格(表)', '表格|格内(格)', '格内(内)'] },
  { reason: 'a particle has no pairs', query: '表的格', units: ['(表)', '(格)'] },
  { reason: 'other stop characters have pairs', query: '会议', units: ['会议(议)'] },
  { reason: 'words of questions are left out', query: 'how often do you use redis', units: ['redi'] },
  { reason: 'characters of questions are marked', query: '多少钱', units: ['(多)?', '少钱(少)?', '少钱(钱)'] },
  { reason: 'a query of words of questions has them', query: 'use it often', units: ['use', 'often'] },
  { reason: 'a query of stop words has them', query: 'to be', units: ['to', 'be'] },
];

test.each(unitRows)('units: $reason', ({ query, units }) => {
  const read = readQuery(query).units.map(({ terms, character, isQuestion }) =>
    [terms.join('|'), character && `(${character})`, isQuestion && '?'].filter(Boolean).join(''),
  );
  expect(read).toEqual(units);
});
