/** The first hour with remember, recall and share: the block of the README, and the words that a newcomer meets. */
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createKnowledge } from '@cairn/knowledge';
import { createMemory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { memoryToolSet } from '@cairn/memory/tools';
import { createToolSession, textOf } from '@cairn/tool';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { cairn, cairnEntry, cleanEnv } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { newcomer, remember } from './newcomer.ts';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

test.skipIf(process.platform === 'win32')('the README alone leads to a fact, an answer and an asset', async () => {
  const block = codeBlocksOf('README.md', readme).find(({ text }) => text.includes('cairn knowledge share'));
  const commands = (block?.text ?? '').split('\n').map((line) => line.replace(/^\$ /u, ''));
  expect(commands).toHaveLength(4);
  const [bin, home] = [temporaryDirectory(), temporaryDirectory()];
  writeFileSync(join(bin, 'cairn'), `#!/bin/sh\nexec "${process.execPath}" "${cairnEntry}" "$@"\n`, { mode: 0o755 });
  const env = cleanEnv({ PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, HOME: home });
  const script = commands.map((command) => `${command}\necho '=='`).join('\n');
  const { stdout } = await promisify(execFile)('/bin/sh', ['-e', '-c', script], { cwd: home, env });
  const [, answer, asset, all] = stdout.split('==\n');
  expect(answer).toMatch(/ fact fact_\w+ project: the tests need redis-server, started by hand\n$/u);
  expect(asset).toBe('general/the-tests-need-redis-server-started-by-hand\n');
  expect(all?.match(/Z (?:asset|fact) /gu)).toHaveLength(2);
});

/** Words of the design that nobody needs in a first hour. */
const INNER = /\b(?:streams?|groups?|namespaces?|layers?|gaps?)\b/iu;

/** Returns the lines with such a word. */
function innerLines(text: string): string[] {
  return text.split('\n').filter((line) => INNER.test(line));
}

describe('the words of the design are not met', () => {
  test('in the section of the README', () => {
    const [, section = ''] = /\n## Remember, recall, share\n([^]*?)\n## /u.exec(readme) ?? [];
    expect(section).toContain('cairn recall');
    expect(innerLines(section)).toEqual([]);
  });

  test.each([[['--help']], [['recall', '--help']], [['knowledge', 'share', '--help']]])('in %j', async (args) => {
    const { stdout } = await cairn(args);
    expect(stdout).toContain('Usage: cairn');
    expect(innerLines(stdout)).toEqual([]);
  });

  test('in what remember, recall and share print, and in the start block', async () => {
    const one = newcomer();
    const printed = [await one(['recall']), await one(['recall', 'x'])];
    const id = await remember(one, 'the tests need redis-server');
    for (const args of [
      ['memory', 'remember', 'the tests need redis-server'],
      ['memory', 'remember', 'the tests need redis-server 7'],
      ['recall', 'redis'],
      ['recall', 'zebra'],
      ['recall'],
      ['knowledge', 'share', id],
      ['knowledge', 'share', id],
      ['knowledge', 'share', 'fact_none'],
      ['memory', 'start'],
    ])
      printed.push(await one(args));
    expect(innerLines(printed.map(({ stdout, stderr }) => `${stdout}${stderr}`).join(''))).toEqual([]);
  });

  test('in the descriptions and answers of the tools', async () => {
    const memory = createMemory({ backend: inProcess(), project: 'app' });
    const knowledge = createKnowledge({ directory: temporaryDirectory(), backend: inProcess(), env: {} });
    const context = {
      roots: ['/'] as const,
      naming: 'default',
      readOnly: false,
      session: createToolSession(),
      signal: new AbortController().signal,
    };
    const known = await createKnowledgeToolSet({ open: () => Promise.resolve(knowledge) }).open(context);
    const kept = await memoryToolSet({ open: () => Promise.resolve(memory) }).open(context);
    const tools = { ...known.tools, ...kept.tools };
    const shown = Object.values(tools).map(({ name, description, inputSchema }) =>
      JSON.stringify([name, description, z.toJSONSchema(inputSchema, { io: 'input' })]),
    );
    expect(innerLines(shown.join('\n'))).toEqual([]);
    expect(innerLines(`${known.instructions}\n${kept.instructions}`)).toEqual([]);
    const answers: string[] = [];
    for (const [name, input] of [
      ['recall', {}],
      ['recall', { query: 'redis' }],
      ['remember', { text: 'the tests need redis-server' }],
      ['recall', { query: 'redis' }],
      ['recall', { query: 'zebra' }],
    ] as const) {
      const result = await tools[name]?.execute(input);
      if (result !== undefined) answers.push(textOf(result));
    }
    const [, fact = ''] = /Remembered as (fact_\w+)/u.exec(answers.join('\n')) ?? [];
    for (let time = 0; time < 2; time++) {
      const result = await tools['sink_asset']?.execute({ fact });
      if (result !== undefined) answers.push(textOf(result));
    }
    expect(answers).toHaveLength(7);
    expect(innerLines(answers.join('\n'))).toEqual([]);
    await knowledge.close();
  });
});
