import { tool } from 'ai';
import type { ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createBench } from './support.ts';

type Generate = Exclude<
  NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>['doGenerate'],
  undefined | ((...args: never[]) => unknown) | readonly unknown[]
>;

const here = dirname(fileURLToPath(import.meta.url));
const readme = readFileSync(join(here, '../../packages/coding-agent/README.md'), 'utf8');
const cache = join(here, '../.cache');
const directories: string[] = [];
afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true }))));

/** What a model says: calls of tools, or that it is done. */
function says(...calls: readonly (readonly [toolName: string, input: object])[]): Generate {
  return {
    content: calls.map(([toolName, input], index) => ({
      type: 'tool-call' as const,
      toolCallId: `call-${index}`,
      toolName,
      input: JSON.stringify(input),
    })),
    finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  };
}

test('the program of the README runs with a model through the AI SDK', async () => {
  const bench = createBench({ 'src/main.ts': 'foo(); // TODO\nfoo(); // later\n' });
  const model = new MockLanguageModelV4({
    doGenerate: [
      says(['read', { path: 'src/main.ts' }]),
      says(['edit', { path: 'src/main.ts', old_text: 'foo()', new_text: 'bar()', replace_all: true }]),
      says(['grep', { pattern: 'foo' }]),
      says(),
    ],
  });
  const program =
    [...readme.matchAll(/```ts\n(.*?)```/gsu)].find(([, code = '']) => code.includes('generateText'))?.[1] ?? '';
  const given = 'const { model } = (globalThis as unknown as { given: { model: never } }).given;';
  // Below this directory, from where the packages are found.
  mkdirSync(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, 'readme-'));
  directories.push(directory);
  const path = join(directory, 'program.ts');
  const source = program.replaceAll('/home/me/project', bench.root);
  writeFileSync(path, `${given}\n${source}`);
  Object.assign(globalThis, { given: { model } });
  await import(path);

  expect(bench.text('src/main.ts')).toBe('bar(); // TODO\nbar(); // later\n');
  expect(model.doGenerateCalls).toHaveLength(4);
  const answers = model.doGenerateCalls.at(-1)?.prompt.filter(({ role }) => role === 'tool');
  const outputs = JSON.stringify(answers);
  expect(outputs).toContain('foo(); // TODO');
  expect(outputs).toContain('2 replacements');
  expect(outputs).toMatch(/[Nn]o match/u);
});

test('each tool is a tool of the AI SDK as it is', () => {
  const { tools } = createBench({});
  const set: ToolSet = tools;
  expect(set['patch']).toBe(tools.patch);
  expect(tool(tools.read)).toBe(tools.read);
  expect(tool(tools.edit)).toBe(tools.edit);
});
