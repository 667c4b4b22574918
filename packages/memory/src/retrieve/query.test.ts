import { expect, test } from 'vitest';
import { readQuery } from './query.ts';
import type { Query } from './query.ts';

type Row = readonly [reason: string, query: string, terms: Readonly<Record<string, number>>, basis: Query['basis']];

const rows: readonly Row[] = [
  ['words count one', 'gateway token', { gateway: 1, token: 1 }, 'words'],
  ['each once', 'token Tokens TOKEN', { token: 1 }, 'words'],
  ['stop words are out', 'how do I configure the gateway', { configur: 1, gateway: 1 }, 'words'],
  ['an identifier of stop words is none', 'isOn', { ison: 1 }, 'words'],
  ['only stop words: they are what is asked for', 'to be', { to: 1, be: 1 }, 'common-words'],
  ['pairs count one, their characters little', '表格', { 表: 0.2, 表格: 1, 格: 0.2 }, 'words'],
  ['a character alone counts one', '表', { 表: 1 }, 'words'],
  ['also when it is part of a pair elsewhere', '表 表格', { 表: 1, 表格: 1, 格: 0.2 }, 'words'],
  ['function characters are out, pairs with them little', '我的表', { 我: 0, 我的: 0.2, 的表: 0.2, 表: 0.2 }, 'words'],
  ['only function characters: they are what is asked for', '的', { 的: 1 }, 'common-words'],
  ['no syntax: quotes, stars, operators of FTS5', '"a" OR b* NEAR(c)', { b: 1, near: 1, c: 1 }, 'words'],
  ['nothing that could be looked for', '?! …', {}, 'nothing'],
  ['an empty query', '', {}, 'nothing'],
];

test.each(rows)('%s', (reason, query, terms, basis) => {
  const read = readQuery(query);
  const expected = Object.fromEntries(Object.entries(terms).filter(([, weight]) => weight > 0));
  expect(Object.fromEntries(read.terms.map(({ term, weight }) => [term, weight])), reason).toEqual(expected);
  expect(read.basis, reason).toBe(basis);
});
