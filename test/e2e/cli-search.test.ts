import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPages } from '../support/pages.ts';
import { cairn, linesOf } from '../support/cli.ts';
import { bytesName, createTree, file } from '../support/tree.ts';

function sampleTree(): string {
  return createTree({
    'README.md': 'hello world\n',
    'src/main.ts': 'const a = 1;\n// hello there\nconst b = 2;\n',
    'src/read-cache.ts': 'export const one = 1;\nexport const two = 2; // hello, hello\n',
    'src/deep/er/notes.txt': 'nothing here\n',
    '.github/ci.yml': 'hello: yes\n',
    '.gitignore': 'build/\n',
    'build/out.ts': 'hello from the build\n',
  });
}

describe('the exit status', () => {
  const cases: readonly (readonly [reason: string, args: readonly string[], exitCode: number])[] = [
    ['find has a hit', ['find', 'readme'], 0],
    ['find has none', ['find', 'qqzzxx'], 1],
    ['glob has a hit', ['glob', '*.ts'], 0],
    ['glob has none', ['glob', '*.nope'], 1],
    ['grep has a hit', ['grep', 'hello'], 0],
    ['grep has none', ['grep', 'absent'], 1],
    ['a limit of 0 shows none', ['glob', '*.ts', '--limit', '0'], 1],
    ['grep takes a file', ['grep', 'hello', '--path', 'README.md'], 0],
    ['find needs a directory', ['find', 'x', '--path', 'README.md'], 2],
    ['glob needs a directory', ['glob', '*', '--path', 'README.md'], 2],
    ['a missing path, find', ['find', 'x', '--path', 'nowhere'], 2],
    ['a missing path, glob', ['glob', 'x', '--path', 'nowhere'], 2],
    ['a missing path, grep', ['grep', 'x', '--path', 'nowhere'], 2],
    ['a broken glob', ['glob', 'a[b'], 2],
    ['a broken glob for grep', ['grep', 'x', '-g', 'a[b'], 2],
    ['the time ran out', ['grep', 'hello', '--timeout', '0'], 2],
    ['an unknown option', ['grep', 'hello', '--nope'], 2],
  ];
  test.each(cases)('%s', async (_reason, args, exitCode) => {
    const result = await cairn(args, { cwd: sampleTree() });
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.stderr).toMatch(exitCode === 2 ? /^cairn: [^\n]+\n$/u : /^(?:cairn: [^\n]+\n)*$/u);
  });
});

describe('paths', () => {
  test('find prints one a line, best first, directories with a slash', async () => {
    const result = await cairn(['find', 'src'], { cwd: sampleTree() });
    expect(linesOf(result.stdout)[0]).toBe('src/');
    expect(result.stderr).toBe('');
  });

  test('glob prints one a line in path order', async () => {
    const result = await cairn(['glob', '*.ts'], { cwd: sampleTree() });
    expect(result.stdout).toBe('src/main.ts\nsrc/read-cache.ts\n');
  });

  test('are relative to the current directory', async () => {
    const cwd = sampleTree();
    expect((await cairn(['glob', '*.ts', '--path', './src/'], { cwd })).stdout).toBe(
      'src/main.ts\nsrc/read-cache.ts\n',
    );
    expect((await cairn(['grep', 'there', '--path', 'src'], { cwd })).stdout).toBe('src/main.ts:2:// hello there\n');
    expect((await cairn(['grep', '-H', 'world', '--path', './README.md'], { cwd })).stdout).toBe(
      './README.md:1:hello world\n',
    );
    expect((await cairn(['find', 'main', '--path', join(cwd, 'src')], { cwd })).stdout).toBe(
      `${join(cwd, 'src/main.ts')}\n`,
    );
  });

  test('find and glob skip hidden names, grep searches them, and --hidden changes that', async () => {
    const cwd = sampleTree();
    expect((await cairn(['glob', '*.yml'], { cwd })).stdout).toBe('');
    expect((await cairn(['glob', '*.yml', '--hidden'], { cwd })).stdout).toBe('.github/ci.yml\n');
    expect((await cairn(['find', 'ciyml', '--hidden'], { cwd })).stdout).toBe('.github/ci.yml\n');
    expect((await cairn(['grep', 'hello: yes', '-l'], { cwd })).stdout).toBe('.github/ci.yml\n');
    expect((await cairn(['grep', 'hello: yes', '-l', '--no-hidden'], { cwd })).stdout).toBe('');
  });

  test('ignore files apply unless --no-ignore is given', async () => {
    const cwd = sampleTree();
    expect((await cairn(['glob', 'out.ts'], { cwd })).stdout).toBe('');
    expect((await cairn(['glob', 'out.ts', '--no-ignore'], { cwd })).stdout).toBe('build/out.ts\n');
    expect((await cairn(['grep', 'from the build', '-l', '--no-ignore'], { cwd })).stdout).toBe('build/out.ts\n');
  });

  test('glob filters by kind and depth', async () => {
    const cwd = sampleTree();
    expect((await cairn(['glob', '*', '--type', 'dir'], { cwd })).stdout).toBe('src\nsrc/deep\nsrc/deep/er\n');
    expect((await cairn(['glob', '*', '--no-recursive'], { cwd })).stdout).toBe('README.md\nsrc\n');
  });

  test('--long shows exact sizes and times between tabs when piped', async () => {
    const cwd = createTree({ 'a.txt': file('12345', { mtimeMs: 1_700_000_000_000 }), 'dir/': '' });
    const { stdout } = await cairn(['glob', '*', '--long'], { cwd });
    const time = new Date(lstatSync(join(cwd, 'dir')).mtimeMs).toISOString();
    expect(stdout).toBe(`5\t2023-11-14T22:13:20.000Z\ta.txt\n-\t${time}\tdir\n`);
  });

  test('--sort-mtime shows the newest, and --limit keeps them', async () => {
    const cwd = createTree({
      'old.txt': file('', { mtimeMs: 2_000_000 }),
      'new.txt': file('', { mtimeMs: 3_000_000 }),
      'older.txt': file('', { mtimeMs: 1_000_000 }),
    });
    const { stdout } = await cairn(['glob', '*.txt', '--sort-mtime', '--limit', '2'], { cwd });
    expect(stdout).toBe('new.txt\nold.txt\n');
  });

  test.skipIf(process.platform !== 'linux')(
    'control characters in names are quoted when piped too, and --path takes a quoted name',
    async () => {
      const cwd = createTree({ 'line\nbreak.txt': 'x\n', 'esc\u001b[31m.txt': 'y\n' });
      const { stdout } = await cairn(['glob', '*.txt'], { cwd });
      expect(stdout).toBe('"esc\\u001b[31m.txt"\n"line\\nbreak.txt"\n');
      const [, name = ''] = stdout.split('\n');
      expect((await cairn(['grep', '-H', 'x', '--path', name], { cwd })).stdout).toBe('"line\\nbreak.txt":1:x\n');
    },
  );

  test.skipIf(process.platform !== 'linux')('a name that is not valid Unicode has a notice', async () => {
    const cwd = createTree({ [bytesName(...Buffer.from('bad'), 0xff, ...Buffer.from('.txt'))]: 'x' });
    const { stdout, stderr, exitCode } = await cairn(['glob', '*.txt'], { cwd });
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: 'bad\ufffd.txt\n',
      stderr: 'cairn: 1 name is not valid Unicode and shown with replacement characters\n',
      exitCode: 0,
    });
  });
});

describe('lines', () => {
  test('piped grep prints path, number and line', async () => {
    const { stdout } = await cairn(['grep', 'hello', '--no-hidden'], { cwd: sampleTree() });
    expect(stdout).toBe(
      'README.md:1:hello world\nsrc/main.ts:2:// hello there\nsrc/read-cache.ts:2:export const two = 2; // hello, hello\n',
    );
  });

  test('context has dashes and separators', async () => {
    const cwd = createTree({ 'a.txt': 'one\nHIT\nthree\nfour\nfive\nHIT\n' });
    const { stdout } = await cairn(['grep', 'HIT', '-C', '1'], { cwd });
    expect(stdout).toBe('a.txt-1-one\na.txt:2:HIT\na.txt-3-three\n--\na.txt-5-five\na.txt:6:HIT\n');
  });

  test('-A and -B show what comes after and before', async () => {
    const cwd = createTree({ 'a.txt': 'one\nHIT\nthree\n' });
    expect((await cairn(['grep', 'HIT', '-A1'], { cwd })).stdout).toBe('a.txt:2:HIT\na.txt-3-three\n');
    expect((await cairn(['grep', 'HIT', '-B1'], { cwd })).stdout).toBe('a.txt-1-one\na.txt:2:HIT\n');
  });

  test('-c counts matching lines per file, -l names the files, --mode says the same', async () => {
    const cwd = sampleTree();
    const counts = 'README.md:1\nsrc/main.ts:1\nsrc/read-cache.ts:1\n';
    const names = 'README.md\nsrc/main.ts\nsrc/read-cache.ts\n';
    for (const [flags, expected] of [
      [['-c'], counts],
      [['--mode', 'count'], counts],
      [['-l'], names],
      [['--mode', 'files'], names],
    ] as const) {
      expect((await cairn(['grep', 'hello', '--no-hidden', ...flags], { cwd })).stdout, flags.join(' ')).toBe(expected);
    }
  });

  test('-i, -F, -U, -g and -t do what ripgrep’s do', async () => {
    const cwd = sampleTree();
    expect((await cairn(['grep', 'HELLO WORLD', '-i', '-l'], { cwd })).stdout).toBe('README.md\n');
    expect((await cairn(['grep', 'hello.', '-F'], { cwd })).stdout).toBe('');
    expect((await cairn(['grep', '1;\\n// hello', '-U', '-l'], { cwd })).stdout).toBe('src/main.ts\n');
    expect((await cairn(['grep', 'hello', '-g', '*.md', '-l'], { cwd })).stdout).toBe('README.md\n');
    expect((await cairn(['grep', 'hello', '-t', 'ts', '-l'], { cwd })).stdout).toBe('src/main.ts\nsrc/read-cache.ts\n');
  });

  test('a match across lines prints each line with its number', async () => {
    const cwd = createTree({ 'a.txt': 'one\ntwo\nthree\n' });
    expect((await cairn(['grep', 'two\\nthree', '-U'], { cwd })).stdout).toBe('a.txt:2:two\na.txt:3:three\n');
  });

  test('--max-columns shortens lines and reports it', async () => {
    const cwd = createTree({ 'a.txt': `hit${'x'.repeat(200)}\n` });
    const { stdout, stderr } = await cairn(['grep', 'hit', '--max-columns', '10'], { cwd });
    expect(stdout.length).toBeLessThan(40);
    expect(stderr).toBe('cairn: shortened 1 line; --max-columns 0 shows whole lines\n');
    expect((await cairn(['grep', 'hit', '--max-columns', '0'], { cwd })).stdout.length).toBe(212);
  });
});

test('grep takes CRLF for one line end, and finds the carriage return where the pattern has it', async () => {
  const cwd = createTree({ dos: 'foo\r\nbar\r\n', unix: 'foo\n' });
  expect((await cairn(['grep', '-l', 'foo$'], { cwd })).stdout).toBe('dos\nunix\n');
  expect((await cairn(['grep', '-l', String.raw`foo\r`], { cwd })).stdout).toBe('dos\n');
  expect(await cairn(['grep', '-U', String.raw`foo\nbar`], { cwd })).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: 'cairn: \\n does not match the line ends of files with CRLF; write \\r?\\n for both\n',
  });
  expect((await cairn(['grep', '-Uc', String.raw`foo\r?\nbar`], { cwd })).stdout).toBe('dos:1\n');
});

test('the place of a text that its expression misses is a path as all are printed', async () => {
  const cwd = createTree({ d: { 'a\nb': '$scope\n' } });
  const { stderr } = await cairn(['grep', '$scope', '--path', 'd'], { cwd });
  expect(stderr).toContain(String.raw`is in "d/a\nb":1; use -F`);
});

describe('the pages of grep', () => {
  const tree = { a: 'x\ny\nx\nx\n', b: 'x\n', d: { c: 'x\nx\nx\nx\n', e: 'y\n' } };
  const modes = ['content', 'files', 'count'].flatMap((mode) => [1, 2, 3, 8].map((limit) => [mode, limit] as const));

  test.each(modes)('have together the whole answer, in the mode %s and with --limit %d', async (mode, limit) => {
    const cwd = createTree(tree);
    const args = ['grep', 'x', '--mode', mode];
    const whole = await cairn(args, { cwd });
    expect(whole.stderr).toBe('');
    expect(await readPages(args, limit, cwd)).toBe(whole.stdout);
    const count = whole.stdout.split('\n').length - 1;
    expect(await cairn([...args, '--offset', String(count)], { cwd })).toMatchObject({
      stdout: '',
      stderr: `cairn: there are no more: --offset ${count} skips all ${count}; use a smaller one\n`,
    });
  });
});

describe('a notice on standard error reports', () => {
  test('a listing cut by --limit', async () => {
    const cwd = createTree(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`file-${index}.txt`, ''])));
    const { stdout, stderr, exitCode } = await cairn(['find', 'file', '--limit', '5'], { cwd });
    expect(linesOf(stdout)).toHaveLength(5);
    expect(stderr).toBe('cairn: showing 5 of 12; use --limit for more\n');
    expect(exitCode).toBe(0);
    expect((await cairn(['glob', '*.txt', '--limit', '5'], { cwd })).stderr).toMatch(
      /^cairn: showing (?:5 of 12|the first 5, and there are more); use --limit for more\n$/u,
    );
  });

  test('a content search cut by --limit, and how to continue', async () => {
    const cwd = sampleTree();
    const first = await cairn(['grep', 'hello', '--no-hidden', '--limit', '2'], { cwd });
    expect(first.stdout).toBe('README.md:1:hello world\nsrc/main.ts:2:// hello there\n');
    expect(first.stderr).toMatch(/^cairn: showing .*; use --limit for more, or --offset 2 to continue\n$/u);
    const second = await cairn(['grep', 'hello', '--no-hidden', '--limit', '2', '--offset', '2'], { cwd });
    expect(second.stdout).toBe('src/read-cache.ts:2:export const two = 2; // hello, hello\n');
    expect(second.stderr).toBe('');
  });

  test('binary files and files over --max-filesize', async () => {
    const cwd = createTree({ 'a.bin': 'hit\0\u0001\n', 'big.txt': `hit\n${'x'.repeat(5000)}\n`, 'small.txt': 'hit\n' });
    const { stdout, stderr } = await cairn(['grep', 'hit', '--max-filesize', '4K'], { cwd });
    expect(stdout).toContain('small.txt:1:hit\n');
    expect(stdout).not.toContain('big.txt');
    expect(stderr).toContain('cairn: skipped 1 binary file from the first NUL byte on\n');
    expect(stderr).toContain('cairn: skipped 1 file over --max-filesize or with a line too long to search\n');
  });

  test('a repaired pattern', async () => {
    const cwd = createTree({ 'a.txt': 'call(x)\n' });
    const { stdout, stderr, exitCode } = await cairn(['grep', 'call('], { cwd });
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: 'a.txt:1:call(x)\n',
      stderr: 'cairn: repaired the pattern; searched for "call\\("\n',
      exitCode: 0,
    });
    expect((await cairn(['grep', 'call(', '-F'], { cwd })).stderr).toBe('');
  });

  test('an invalid pattern is an error that names -F', async () => {
    const { stdout, stderr, exitCode } = await cairn(['grep', '[z-a]'], { cwd: createTree({}) });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(/^cairn: [^\n]*\[z-a\][^\n]*correct it, or use -F to search for the exact text\n$/u);
  });

  test.each([['a\\nb'], ['a\nb', '-F']])(
    'a pattern with a line break is an error that names --multiline',
    async (...args) => {
      const { stderr, exitCode } = await cairn(['grep', ...args], { cwd: createTree({}) });
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/: it matches a line break; use --multiline to let matches span lines\n$/u);
    },
  );

  test('a timeout', async () => {
    const { stderr, exitCode } = await cairn(['glob', '*', '--timeout', '0'], { cwd: sampleTree() });
    expect(stderr).toBe('cairn: --timeout ended the search early; use a longer timeout or a smaller --path\n');
    expect(exitCode).toBe(2);
  });

  test('lines left in one file by --max-count-per-file', async () => {
    const cwd = createTree({ 'a.txt': 'hit\nhit\nhit\n', 'b.txt': 'hit\n' });
    const { stdout, stderr } = await cairn(['grep', 'hit', '--max-count-per-file', '2'], { cwd });
    expect(stdout).toBe('a.txt:1:hit\na.txt:2:hit\nb.txt:1:hit\n');
    expect(stderr).toBe('cairn: 1 file had more matches than --max-count; raise it for more\n');
  });
});

describe('--json prints one document', () => {
  test('find', async () => {
    const { stdout } = await cairn(['find', 'readme', '--json'], { cwd: sampleTree() });
    expect(linesOf(stdout)).toHaveLength(1);
    const result: unknown = JSON.parse(stdout);
    expect(result).toMatchObject({
      complete: true,
      totalMatches: 1,
      matches: [{ path: 'README.md', isDirectory: false, score: expect.any(Number) }],
    });
  });

  test('glob', async () => {
    const { stdout } = await cairn(['glob', '*.ts', '--json', '--path', 'src'], { cwd: sampleTree() });
    expect(JSON.parse(stdout)).toEqual({
      matches: [
        { path: 'src/main.ts', fileType: 1 },
        { path: 'src/read-cache.ts', fileType: 1 },
      ],
      shown: 2,
      totalMatches: 2,
      complete: true,
      notices: [],
    });
  });

  test('grep', async () => {
    const { stdout } = await cairn(['grep', 'there', '--json'], { cwd: sampleTree() });
    expect(JSON.parse(stdout)).toMatchObject({
      matches: [{ path: 'src/main.ts', lineNumber: 2, line: '// hello there', submatches: [{ start: 9, end: 14 }] }],
      totalMatches: 1,
      filesWithMatches: 1,
      skipped: { oversized: 0, binary: 0, unreadable: 0 },
      engine: 'regex',
      complete: true,
    });
  });

  test('nothing found is a document too, with status 1', async () => {
    const { stdout, exitCode } = await cairn(['glob', '*.nope', '--json'], { cwd: sampleTree() });
    expect({ result: JSON.parse(stdout), exitCode }).toEqual({
      result: { matches: [], shown: 0, totalMatches: 0, complete: true, notices: [] },
      exitCode: 1,
    });
  });

  test('what a search leaves out is in the document, and totalMatches counts in the unit of the matches', async () => {
    const cwd = createTree({ 'a.txt': 'hit\nhit\nhit\n', 'b.txt': 'hit\n' });
    const run = async (...args: readonly string[]): Promise<unknown> => {
      const { stdout, stderr } = await cairn([...args, '--json'], { cwd });
      expect(stderr).toBe('');
      return JSON.parse(stdout);
    };
    expect(await run('find', 'txt', '--limit', '1')).toMatchObject({ shown: 1, totalMatches: 2, complete: false });
    expect(await run('glob', '*', '--limit', '1')).toMatchObject({ shown: 1, complete: false, stopReason: 'limit' });
    expect(await run('grep', 'hit', '--limit', '1')).toMatchObject({
      shown: 1,
      complete: false,
      stopReason: 'limit',
      notices: [expect.stringContaining('--offset 1')],
    });
    expect(await run('grep', 'hit', '-c')).toMatchObject({ shown: 2, totalMatches: 2, totalLines: 4, complete: true });
    expect(await run('grep', 'hit', '-l')).toMatchObject({ shown: 2, totalMatches: 2, complete: true });
    expect(await run('grep', 'hit')).toMatchObject({ shown: 4, totalMatches: 4, complete: true });
  });

  test('a failure is a document too', async () => {
    const args = ['glob', '*', '--json', '--path', 'nowhere'];
    const { stdout, stderr, exitCode } = await cairn(args, { cwd: sampleTree() });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 2 });
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'PATH_NOT_FOUND', message: expect.any(String), path: expect.stringContaining('nowhere') },
    });
  });
});
