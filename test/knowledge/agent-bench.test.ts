import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { followsLayers } from '../../bench/knowledge-agent/judge.ts';
import type { Call } from '../../bench/knowledge-agent/judge.ts';
import { wordings } from '../../bench/knowledge-agent/wordings.ts';
import { cleanEnv } from '../support/cli.ts';

const search: Call = { name: 'search_knowledge', input: { query: 'retries' } };
const scan: Call = { name: 'scan_index', input: { query: 'retries' } };
const read = (name: string, line?: string): Call => ({ name: 'get_asset', input: { name, product_line: line } });
const one = { exact: ['infra/a'], found: ['infra/a', 'infra/b'], isAnswered: true };
const many = { exact: ['infra/a', 'infra/b', 'infra/c'], found: ['infra/b'], isAnswered: true };
const nothing = { exact: [], found: ['infra/b'], isAnswered: false };

test.each([
  ['reads the exact one', one, [read('a', 'infra')], true],
  ['reads it by its id', one, [read('infra/a')], true],
  ['reads it by its name alone, after a scan', one, [scan, read('a')], true],
  ['reads the name of another product line', one, [read('a', 'core')], false],
  ['searches although one is exact', one, [search, read('a', 'infra')], false],
  ['calls nothing', one, [], false],
  ['searches and reads a result', many, [search, read('b', 'infra')], true],
  ['reads one of many without a search', many, [read('a', 'infra')], false],
  ['searches and reads nothing', many, [search], false],
  ['searches in vain', nothing, [search], true],
  ['scans in vain', nothing, [scan], false],
])('follows the layers: %s', (_, expected, calls, follows) => {
  expect(followsLayers(calls, expected)).toBe(follows);
});

test('both wordings show the same lines of the index', () => {
  const lines = '<!-- INDEX_START -->\na|reference|infra|A||0\n<!-- INDEX_END -->';
  expect(wordings).toHaveLength(2);
  for (const { of } of wordings)
    expect(of(`<cairn-knowledge>\n${lines}\n</cairn-knowledge>`)).toContain('a|reference|');
});

test('without a model the benchmark states that it measured nothing', () => {
  const { CAIRN_MODEL: _, ...env } = cleanEnv();
  const program = fileURLToPath(new URL('../../bench/knowledge-agent/run.ts', import.meta.url));
  expect(execFileSync(process.execPath, [program], { encoding: 'utf8', env })).toMatch(/^not measured: CAIRN_MODEL/u);
});
