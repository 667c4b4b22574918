import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { followsLayers } from '../../bench/knowledge-agent/judge.ts';
import type { Call } from '../../bench/knowledge-agent/judge.ts';
import { wordings } from '../../bench/knowledge-agent/wordings.ts';
import { cleanEnv } from '../support/cli.ts';
import { startModelServer, systemPromptOf, transcriptOf } from '../support/model-server.ts';

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

const program = fileURLToPath(new URL('../../bench/knowledge-agent/run.ts', import.meta.url));

/** The benchmarks are installed apart from the workspace: without that, their imports of its packages are resolved from here. */
const preload = `data:text/javascript,import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) =>
  next(name, name.startsWith('@cairn/') ? { ...context, parentURL: '${import.meta.url}' } : context) });`;

test('with a model it prints for each wording how many questions followed the layers', async () => {
  // It searches and reads the first result with the wording of sessions, and with the other one it calls nothing.
  await using server = await startModelServer((request) => {
    const [question = '', , , answer] = transcriptOf(request);
    const [, found = ''] =
      transcriptOf(request)
        .join('\n')
        .match(/get_asset (\{[^}]*\})/u) ?? [];
    if (!systemPromptOf(request).includes('RETRIEVAL-FIRST POLICY') || answer !== undefined) return { text: 'Done.' };
    const query = question.replace(/^user: /u, '');
    if (transcriptOf(request).length === 1) return { toolCalls: [{ name: 'search_knowledge', input: { query } }] };
    return found === '' ? { text: 'Nothing.' } : { toolCalls: [{ name: 'get_asset', input: found }] };
  });
  const env = cleanEnv({ CAIRN_MODEL: 'scripted-1', CAIRN_BASE_URL: server.url });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', preload.replaceAll('\n', ' '), program, '--questions', '6'],
    { env },
  );
  const rowOf = (name: string): string[] =>
    (stdout.split('\n').find((line) => line.startsWith(`| ${name} `)) ?? '').split('|').map((cell) => cell.trim());
  const [, , followed, right, calls] = rowOf('payload of a session');
  expect(stdout).toMatch(/^scripted-1, tuning half, payload for claude\n/u);
  expect(followed).toMatch(/^[1-6] of 6$/u);
  expect(right).toMatch(/^[1-6] of [1-6]$/u);
  expect(Number(calls)).toBeGreaterThanOrEqual(1);
  expect(rowOf('short and plain').slice(2, 5)).toEqual(['0 of 6', expect.stringMatching(/^0 of /u), '0.0']);
  expect(server.refusals).toEqual([]);
});

test('without a model the benchmark states that it measured nothing', () => {
  const { CAIRN_MODEL: _, ...env } = cleanEnv();
  expect(execFileSync(process.execPath, [program], { encoding: 'utf8', env })).toMatch(/^not measured: CAIRN_MODEL/u);
});
