import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readPages } from '../support/pages.ts';
import { cairn, cairnProcess } from '../support/cli.ts';
import { ripgrepFlags } from '../support/ripgrep-lines.ts';
import { ripgrep } from '../support/tools.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

function sampleTree(): string {
  return createTree({
    'README.md': 'foo in the readme\n',
    'src/a.ts': 'one foo\nfoo bar foo\nbaz\nqux\nfoo\nFoo\nfood\n',
    'src/b.rs': 'é foo, foo\nnone\n\tfoo(1)\n',
    'src/deep/c.ts': 'nothing\n',
    'test/d.ts': 'let x = "foo-1";\nlet y = "foo-22";\n',
    '.hidden/e.ts': 'foo\n',
    'dos.txt': 'foo\r\nbar\r\n',
  });
}

/** What cairn does anyway. With --crlf, ripgrep ends the lines that it makes with CRLF, so that is left out. */
const ourDefaults: readonly string[] = ['--sort=path', '--line-number', '--hidden'];

interface Answer {
  readonly exitCode: number | null;
  readonly stdout: string;
}

async function ours(args: readonly string[], cwd: string, input?: string): Promise<Answer> {
  const { exitCode, stdout } = await cairn(['grep', ...args], { cwd, input });
  return { exitCode, stdout };
}

function theirs(args: readonly string[], cwd: string, input?: string): Answer {
  const bytes = input === undefined ? undefined : Buffer.from(input);
  const { exitCode, stdout } = ripgrep([...ripgrepFlags, ...ourDefaults, ...args], cwd, { input: bytes });
  return { exitCode, stdout: stdout.toString() };
}

const lines: readonly (readonly string[])[] = [
  // Paths as arguments.
  ['foo', 'src'],
  ['foo', 'test', 'src'],
  ['foo', 'src', 'src/a.ts', 'src'],
  ['foo', 'src/a.ts'],
  ['foo', './src/a.ts'],
  ['foo', '--heading', 'src/a.ts'],
  ['foo', '--vimgrep', 'src/a.ts'],
  ['foo', '-0', 'src/a.ts'],
  ['foo', '-l', 'src/a.ts'],
  ['foo', '-c', 'src/a.ts'],
  ['foo', '-cH', 'src/a.ts'],
  ['foo', '-C1', 'src/a.ts'],
  ['-c', 'foo', 'test', 'README.md'],
  ['-l', 'foo', 'test', 'README.md'],
  ['absent', 'src', 'test'],
  ['--', '-1', 'test'],
  // Forms of a line.
  ['-n', 'foo'],
  ['-N', 'foo'],
  ['-H', 'foo', 'README.md'],
  ['-I', 'foo'],
  ['-I', '-N', 'foo'],
  ['-I', '-H', 'foo'],
  ['-o', 'fo+'],
  ['-o', '-N', '-I', 'foo-[0-9]+'],
  ['-o', 'x*', 'README.md'],
  ['-o', '-C1', 'foo'],
  ['--column', 'foo'],
  ['--column', '-C1', 'foo', 'src', 'test'],
  ['-o', '--column', 'foo'],
  ['--vimgrep', 'foo'],
  ['--vimgrep', '-C1', 'foo'],
  ['--vimgrep', '-o', 'foo'],
  ['--heading', 'foo'],
  ['--heading', '-C1', 'foo'],
  ['--heading', '-N', 'foo'],
  ['--heading', '-I', 'foo'],
  ['--heading', '-0', 'foo'],
  ['--no-heading', 'foo'],
  ['-0', 'foo'],
  ['-0', '-C1', 'foo'],
  ['-0', '-l', 'foo'],
  ['-0', '-c', 'foo'],
  ['-c', '-I', 'foo', 'README.md'],
  ['-l', '-o', 'foo'],
  // Other text in place of the matches.
  ['foo', '-r', 'FOO'],
  ['foo', '-r', ''],
  ['foo', '--replace=n', '-n'],
  ['-o', '(f)(o+)', '-r', '$2${1}$0'],
  ['--column', 'fo+', '-r', 'longer'],
  ['--vimgrep', 'fo+', '-r', 'longer', 'src'],
  ['-C1', 'foo', '-r', 'x', 'src'],
  ['-v', 'foo', '-r', 'x', 'src'],
  ['-c', 'foo', '-r', 'x', 'src'],
  ['-l', 'foo', '-r', 'x', 'src'],
  ['-P', 'foo(?= bar)', '-r', 'x'],
  ['-e', 'foo', '-e', '(ba)(z)', '-r', '[$2]'],
  ...['x', '<$0>'].flatMap((text) => [
    ['-U', 'foo\nb', '-r', text, 'src'],
    ['-U', 'foo\nb', '-o', '-r', text, 'src'],
    ['-U', 'foo\nb', '--vimgrep', '-r', text, 'src'],
    ['-U', 'foo\nb', '--column', '-r', text, 'src'],
    ['-U', 'o\nb', '-C1', '-r', text, 'src'],
    ['-U', 'one( |\n)|o\nb|az\nq', '-r', text, 'src'],
    ['-U', 'foo\nb', '-r', text, 'test', 'src', 'src'],
    // A match that ends with a line feed.
    ['-U', 'foo\n', '-r', text, 'src'],
    ['-U', 'o+\n', '-r', text, '-C1', 'src'],
    ['-U', 'foo\n|Foo\nf', '-r', text, 'src'],
    ['-U', 'foo\n|Foo\nf', '-r', text, '-o', 'src'],
    ['-U', 'foo\n|Foo\nf', '-r', text, '--vimgrep', 'src'],
  ]),
  ['-U', 'foo\n', '-r', '', 'src'],
  ['-U', 'foo\n', '-r', '\n', 'src'],
  ['-U', 'foo\n|bar', '-r', '', 'src'],
  // Context has the matches of lines that are shown because they have none.
  ['-v', '-C1', 'foo', '-r', 'x', 'src'],
  ['-v', '-C1', 'foo', '-or', 'x', 'src'],
  ['-v', '-C1', '--column', 'foo', 'src'],
  ['-v', '-C1', '--vimgrep', 'foo', 'src'],
  ['--vimgrep', '-I', 'foo'],
  ['--vimgrep', '-N', 'foo'],
  ['--vimgrep', '-I', '-N', 'foo'],
  ['-x', '-w', 'foo', 'src'],
  ['-w', '-x', 'foo', 'src'],
  // One line for a match over several lines.
  ['-U', 'foo\nb', '--vimgrep'],
  ['-U', 'foo\nb|(az\n)q', '--vimgrep', '-C1', 'src'],
  ['-U', 'fo+', '--vimgrep'],
  // Choices of what matches.
  ['-i', 'FOO'],
  ['-S', 'foo'],
  ['-S', 'Foo'],
  ['-i', '-S', 'Foo'],
  ['-S', '-s', 'foo'],
  ['-w', 'foo'],
  ['-x', 'foo', 'src'],
  ['-v', 'foo', 'src'],
  ['-v', '-o', 'foo', 'src'],
  ['-v', '--vimgrep', 'foo', 'src'],
  ['-vc', 'foo', 'src'],
  ['-vl', 'foo'],
  ['-F', 'foo(1)'],
  ['-e', 'bar', '-e', 'qux', 'src'],
  ['-e', '-1', 'test'],
  ['-e', 'bar', '-e', 'foo bar', '-o'],
  ['-P', 'fo(?=o b)', 'src'],
  ['-P', '-i', 'FOO$', 'src'],
  // Choices of files.
  ['-d', '1', 'foo'],
  ['--max-depth', '2', 'foo'],
  ['-L', 'foo', 'src', 'test'],
  ['-t', 'ts', 'foo'],
  ['-t', 'ts', '-t', 'rust', 'foo'],
  ['-T', 'ts', 'foo'],
  ['-t', 'ts', '-T', 'rust', 'foo'],
  ['-g', '*.md', '-g', '*.rs', 'foo'],
  ['-g', '!*.md', 'foo'],
  ['-g', '!*.ts', '-g', 'a.ts', 'foo'],
  ['-g', 'a.ts', '-g', '*.md', '-g', '!*.ts', 'foo'],
  ['-u', 'foo'],
  ['-uu', 'foo'],
  // Amounts.
  ['-m', '1', 'foo'],
  ['-m1', '-c', 'foo'],
  ['-m0', 'foo'],
  ['-m0', '-l', 'foo'],
  ['-m1', '-A1', 'foo'],
  ['-m1', '-A9', 'foo', 'src'],
  ['-m2', '-C2', 'foo', 'src'],
  ['-m1', '-B2', 'foo', 'src'],
  ['-m1', '-C9', '-o', 'foo', 'src'],
  ['-m1', '-C9', '-r', 'x', 'foo', 'src'],
  ['-m1', '-C9', '--column', 'foo', 'src'],
  ['-m1', '-C9', '--vimgrep', 'foo', 'src'],
  ['-m1', '-A3', '--heading', 'foo'],
  ['-m1', '-v', '-B2', 'foo', 'src'],
  ['-m1', '-U', 'foo\nb', 'src'],
  ['-m1', '-U', 'o\n?', 'src'],
  ['-m1', '-U', 'o\nf|b.*\n', 'src', '-A2'],
  // Counts.
  ['-c', '-o', 'foo'],
  ['-oc', 'o', 'src/a.ts'],
  ['--count-matches', 'foo'],
  ['--count-matches', '-v', 'foo'],
  ['--count-matches', '-m1', 'foo'],
  ['--count-matches', 'x*', 'src'],
  ['--count-matches', '-P', '(?<=f)o', 'src'],
  ['--count-matches', '-e', 'foo', '-e', 'o'],
  ['--count-matches', '-c', 'foo'],
  ['-c', '--count-matches', 'foo'],
  ['-c', '-l', 'foo'],
  ['-l', '-c', 'foo'],
  ['-l', '--count-matches', 'foo'],
  ['-o', '-l', 'foo'],
  ['-c', '-U', 'foo\nb', 'src'],
  ['-c', '-U', 'o\n?', 'src'],
  ['-c', '-U', 'o', 'src'],
  ['-c', '-U', '-m1', 'o\n?', 'src'],
  ['-c', '-U', '-v', 'foo\nb', 'src'],
  ['-q', 'foo'],
  ['-q', 'absent'],
];

describe('grep answers as ripgrep does', () => {
  test.each(lines)('%s %s %s %s %s', async (...args) => {
    const cwd = sampleTree();
    const given = args.filter((arg) => arg !== undefined);
    const expected = theirs(given, cwd);
    expect(expected.exitCode).not.toBe(2);
    expect(await ours(given, cwd)).toEqual(expected);
  });
});

describe('-r replaces, and the -r of grep', () => {
  test.each([
    ['-rn foo src', 'cairn grep -n PATTERN'],
    ['-rin foo src', 'cairn grep -in PATTERN'],
    ['-r -n foo src', 'cairn grep -n PATTERN'],
    ['-r foo', 'leave out -r|no pattern'],
    ['-r foo src', 'search src for "foo"'],
    ['-nr foo .', 'search . for "foo"'],
  ])('is rejected with what to type instead: %s', async (line, instead) => {
    const { stdout, stderr, exitCode } = await cairn(['grep', ...line.split(' ')], { cwd: sampleTree() });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(new RegExp(instead, 'u'));
  });

  test.each([
    ['--replace=n foo'],
    ['-r n foo src'],
    ['-or n foo src'],
    ['--replace=-n foo'],
    ['foo -rX'],
    ['-r X -e src'],
    ['-r $0! src'],
  ])('is not rejected where it can only replace: %s', async (line) => {
    const cwd = sampleTree();
    expect(await ours(line.split(' '), cwd)).toEqual(theirs(line.split(' '), cwd));
  });

  test('has a notice if nothing is found', async () => {
    const { stderr, exitCode } = await cairn(['grep', '-r', 'foo', 'absent'], { cwd: sampleTree() });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^cairn: [^\n]*leave it out to search them for "foo"\n$/u);
    expect((await cairn(['grep', '-r', '$1', 'absent(x)'], { cwd: sampleTree() })).stderr).toBe('');
  });

  test('a page that begins inside a replaced match has the rest of it', async () => {
    const cwd = createTree({ a: 'foo\nbar foo\n' });
    const page = await ours(['-U', 'foo\nbar|foo', '-r', 'X', '--offset', '1'], cwd);
    expect(page).toEqual({ exitCode: 0, stdout: 'a:2: X\n' });
  });

  test('the document has the replacements, and the lines as they are', async () => {
    const { stdout } = await cairn(['grep', 'let (.)', '-r', '$1', '--json', 'test'], { cwd: sampleTree() });
    expect(JSON.parse(stdout)).toMatchObject({
      matches: [
        { line: 'let x = "foo-1";', submatches: [{ start: 0, end: 5, replacement: 'x' }] },
        { line: 'let y = "foo-22";', submatches: [{ start: 0, end: 5, replacement: 'y' }] },
      ],
    });
  });
});

test('bytes that are not UTF-8 are shown as U+FFFD, with a notice', async () => {
  const cwd = createTree({ a: Buffer.from('\xff foo\nplain\nb \xff\n', 'latin1'), b: 'foo é\n' });
  const { stdout, stderr } = await cairn(['grep', '--column', 'foo', '-A2'], { cwd });
  expect(stdout).toBe('a:1:5:\ufffd foo\na-2-plain\na-3-b \ufffd\n--\nb:1:1:foo é\n');
  expect(stderr).toMatch(/^cairn: 2 lines have U\+FFFD[^\n]*\n$/u);
  const plain = await cairn(['grep', 'foo', 'b'], { cwd });
  expect(plain.stderr).toBe('');
  expect(JSON.parse((await cairn(['grep', 'foo', 'a', '--json'], { cwd })).stdout)).toMatchObject({
    notices: [expect.stringContaining('1 line has U+FFFD')],
  });
});

test('a file that is searched only in part makes the status 2', async () => {
  const cwd = createTree({ a: `aab\n${'a'.repeat(40)}!\naab\n`, b: 'aab' });
  const args = ['grep', '(?=x?)^(a+)+[bc]'];
  const { exitCode, stderr } = await cairn(args, { cwd });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('searched 1 file only in part');
  const document = await cairn([...args, '--json'], { cwd });
  expect(document.exitCode).toBe(2);
  expect(JSON.parse(document.stdout)).toMatchObject({ shown: 2, complete: false });
});

test.skipIf(process.platform === 'win32')(
  'a socket as a path is rejected, and the other paths are searched',
  async () => {
    const cwd = createTree({ a: 'foo\n' });
    const server = createServer().listen(join(cwd, 'socket'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { stdout, stderr, exitCode } = await cairn(['grep', 'foo', 'socket', 'a'], { cwd });
    expect({ stdout, exitCode }).toEqual({ stdout: 'a:1:foo\n', exitCode: 2 });
    expect(stderr).toBe('cairn: cannot search socket: it is a socket\n');
    expect(await cairn(['grep', 'foo', 'socket'], { cwd })).toMatchObject({ exitCode: 2, stdout: '' });
  },
);

describe('several paths', () => {
  test('are those of --path, then the arguments', async () => {
    const cwd = sampleTree();
    const { stdout } = await cairn(['grep', 'foo-1', '--path', 'test', 'README.md', '--path', 'src', '-c'], { cwd });
    expect(stdout).toBe('test/d.ts:1\n');
    expect((await cairn(['grep', '-l', 'foo', '--path', 'test', 'README.md'], { cwd })).stdout).toBe(
      'test/d.ts\nREADME.md\n',
    );
  });

  test('one that does not exist is reported next to the results of the others', async () => {
    const cwd = sampleTree();
    const { stdout, stderr, exitCode } = await cairn(['grep', '-l', 'foo', 'nowhere', 'src'], { cwd });
    expect({ stdout, exitCode }).toEqual({ stdout: 'src/a.ts\nsrc/b.rs\n', exitCode: 2 });
    expect(stderr).toMatch(/^cairn: [^\n]*nowhere[^\n]*\n$/u);
    const none = await cairn(['grep', '-l', 'foo', 'nowhere', 'elsewhere'], { cwd });
    expect(none.stdout).toBe('');
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toMatch(/^cairn: [^\n]*nowhere[^\n]*\n$/u);
  });

  test('share --limit and --offset, and every page but the last has a notice', async () => {
    const cwd = sampleTree();
    for (const mode of ['content', 'files', 'count']) {
      const args = ['grep', 'foo', '--mode', mode, 'test', 'src', 'README.md', 'test'];
      const whole = (await cairn(args, { cwd })).stdout;
      for (const limit of [1, 2, 3]) expect(await readPages(args, limit, cwd)).toBe(whole);
    }
  });

  test('are in the document, and its paths can be opened from the current directory', async () => {
    const cwd = sampleTree();
    const { stdout, exitCode } = await cairn(['grep', 'foo-1|readme', 'test', 'README.md', '--json'], { cwd });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      paths: ['test', 'README.md'],
      matches: [{ path: 'test/d.ts' }, { path: 'README.md' }],
      shown: 2,
      totalMatches: 2,
      filesWithMatches: 2,
      filesSearched: 2,
      complete: true,
      notices: [],
    });
    const partial = await cairn(['grep', 'foo', 'nowhere', 'README.md', '--json'], { cwd });
    expect(partial).toMatchObject({ exitCode: 2, stderr: '' });
    expect(JSON.parse(partial.stdout)).toMatchObject({
      shown: 1,
      complete: false,
      notices: [expect.stringContaining('nowhere')],
    });
  });

  test('a text that its expression misses is reported only if no path has a match', async () => {
    const cwd = createTree({ 'a/x': 'foo(1)\n', 'b/x': 'foo1\n', 'c/x': 'foo(1)\n' });
    const without = await cairn(['grep', 'foo(1)', 'c', 'a'], { cwd });
    expect(without).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is in c/x:1; use -F') });
    expect(await cairn(['grep', 'foo(1)', 'a', 'b'], { cwd })).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('--files lists the files that ripgrep lists', () => {
  const cases: readonly (readonly string[])[] = [
    [],
    ['src', 'README.md'],
    ['-t', 'ts'],
    ['-T', 'ts'],
    ['-g', '!*.ts'],
    ['-g', '!*.ts', '-g', 'a.ts'],
    ['-d', '1'],
    ['-u'],
    ['-0'],
    ['-q'],
  ];
  test.each(cases)('%s %s %s %s', async (...args) => {
    const cwd = sampleTree();
    symlinkSync('README.md', join(cwd, 'link'));
    const given = ['--files', ...args.filter((arg) => arg !== undefined)];
    const { exitCode, stdout } = ripgrep([...ripgrepFlags, '--sort=path', '--hidden', ...given], cwd);
    expect(await ours(given, cwd)).toEqual({ exitCode, stdout: stdout.toString() });
  });

  test('in pages and in a document', async () => {
    const cwd = sampleTree();
    const page = await cairn(['grep', '--files', 'src', '--limit', '1', '--offset', '1'], { cwd });
    expect(page).toMatchObject({ exitCode: 0, stdout: 'src/b.rs\n' });
    expect(page.stderr).toMatch(/^cairn: showing [^\n]*\n$/u);
    expect(await cairn(['grep', '--files', 'src', '--offset', '3'], { cwd })).toMatchObject({
      exitCode: 1,
      stderr: 'cairn: there are no more: --offset 3 skips all 3; use a smaller one\n',
    });
    const { stdout } = await cairn(['grep', '--files', 'src', 'nowhere', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      matches: [{ path: 'src/a.ts' }, { path: 'src/b.rs' }, { path: 'src/deep/c.ts' }],
      shown: 3,
      totalMatches: 3,
      complete: false,
      paths: ['src', 'nowhere'],
      notices: [expect.stringContaining('nowhere')],
    });
  });
});

describe('binary files', () => {
  const files = { bin: 'one\nfoo\n\0\nfoo\n', text: 'foo\n' };

  test('are searched to their first match with --binary and -uuu, as in ripgrep', async () => {
    const cwd = createTree(files);
    for (const args of [
      ['--binary', 'foo'],
      ['-uuu', 'foo'],
      ['--binary', '-l', 'foo'],
      ['--binary', 'absent'],
    ]) {
      const expected = theirs(args, cwd);
      // Where the NUL was found is not stated.
      const stdout = expected.stdout.replace(/ \(found .*\)$/mu, '');
      expect(await ours(args, cwd), args.join(' ')).toEqual({ ...expected, stdout });
    }
  });

  test('are searched to their first match when they are named, as in ripgrep', async () => {
    const cwd = createTree(files);
    for (const args of [
      ['foo', 'bin'],
      ['foo', 'bin', 'text'],
      ['-l', 'foo', 'bin'],
      ['-c', 'foo', 'bin'],
      ['-q', 'foo', 'bin'],
      ['-v', 'foo', 'bin'],
      ['absent', 'bin'],
    ]) {
      const expected = theirs(args, cwd);
      const stdout = expected.stdout.replace(/ \(found .*\)$/mu, '');
      expect(await ours(args, cwd), args.join(' ')).toEqual({ ...expected, stdout });
    }
  });

  test('are text with -a', async () => {
    const cwd = createTree(files);
    for (const args of [
      ['-a', 'foo'],
      ['-ac', 'foo'],
      ['-a', '-v', 'foo'],
    ]) {
      expect(await ours(args, cwd), args.join(' ')).toEqual(theirs(args, cwd));
    }
  });
});

test('--max-filesize leaves out larger files, including --files, but not a file that is named, as in ripgrep', async () => {
  const cwd = createTree({
    'b.txt': 'foo\n',
    'a.txt': 'foo\n',
    'c.txt': `foo${'x'.repeat(100)}\n`,
    'sub/d.txt': 'foo\n',
  });
  for (const args of [
    ['--max-filesize', '50', 'foo'],
    ['--max-filesize', '50', '--files'],
    ['--max-filesize', '50', '--files', 'sub', 'c.txt'],
    ['--max-filesize', '50', 'foo', 'c.txt'],
    ['--max-filesize', '4', '--files'],
    ['--max-filesize', '3', '--files'],
  ]) {
    expect(await ours(args, cwd), args.join(' ')).toEqual(theirs(args, cwd));
  }
});

test('a glob is a path from the current directory, as in ripgrep', async () => {
  const cwd = sampleTree();
  for (const args of [
    ['foo', '-g', 'src/*.ts', 'src'],
    ['foo', '-g', '!src/*.ts', 'src', 'test'],
    ['foo', '-g', 'src/**', 'src', 'test'],
    ['foo', '-g', 'src/*.ts', join(cwd, 'src')],
    ['--files', '-g', 'src/*.ts', 'src'],
    ['--files', '-g', '!src/deep/**', 'src', 'test'],
  ]) {
    expect(await ours(args, cwd), args.join(' ')).toEqual(theirs(args, cwd));
  }
});

test('a glob that does not begin with the searched path is a path below it', async () => {
  const { stdout } = await cairn(['grep', '-l', 'nothing', '-g', 'deep/*.ts', 'src'], { cwd: sampleTree() });
  expect(stdout).toBe('src/deep/c.ts\n');
});

test('-L searches the targets of links', async () => {
  const cwd = sampleTree();
  const outside = createTree({ 'x.txt': 'foo outside\n' });
  symlinkSync(join(outside, 'x.txt'), join(cwd, 'src/link.txt'));
  for (const args of [
    ['foo', 'src'],
    ['-L', 'foo', 'src'],
    ['-L', '--files', 'src'],
  ]) {
    expect(await ours(args, cwd), args.join(' ')).toEqual(theirs(args, cwd));
  }
});

test('--type-list has the types of ripgrep, in its form', async () => {
  const { stdout, exitCode } = await cairn(['grep', '--type-list']);
  expect(exitCode).toBe(0);
  // Our list is a later one.
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining(ripgrep(['--type-list'], '.').stdout.toString().split('\n')),
  );
});

test.each([
  ['-g lib/* foo', 'searched no file: no file passes --glob; --no-ignore adds what ignore files exclude'],
  ['-u -t js -T rust -d 0 foo', 'searched no file: no file passes --type and --type-not and --max-depth'],
  ['-q -t js foo', 'searched no file: no file passes --type; --no-ignore adds what ignore files exclude'],
  ['foo empty', 'searched no file: there is no file; --no-ignore adds what ignore files exclude'],
])('a search of no file at all is reported: %s', async (line, notice) => {
  const cwd = sampleTree();
  mkdirSync(join(cwd, 'empty'));
  expect(await cairn(['grep', ...line.split(' ')], { cwd })).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `cairn: ${notice}\n`,
  });
});

test.each([['-m 0 foo'], ['absent'], ['-t rust absent']])(
  'a search of files without a result is not reported: %s',
  async (line) => {
    const { stderr } = await cairn(['grep', ...line.split(' ')], { cwd: sampleTree() });
    expect(stderr).not.toContain('searched no file');
  },
);

test.each([
  ['one\\|two', true],
  ['\\(one\\|two\\)', true],
  ['one\\\\|two', false],
  ['foo\\|', false],
  ['absent', false],
])('the alternative of basic grep is reported where nothing matches: %s', async (pattern, isReported) => {
  const cwd = createTree({ 'a.txt': 'foo|\ntwo\n' });
  const { stderr } = await cairn(['grep', pattern], { cwd });
  expect(stderr).toBe(isReported ? 'cairn: \\| matches the character |; for one of two, write ONE|OTHER\n' : '');
});

test.each([
  ['-t', '--type'],
  ['-T', '--type-not'],
])('an unknown type is an error of the option %s', async (option, name) => {
  const { stderr } = await cairn(['grep', 'x', option, 'nosuch'], { cwd: sampleTree() });
  expect(stderr).toBe(
    `cairn: invalid ${name} "nosuch": it is not a type, and no file has it as its extension; use a type as ripgrep names it, such as ts, or -g\n`,
  );
});

test('an unknown type is an error, with near names', async () => {
  const { stderr, exitCode } = await cairn(['grep', 'x', '-t', 'nosuch'], { cwd: sampleTree() });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^cairn: [^\n]*nosuch[^\n]*\n$/u);
});

describe('patterns from a file', () => {
  const files = { 'some.txt': 'bar\nqux\n', 'dos.txt': 'bar\r\nqux\r\n', 'empty.txt': '', 'blank.txt': '\n' };

  test.each(Object.keys(files))('are its lines: %s', async (name) => {
    const cwd = sampleTree();
    const patterns = join(createTree(files), name);
    for (const args of [
      ['-f', patterns, 'src'],
      ['-f', patterns, '-e', 'none', 'src'],
      ['-v', '-f', patterns, 'src'],
    ]) {
      expect(await ours(args, cwd), args.join(' ')).toEqual(theirs(args, cwd));
    }
  });

  test('may come from standard input', async () => {
    const cwd = sampleTree();
    const args = ['-f', '-', 'src'];
    expect(await ours(args, cwd, 'bar\nqux')).toEqual(theirs(args, cwd, 'bar\nqux'));
  });

  test('that does not exist is an error', async () => {
    const { stderr, exitCode } = await cairn(['grep', '-f', 'nowhere'], { cwd: sampleTree() });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^cairn: cannot read nowhere \(ENOENT\)[^\n]*\n$/u);
  });
});

test('-0 does not quote a path', async () => {
  const cwd = createTree({});
  mkdirSync(join(cwd, 'a\nb'));
  writeFileSync(join(cwd, 'a\nb', 'c'), 'hit\n');
  expect((await cairn(['grep', '-l0', 'hit'], { cwd })).stdout).toBe('a\nb/c\0');
  expect((await cairn(['grep', '-0', 'hit'], { cwd })).stdout).toBe('a\nb/c\x001:hit\n');
});

test('-q reports what keeps a negative answer from being certain', async () => {
  const cwd = createTree({ bin: 'a\0b hit\n', text: 'hat\n' });
  expect(await cairn(['grep', '-q', 'hit'], { cwd })).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: 'cairn: skipped 1 binary file from the first NUL byte on\n',
  });
  expect(await cairn(['grep', '-q', 'hat'], { cwd })).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});

test.each([['--only-matching'], ['--column'], ['--vimgrep']])(
  '%s and --max-columns exclude each other',
  async (flag) => {
    const { stderr, exitCode } = await cairn(['grep', 'x', flag, '-M', '80'], { cwd: createTree({}) });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--max-columns and ${flag} exclude each other`);
    expect((await cairn(['grep', 'x', flag, '-M', '0'], { cwd: createTree({}) })).exitCode).toBe(1);
  },
);

test('makes no index of contents', async () => {
  const preload = join(temporaryDirectory(), 'at-exit.mjs');
  const natives = import.meta.resolve('@cairn/natives');
  const state = `${preload}.json`;
  writeFileSync(
    preload,
    `import { fsScanCacheStats } from ${JSON.stringify(natives)};
    import { writeFileSync } from 'node:fs';
    process.on('exit', () => writeFileSync(${JSON.stringify(state)}, JSON.stringify(fsScanCacheStats())));`,
  );
  const root = createTree({ d1: { 'a.ts': 'let x7;\n' } });
  const options = { cwd: root, env: { FS_CONTENT_INDEX_MIN_FILES: '0' }, preload: pathToFileURL(preload).href };
  const { stdout } = await cairnProcess(['grep', '-l', 'let x7;', '.', './d1/..', '.'], options);
  expect(stdout).toContain('d1/a.ts');
  expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({
    entries: [],
    contentIndex: { offReason: 'notUsed' },
  });
});
