import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cairnEntry, cleanEnv } from '../support/cli.ts';
import { git } from '../support/tools.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { cairnCommandsOf, codeBlocksOf } from './code-blocks.ts';
import type { CodeBlock } from './code-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tracked = git(['ls-files', '-z'], root, { env: { HOME: '/nonexistent' } })
  .toString()
  .split('\0')
  .filter((path) => path !== '');
const blocks = tracked
  .filter((path) => path.endsWith('.md'))
  .flatMap((path) => codeBlocksOf(path, readFileSync(join(root, path), 'utf8')));
const shells = ['console', 'sh', 'bash'];

function titled(wanted: readonly CodeBlock[]): { title: string; block: CodeBlock }[] {
  return wanted.map((block) => ({ title: `${block.file}:${block.line}`, block }));
}

/** The errors of the compiler in each block, each block a module of its own. */
async function compile(modules: readonly CodeBlock[]): Promise<string[]> {
  // Here, because packages are found from here.
  const cache = join(root, 'test/node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'examples-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const files = modules.map((block, index) => {
    const name = `${index}.ts`;
    writeFileSync(join(directory, name), [...(block.notes.get('with') ?? []), block.text, 'export {};', ''].join('\n'));
    return name;
  });
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { noEmit: true, noUnusedLocals: false, isolatedDeclarations: false, declaration: false },
    files,
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '--project', directory, '--pretty', 'false'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: directory }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, index = '', row = '', message = line] = /^(\d+)\.ts\((\d+),\d+\): (.*)$/u.exec(line) ?? [];
      const block = modules[Number(index)];
      const given = (block?.notes.get('with') ?? []).join('\n').split('\n').length;
      const before = block?.notes.has('with') === true ? given : 0;
      return index === '' || block === undefined
        ? line
        : `${block.file}:${block.line + Number(row) - before}: ${message}`;
    });
}

test('every TypeScript example compiles against the real types, as a module of its own', async () => {
  const modules = blocks.filter(({ language, notes }) => language === 'ts' && !notes.has('not compiled'));
  expect(modules.length).toBeGreaterThan(10);
  expect(await compile(modules)).toEqual([]);
});

test('an example that does not compile is reported by its file and line', async () => {
  const [block] = codeBlocksOf('a.md', ['x', '<!-- with: const y = 1; -->', '```ts', '', 'y.z;', '```'].join('\n'));
  expect(block === undefined ? [] : await compile([block])).toEqual([
    "a.md:5: error TS2339: Property 'z' does not exist on type '1'.",
  ]);
});

test.each(titled(blocks.filter(({ language }) => language === 'json')))('$title is valid JSON', ({ block }) => {
  expect(() => JSON.parse(block.text) as unknown).not.toThrow();
});

/** A copy of this repository, in which the examples of the commands run. */
function copyOfRepository(): string {
  const directory = temporaryDirectory();
  for (const path of tracked) {
    // A file that was moved and not yet committed.
    if (!existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    cpSync(join(root, path), join(directory, path));
  }
  return directory;
}

describe.skipIf(process.platform === 'win32')('every example of the command prints what its document shows', () => {
  const runnable = blocks.filter((block) => shells.includes(block.language) && cairnCommandsOf(block).length > 0);

  test.each(titled(runnable))('$title', async ({ block }) => {
    const cwd = copyOfRepository();
    for (const [path = '', content = ''] of (block.notes.get('with') ?? []).map((note) => note.split(/: ?/u))) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), `${content}\n`);
    }
    const bin = temporaryDirectory();
    writeFileSync(join(bin, 'cairn'), `#!/bin/sh\nexec "${process.execPath}" "${cairnEntry}" "$@"\n`, {
      mode: 0o755,
    });
    const env = cleanEnv({ PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, HOME: temporaryDirectory() });
    for (const { command, output } of cairnCommandsOf(block)) {
      // A command that fails rejects with its exit code and its output.
      const running = promisify(execFile)('/bin/sh', ['-c', command], { cwd, env });
      // An open standard input without data would be mentioned.
      running.child.stdin?.end();
      const { stdout, stderr } = await running;
      expect(stdout + stderr, command).not.toBe('');
      const printed = (stdout + stderr).trimEnd();
      const isShown = output !== '' && !block.notes.has('output varies');
      expect(printed, command).toBe(isShown ? output : printed);
    }
  });
});

test('every note before a block states its reason and belongs to a block that it can be about', () => {
  const wrong = blocks.flatMap(({ file, line, language, notes }) =>
    [...notes].flatMap(([kind, texts]) => {
      const fits = ['not run', 'output varies'].includes(kind)
        ? shells.includes(language)
        : kind !== 'not compiled' || language === 'ts';
      return fits && texts.every((text) => text.length >= 10) ? [] : [`${file}:${line}: ${kind}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('reads blocks, their notes and their commands', () => {
  const markdown = [
    '<!-- not run: it asks a question -->',
    '',
    '```console',
    '$ cairn find a    # a remark',
    'output',
    '$ npm start',
    '```',
    'text',
    '```sh',
    'cairn glob b',
    '```',
    '<!-- not run: cairn pick, which needs a terminal -->',
    '```console',
    '$ cairn find a    # a remark',
    'c',
    'd',
    '',
    '$ cairn pick b',
    '```',
    '- a list',
    '  ```ts',
    '  one();',
    '    two();',
    '  ```',
  ].join('\n');
  const found = codeBlocksOf('a.md', markdown);
  expect(found.map(({ line, language, text, notes }) => [line, language, text, notes.size])).toEqual([
    [3, 'console', '$ cairn find a    # a remark\noutput\n$ npm start', 1],
    [9, 'sh', 'cairn glob b', 0],
    [13, 'console', '$ cairn find a    # a remark\nc\nd\n\n$ cairn pick b', 1],
    [21, 'ts', 'one();\n  two();', 0],
  ]);
  expect(found.map(cairnCommandsOf)).toEqual([
    [],
    [{ command: 'cairn glob b', output: '' }],
    [{ command: 'cairn find a', output: 'c\nd' }],
    [],
  ]);
});
