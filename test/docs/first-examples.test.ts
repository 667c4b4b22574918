/** The first example of each README is what a newcomer pastes: it runs, twice, and leaves the newcomer's own files alone. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { cleanEnv } from '../support/cli.ts';
import { startModelServer } from '../support/model-server.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { codeBlocksOf } from './code-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Example {
  readonly name: string;
  readonly code: string;
  /** What the README states that it prints; absent when it states nothing. */
  readonly prints: string | undefined;
}

/** Returns the first TypeScript example of a README, or a later one by its index, with the output after it. */
function exampleOf(name: string, index: number = 0): Example | undefined {
  const markdown = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
  const blocks = codeBlocksOf(name, markdown);
  const block = blocks.filter(({ language }) => language === 'ts')[index];
  const at = block === undefined ? -1 : blocks.indexOf(block);
  if (block === undefined) return undefined;
  const next = blocks[at + 1];
  const between = markdown.split('\n').slice(block.line + block.text.split('\n').length + 1, (next?.line ?? 0) - 1);
  const isOutput = next?.language === 'text' && between.join('').trim() === 'It prints:';
  return { name, code: block.text, prints: isOutput ? next.text : undefined };
}

const examples = readdirSync(join(root, 'packages')).flatMap((name) => exampleOf(name) ?? []);
/** The examples after the first ones that are about the main job of their package. */
const longExamples = ['context', 'hosts'].flatMap((name) => exampleOf(name, 1) ?? []);

/** Writes an example where its packages are found. */
function programOf({ code }: Example): string {
  const cache = join(root, 'test/node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'first-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'example.mjs');
  // Node strips no types below node_modules, and only there are the packages found.
  writeFileSync(file, stripTypeScriptTypes(code));
  return file;
}

interface Outcome {
  readonly code: unknown;
  readonly output: string;
}

function run(program: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Outcome> {
  return new Promise((settle) => {
    const child = execFile(process.execPath, [program], { cwd, env: cleanEnv(env) }, (error, stdout, stderr) =>
      settle({ code: error?.code ?? 0, output: `${stdout}${stderr}`.trimEnd() }),
    );
    child.stdin?.end();
  });
}

const isAboutAModel = ({ name }: Example): boolean => name === 'agents';

test.each([...examples.filter((example) => !isAboutAModel(example)), ...longExamples])(
  'an example of packages/$name runs twice, and the home directory stays empty',
  async (example) => {
    const program = programOf(example);
    const [cwd, home] = [temporaryDirectory(), temporaryDirectory()];
    const first = await run(program, cwd, { HOME: home });
    expect(first).toEqual({ code: 0, output: first.output });
    expect(first.output).not.toBe('');
    expect(first.output).toBe(example.prints ?? first.output);
    expect(await run(program, cwd, { HOME: home })).toEqual(first);
    expect(readdirSync(home, { recursive: true })).toEqual([]);
  },
);

test('no example and no source declares with `using`, which is a syntax error in Node 22', () => {
  const packages = join(root, 'packages');
  const written = readdirSync(packages).flatMap((name) => {
    const readme = join(packages, name, 'README.md');
    const sources = join(packages, name, 'src');
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    );
    return [readme, ...files.map((file) => join(sources, file))];
  });
  expect(written.length).toBeGreaterThan(500);
  expect(written.filter((file) => /^\s*(?:await )?using \w+ = /mu.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('every package has such an example, but for the command', () => {
  expect(examples.map(({ name }) => name)).toEqual(
    readdirSync(join(root, 'packages')).filter((name) => name !== 'cli'),
  );
  expect(longExamples).toHaveLength(2);
});

/** The first example, which prints the answer, and the one after it, which prints events and usage. */
const modelExamples = [0, 1].flatMap((index) => exampleOf('agents', index) ?? []);

test('the second example with a model counts its tokens, even if it fails', async () => {
  const [, second] = modelExamples;
  const env = { HOME: temporaryDirectory(), CAIRN_BASE_URL: 'http://127.0.0.1:9/v1' };
  const { output } = await run(programOf(second as Example), temporaryDirectory(), env);
  expect(output).toMatch(/^error, 0 tokens read$/mu);
});

test.each(modelExamples)('an example with a model prints why it failed', async (example) => {
  const [program, home] = [programOf(example), temporaryDirectory()];
  // Nothing listens on the port of discard.
  const outcome = await run(program, temporaryDirectory(), { HOME: home, CAIRN_BASE_URL: 'http://127.0.0.1:9/v1' });
  expect(outcome.output).toMatch(/^AgentError: .*127\.0\.0\.1:9/mu);
  expect(readdirSync(home, { recursive: true })).toEqual([]);
});

test.each(modelExamples)('an example with a model prints the answer', async (example) => {
  const [program, home] = [programOf(example), temporaryDirectory()];
  await using server = await startModelServer(() => ({ text: 'It is fine.' }));
  for (let time = 0; time < 2; time++) {
    const outcome = await run(program, temporaryDirectory(), { HOME: home, CAIRN_BASE_URL: server.url });
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.output).toContain('It is fine.');
  }
  expect(readdirSync(home, { recursive: true })).toEqual([]);
});
