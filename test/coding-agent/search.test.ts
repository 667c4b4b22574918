import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { FileOperations } from '@cairn/coding-agent';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bytesName, file, symlink } from '../support/tree.ts';
import { call, createBench, details, failure } from './support.ts';

const at = (mtimeMs: number, content = ''): ReturnType<typeof file> => file(content, { mtimeMs });

describe('glob', () => {
  test('newest first, with / after directories', async () => {
    const { tools } = createBench({ src: { 'old.ts': at(1e12), 'new.ts': at(1.6e12) } });
    const result = await tools.glob.execute({ pattern: '**/*.ts' });
    expect(textOf(result)).toBe('[2 matches of **/*.ts, newest first]\nsrc/new.ts\nsrc/old.ts');
    expect(details(await tools.glob.execute({ pattern: 'src' })).paths).toEqual(['src/']);
  });

  test('paths are as the other tools take them, wherever the search begins', async () => {
    const { tools, root } = createBench({ src: { a: { 'x.ts': '' } } });
    const calls = [
      { pattern: '*.ts', path: 'src' },
      { pattern: './src/**/*.ts' },
      { pattern: `${root}/src/a/*.ts` },
      { pattern: `../a/x.ts`, path: 'src/a' },
    ];
    for (const input of calls) {
      expect(details(await tools.glob.execute(input)).paths, input.pattern).toEqual(['src/a/x.ts']);
    }
    expect(failure(await tools.glob.execute({ pattern: '../../etc/*' }))).toMatch(/^OUTSIDE_ROOT/u);
  });

  test('200 are shown, and the notice names the next call', async () => {
    const { tools } = createBench({
      d: Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`${index}.x`, ''])),
    });
    const first = await tools.glob.execute({ pattern: '*.x' });
    expect(textOf(first)).toMatch(/^\[1-200 of 250 matches of \*\.x/u);
    expect(textOf(first)).toMatch(/\n\[cut by the limit of 200; continue with skip=200\]$/u);
    const second = await tools.glob.execute({ pattern: '*.x', skip: 200 });
    expect(textOf(second)).toMatch(/^\[201-250 of 250 matches/u);
    const all = [...details(first).paths, ...details(second).paths];
    expect(new Set(all).size).toBe(250);
    expect(textOf(await tools.glob.execute({ pattern: '*.x', skip: 250 }))).toBe(
      '[no more matches of *.x: there are 250]',
    );
  });

  test('an empty answer says how many matches are hidden or ignored, and how to get them', async () => {
    const { tools } = createBench({
      '.gitignore': 'dist\n',
      dist: { 'a.js': '', 'b.js': '' },
      '.hidden': { 'c.js': '' },
      node_modules: { p: { 'd.js': '' } },
    });
    const empty = await tools.glob.execute({ pattern: '*.js' });
    expect(textOf(empty)).toBe(
      '[no match for *.js]\n' +
        '[1 match in hidden files: hidden=true, and ignored=true if they are ignored]\n' +
        '[3 matches in ignored files: ignored=true]',
    );
    expect(details(empty).leftOut).toEqual({ hidden: 1, ignored: 3, isCut: false });
    expect(details(await tools.glob.execute({ pattern: '*.js', ignored: true })).paths).toHaveLength(3);
    expect(details(await tools.glob.execute({ pattern: '*.js', hidden: true })).paths).toEqual(['.hidden/c.js']);
    expect(details(await tools.glob.execute({ pattern: '.hidden/*' })).paths).toEqual(['.hidden/c.js']);
    expect(textOf(await tools.glob.execute({ pattern: '*.none' }))).toBe('[no match for *.none]');
  });

  test('a pattern that cannot be used is rejected with what is wrong', async () => {
    const { tools } = createBench({});
    expect(failure(await tools.glob.execute({ pattern: '[z-a' }))).toMatch(/^INVALID_PATTERN/u);
    expect(failure(await tools.glob.execute({ pattern: '*', path: 'nowhere' }))).toMatch(/^NOT_FOUND/u);
  });
});

describe('grep', () => {
  test('what another program wrote after the last search is found', async () => {
    const { tools, root } = createBench({ a: 'x\n', node_modules: { b: 'x\n' } });
    const found = async (): Promise<string[]> =>
      details(await tools.grep.execute({ pattern: 'x' })).matches.map(({ path }) => path);
    expect(await found()).toEqual(['a', 'node_modules/b']);
    writeFileSync(join(root, 'new'), 'x\n');
    expect(await found()).toEqual(['a', 'new', 'node_modules/b']);
  });

  test('content is shown by file, with line numbers', async () => {
    const { tools } = createBench({ a: 'x1\r\ny\r\nx2\r\n', d: { b: 'x3' } });
    expect(textOf(await tools.grep.execute({ pattern: 'x\\d' }))).toBe(
      '[3 matches in 2 files]\na\n1: x1\n3: x2\n\nd/b\n1: x3',
    );
  });

  test('context is shown around, and gaps are marked', async () => {
    const { tools } = createBench({ a: '1\nx\n3\n4\n5\nx\n7\n' });
    expect(textOf(await tools.grep.execute({ pattern: 'x', context: 1 }))).toBe(
      '[2 matches in 1 file]\na\n1- 1\n2: x\n3- 3\n--\n5- 5\n6: x\n7- 7',
    );
  });

  test('files and counts', async () => {
    const { tools } = createBench({ a: 'x\nx\n', b: 'x\n', c: '' });
    expect(textOf(await tools.grep.execute({ pattern: 'x', mode: 'files' }))).toBe('[2 files]\na\nb');
    expect(textOf(await tools.grep.execute({ pattern: 'x', mode: 'count' }))).toBe(
      '[3 matches in 2 files]\na: 2\nb: 1',
    );
  });

  test('counts are whole, however many matches there are; of many files a page is shown', async () => {
    const files = Object.fromEntries(Array.from({ length: 103 }, (_, index) => [`f${100 + index}`, 'x\n'.repeat(30)]));
    const { tools } = createBench(files);
    const first = textOf(await tools.grep.execute({ pattern: 'x', mode: 'count' })).split('\n');
    expect(first[0]).toBe('[3090 matches in 103 files]');
    expect(first.slice(1, -1)).toEqual(Array.from({ length: 100 }, (_, index) => `f${100 + index}: 30`));
    expect(first.at(-1)).toBe('[cut by the limit of 100 files; continue with skip=100]');
    const last = await call(tools.grep, { pattern: 'x', mode: 'count', skip: 100 });
    expect(textOf(last)).toBe('[3090 matches in 103 files]\nf200: 30\nf201: 30\nf202: 30');
    expect(details(last).limitReached).toBeUndefined();
    expect(textOf(await tools.grep.execute({ pattern: 'x', mode: 'count', skip: 103 }))).toContain('no more');
  });

  test('literal, without case, over lines, in some files, in one file', async () => {
    const { tools } = createBench({ 'a.ts': 'f(x)\nEnd', 'b.md': 'f(x)' });
    const paths = async (input: object): Promise<string[]> =>
      details(await call(tools.grep, input)).matches.map(({ path }) => path);
    expect(await paths({ pattern: 'f(x', literal: true })).toEqual(['a.ts', 'b.md']);
    expect(await paths({ pattern: 'end', ignore_case: true })).toEqual(['a.ts']);
    expect(await paths({ pattern: '\\(x\\)\\nE', multiline: true })).toEqual(['a.ts', 'a.ts']);
    expect(await paths({ pattern: 'f', include: '*.md' })).toEqual(['b.md']);
    expect(await paths({ pattern: 'f', path: 'a.ts' })).toEqual(['a.ts']);
  });

  test('100 matches, 20 of a file, 512 characters of a line: each cut is reported with the next call', async () => {
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, 'x\n'.repeat(30)]));
    const { tools } = createBench({ ...files, long: `${'y'.repeat(600)}z\n` });
    const text = textOf(await tools.grep.execute({ pattern: 'x' }));
    expect(text).toMatch(/^\[at least \d+ matches in \d+ files\]/u);
    expect(text.match(/^\d+: x$/gmu)).toHaveLength(100);
    expect(text).toContain('[cut by the limit of 100; continue with skip=100]');
    expect(text).toContain('\n[f4 has more than the 20 matches shown of each file; continue with path=f4 skip=20]');
    const next = await tools.grep.execute({ pattern: 'x', skip: 100 });
    expect(details(next).matches).toHaveLength(80);
    expect(textOf(await tools.grep.execute({ pattern: 'z' }))).toContain('[1 line cut to 512 characters]');
  });

  test('an empty answer reports what was not searched', async () => {
    const { tools } = createBench({
      '.gitignore': 'dist\n',
      dist: { a: 'needle', b: 'needle' },
      blob: 'x\0y',
      plain: 'hay',
    });
    const empty = await tools.grep.execute({ pattern: 'needle' });
    expect(textOf(empty)).toBe(
      '[no match]\n[2 matches in ignored files: ignored=true]\n[1 file not searched to the end: 1 binary]',
    );
    expect(details(await tools.grep.execute({ pattern: 'needle', ignored: true })).matches).toHaveLength(2);
  });

  test('an invalid pattern is searched as literal text, and a notice states that', async () => {
    const { tools } = createBench({ a: 'f(x]' });
    const text = textOf(await tools.grep.execute({ pattern: '(x]' }));
    expect(text).toContain('1: f(x]');
    expect(text).toMatch(/searched for/u);
  });

  test('a signal ends it with its reason', async () => {
    const { tools } = createBench({ a: 'x' });
    const reason = new Error('enough');
    await expect(call(tools.grep, { pattern: 'x' }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('ls', () => {
  test('entries by name, directories with /, to a depth', async () => {
    const { tools } = createBench({ b: { c: { d: '' } }, a: '', '.env': '', '.git': { config: '' } });
    expect(textOf(await tools.ls.execute({}))).toBe('[.: 4 entries]\n.env\n.git/\na\nb/');
    expect(textOf(await tools.ls.execute({ depth: 2 }))).toBe('[.: 5 entries]\n.env\n.git/\na\nb/\nb/c/');
    expect(textOf(await tools.ls.execute({ path: 'b', depth: 3 }))).toBe('[b: 2 entries]\nc/\nc/d');
  });

  test.skipIf(process.platform !== 'linux')(
    'a name that is not valid UTF-8 is shown with U+FFFD, and a notice says that',
    async () => {
      const { tools } = createBench({ [bytesName(0x61, 0xff)]: '', plain: '' });
      expect(textOf(await tools.ls.execute({}))).toBe(
        '[.: 2 entries]\na\ufffd\nplain\n[1 name is not valid UTF-8: U+FFFD replaces the invalid bytes, and no tool can open these names]',
      );
    },
  );

  test.skipIf(process.platform !== 'linux')(
    'a directory that a hint names has its slash inside the quotes',
    async () => {
      const { tools } = createBench({ 'a\nb': { 'x.txt': '' }, c: '' });
      expect(failure(await tools.ls.execute({ path: 'd/a\nb' }))).toMatch(/Did you mean "a\\nb\/",/u);
    },
  );

  test('500 are shown, and the notice names the next call', async () => {
    const { tools } = createBench(
      Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`${1000 + index}`, ''])),
    );
    const text = textOf(await tools.ls.execute({}));
    expect(text).toMatch(/^\[\.: entries 1-500 of 600 entries\]/u);
    expect(text).toMatch(/\[cut by the limit of 500 entries; continue with ls skip=500\]$/u);
    expect(details(await tools.ls.execute({ skip: 500 })).entries).toHaveLength(100);
  });

  test('a file and an empty directory', async () => {
    const { tools } = createBench({ a: '', d: {} });
    expect(failure(await tools.ls.execute({ path: 'a' }))).toMatch(/^NOT_A_DIRECTORY: a is not a directory/u);
    expect(textOf(await tools.ls.execute({ path: 'd' }))).toBe('[d: empty directory]');
  });
});

test.each(['/', homedir()])('%s as the root of a search is bounded, and a notice states that', async (root) => {
  const tools = createCodingTools({ root });
  const text = textOf(await tools.glob.execute({ pattern: 'no-such-name-*.anywhere' }));
  expect(text).toMatch(/is an entire (?:file system|home directory): the search stops after 2 s or/u);
});

test('an empty grep counts the matches of ignored files, not the files', async () => {
  const { tools } = createBench({
    '.gitignore': 'out\n',
    '.git/HEAD': 'ref: refs/heads/main\n',
    out: 'needle\n'.repeat(7),
  });
  const empty = await tools.grep.execute({ pattern: 'needle' });
  expect(textOf(empty)).toContain('[7 matches in ignored files: ignored=true]');
});

test('a count with matches of a file left out is called the least', async () => {
  const { tools } = createBench({ a: 'x\n'.repeat(50) });
  expect(textOf(await tools.grep.execute({ pattern: 'x' }))).toMatch(/^\[at least 20 matches in 1 file\]/u);
});

test('a home directory that is reached by a link is known as one by either name', async () => {
  const { root, tools } = createBench({ real: { a: '' }, link: symlink('real') });
  vi.stubEnv('HOME', join(root, 'link'));
  vi.stubEnv('USERPROFILE', join(root, 'link'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  for (const path of ['link', 'real']) {
    expect(textOf(await tools.glob.execute({ pattern: '*', path }))).toContain(`${path} is an entire home directory`);
    expect(textOf(await tools.grep.execute({ pattern: 'x', path }))).toContain(`${path} is an entire home directory`);
  }
});

describe('a glob that names directories', () => {
  const tree = { 'd.ts': 'x\n', src: { 'a.ts': 'x\n', sub: { 'b.ts': 'x\n' } }, lib: { 'c.ts': 'x\n' } };

  const rows: readonly (readonly [pattern: string, path: string | undefined, found: readonly string[]])[] = [
    ['*.ts', undefined, ['d.ts', 'lib/c.ts', 'src/a.ts', 'src/sub/b.ts']],
    ['./*.ts', undefined, ['d.ts']],
    ['ROOT/*.ts', undefined, ['d.ts']],
    ['ROOT/src/*.ts', 'lib', ['src/a.ts']],
    ['ROOT/src/**/*.ts', undefined, ['src/a.ts', 'src/sub/b.ts']],
    ['../*.ts', 'src', ['d.ts']],
    ['../../lib/*.ts', 'src/sub', ['lib/c.ts']],
    ['src//*.ts', undefined, ['src/a.ts']],
    ['./src/./*.ts', undefined, ['src/a.ts']],
  ];

  test.each(rows)('finds by %s in %s what a shell would', async (pattern, path, found) => {
    const { tools, root } = createBench(tree);
    const input = { pattern: pattern.replace('ROOT', root), ...(path !== undefined && { path }) };
    expect(details(await tools.glob.execute(input)).paths.toSorted()).toEqual(found);
  });

  test('never goes above where it begins', async () => {
    const { tools } = createBench(tree);
    expect(failure(await tools.glob.execute({ pattern: '..', path: 'src' }))).toMatch(/^INVALID_PATTERN/u);
  });

  test('and starts with ! excludes', async () => {
    const { tools } = createBench(tree);
    const listed = await tools.glob.execute({ pattern: '!src/*.ts' });
    const searched = await tools.grep.execute({ pattern: 'x', glob: '!src/*.ts' });
    for (const found of [listed, searched].map(textOf)) {
      expect(found).toContain('src/sub/b.ts');
      expect(found).not.toContain('src/a.ts');
    }
  });

  test('holds several globs, which the answer shows', async () => {
    const { tools } = createBench(tree);
    const found = textOf(await tools.grep.execute({ pattern: 'x', glob: 'src/*.ts,!lib/**' }));
    expect(found).toContain('src/a.ts');
    expect(found).toContain('[globs: src/*.ts !lib/**]');
  });

  test('that selects no file, or a type that no file has, is reported', async () => {
    const { tools } = createBench(tree);
    const none = textOf(await tools.grep.execute({ pattern: 'x', glob: 'a.ts,b.ts' }));
    expect(none).toContain('no file was searched: none is selected by glob a.ts,b.ts');
    expect(none).toContain('use {a.ts,b.ts}');
    expect(failure(await tools.grep.execute({ pattern: 'x', type: 'golan' }))).toMatch(/^INVALID_INPUT.*golang/su);
    expect(failure(await tools.glob.execute({ pattern: '@(a|b).ts' }))).toMatch(/^INVALID_PATTERN.*\{a,b\}/su);
  });

  test('does not find a text that its own expression does not match, but names it', async () => {
    const { tools } = createBench({ 'src/a.js': 'let $scope;\n' });
    const found = textOf(await tools.grep.execute({ pattern: '$scope' }));
    expect(found).toContain('the text $scope is in src/a.js:1; literal=true finds it');
  });

  test('limits a grep in the same way', async () => {
    const { tools } = createBench(tree);
    expect(textOf(await tools.grep.execute({ pattern: 'x', glob: 'src//*.ts' }))).toContain('src/a.ts');
  });
});

describe('ls', () => {
  test('a page after the end reports the number of entries', async () => {
    const { tools } = createBench({ a: '', b: '' });
    expect(textOf(await tools.ls.execute({ skip: 7 }))).toBe('[.: no more entries: there are 2]');
  });

  test('leads through a directory that is not counted to its end', async () => {
    const names = Array.from({ length: 20_010 }, (_, index) => `f${String(index).padStart(5, '0')}`);
    const operations: FileOperations = {
      ...nodeFileOperations,
      list: async () => names.map((name) => ({ name, kind: 'file' as const })),
    };
    const { tools } = createBench({}, undefined, { operations });
    const first = textOf(await tools.ls.execute({}));
    expect(first).toMatch(/^\[\.: entries 1-500 of at least 20000 entries\]/u);
    const last = await tools.ls.execute({ skip: 20_000 });
    expect(details(last).entries.map(({ path }) => path)).toEqual(names.slice(20_000));
    expect(textOf(last)).toMatch(/^\[\.: entries 20001-20010 of 20010 entries\]/u);
  });
});
