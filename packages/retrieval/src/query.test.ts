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
