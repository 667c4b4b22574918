import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, linesOf } from '../support/cli.ts';
import { createTree, file } from '../support/tree.ts';

function sampleTree(): string {
  return createTree({
    'README.md': '',
    'src/main.ts': '',
    'src/read-cache.ts': '',
    'src/deep/reader.ts': '',
    'test/main.test.ts': '',
    'test/read.md': '',
    'docs/guide.md': '',
  });
}

interface Listed {
  readonly matches: readonly {
    readonly path: string;
    readonly score: number;
    readonly positions?: readonly number[];
  }[];
  readonly totalMatches: number;
}

async function documentOf(args: readonly string[], cwd: string): Promise<Listed & Readonly<Record<string, unknown>>> {
  const { stdout } = await cairn([...args, '--json'], { cwd });
  return JSON.parse(stdout) as Listed & Readonly<Record<string, unknown>>;
}

describe('paths to search', () => {
  test('are arguments of find, values of --path, or both, and none is dropped', async () => {
    const cwd = sampleTree();
    const expected = 'src/main.ts\ntest/main.test.ts\n';
    for (const args of [
      ['main', 'src', 'test'],
      ['main', '--path', 'src', '--path', 'test'],
      ['main', '--path=src', 'test'],
      ['main', './src/', 'test//', 'docs'],
    ]) {
      expect(await cairn(['find', ...args], { cwd }), args.join(' ')).toMatchObject({
        exitCode: 0,
        stdout: expected,
        stderr: '',
      });
    }
  });

  test('of find share one ranking, the best match of all first', async () => {
    const cwd = sampleTree();
    const roots = ['docs', 'test', 'src', '.'];
    const single = await Promise.all(roots.map((root) => documentOf(['find', 'read', root], cwd)));
    const expected = single.flatMap(({ matches }) => matches).toSorted((one, other) => other.score - one.score);
    const all = await documentOf(['find', 'read', ...roots], cwd);
    expect(all).toMatchObject({ matches: expected, totalMatches: expected.length, complete: true, paths: roots });
    for (const { path, positions = [] } of all.matches) {
      const letters = positions.map((position) => path[position]).join('');
      expect(letters.toLowerCase(), path).toContain('read');
    }
    expect(linesOf((await cairn(['find', 'read', ...roots], { cwd })).stdout)).toEqual(
      expected.map(({ path }) => path),
    );
    const cut = await documentOf(['find', 'read', ...roots, '--limit', '2'], cwd);
    expect(cut).toMatchObject({ shown: 2, totalMatches: expected.length, complete: false, stopReason: 'limit' });
    expect(cut.matches.map(({ path }) => path)).toEqual(expected.slice(0, 2).map(({ path }) => path));
  });

  test('of glob are listed in the order given, and --limit and --sort-mtime hold for all of them', async () => {
    const cwd = createTree({
      'a/1.txt': file('', { mtimeMs: 1_000_000 }),
      'a/4.txt': file('', { mtimeMs: 4_000_000 }),
      'b/2.txt': file('', { mtimeMs: 2_000_000 }),
      'b/3.txt': file('', { mtimeMs: 3_000_000 }),
    });
    const glob = async (...args: readonly string[]): Promise<string> =>
      (await cairn(['glob', '*.txt', '--path', 'b', '--path', 'a', ...args], { cwd })).stdout;
    expect(await glob()).toBe('b/2.txt\nb/3.txt\na/1.txt\na/4.txt\n');
    expect(await glob('--limit', '3')).toBe('b/2.txt\nb/3.txt\na/1.txt\n');
    expect(await glob('--sort-mtime', '--limit', '3')).toBe('a/4.txt\nb/3.txt\nb/2.txt\n');
    expect(await glob('--long')).toMatch(/^0\t1970-01-01T00:33:20\.000Z\tb\/2\.txt\n(?:0\t[^\n]+\n){3}$/u);
    expect(await documentOf(['glob', '*.txt', '--path', 'b', '--path', 'a'], cwd)).toMatchObject({
      matches: [{ path: 'b/2.txt' }, { path: 'b/3.txt' }, { path: 'a/1.txt' }, { path: 'a/4.txt' }],
      paths: ['b', 'a'],
    });
  });

  test('of glob have no total when a search ended at the limit', async () => {
    const cwd = createTree({ 'a/1.txt': '', 'a/2.txt': '', 'a/3.txt': '', 'b/4.txt': '', 'b/5.txt': '' });
    const paths = ['--path', 'a', '--path', 'b'];
    const notice = async (limit: string): Promise<string> =>
      (await cairn(['glob', '*.txt', ...paths, '--limit', limit], { cwd })).stderr;
    expect(await notice('2')).toBe('cairn: showing the first 2, and there are more; use --limit for more\n');
    expect(await notice('3')).toBe('cairn: showing 3 of 5; use --limit for more\n');
  });

  test('that overlap are searched each by itself', async () => {
    expect((await cairn(['find', 'reader', 'src', 'src/deep'], { cwd: sampleTree() })).stdout).toBe(
      'src/deep/reader.ts\nsrc/deep/reader.ts\n',
    );
  });

  test.each([
    ['find', ['find', 'main', 'nowhere', 'src', 'README.md']],
    ['glob', ['glob', 'main*', '--path', 'nowhere', '--path', 'src', '--path', 'README.md']],
  ])('one that cannot be searched by %s is reported, and the others are searched', async (_name, args) => {
    const cwd = sampleTree();
    const { stdout, stderr, exitCode } = await cairn(args, { cwd });
    expect({ stdout, exitCode }).toEqual({ stdout: 'src/main.ts\n', exitCode: 2 });
    expect(stderr).toMatch(/^cairn: [^\n]*nowhere[^\n]*\ncairn: [^\n]*README\.md[^\n]*\n$/u);
    expect(await documentOf(args, cwd)).toMatchObject({
      matches: [{ path: 'src/main.ts' }],
      complete: false,
      notices: [expect.stringContaining('nowhere'), expect.stringContaining('README.md')],
    });
  });

  test('that are all missing are one error', async () => {
    const { stdout, stderr, exitCode } = await cairn(['find', 'api', 'test1', 'test2'], { cwd: sampleTree() });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(/^cairn: [^\n]*test1[^\n]*; or quote a query of several words: 'api test1 test2'\n$/u);
  });

  test('an empty one is rejected', async () => {
    for (const args of [
      ['find', 'x', ''],
      ['find', 'x', '--path', ''],
    ]) {
      expect(await cairn(args, { cwd: sampleTree() })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('is empty; use a path'),
      });
    }
  });
});

describe('an empty query', () => {
  test('lists every path, however many', async () => {
    const cwd = createTree(Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`file-${index}.txt`, ''])));
    for (const args of [['find', ''], ['find'], ['find', ' ']]) {
      const { stdout, stderr, exitCode } = await cairn(args, { cwd });
      expect({ count: linesOf(stdout).length, stderr, exitCode }).toEqual({ count: 150, stderr: '', exitCode: 0 });
    }
    expect(await cairn(['find', '', '--limit', '3'], { cwd })).toMatchObject({
      stdout: 'file-0.txt\nfile-1.txt\nfile-10.txt\n',
      stderr: 'cairn: showing 3 of 150; use --limit for more\n',
    });
  });

  test.each(['.', './', '--', '*'])('is what a query of signs, %j, may have meant', async (query) => {
    expect(await cairn(['find', '--', query], { cwd: createTree({ file: '' }) })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: `cairn: the query "${query}" has no letters or digits to search for; use '' to list every path\n`,
    });
  });
});

describe('-0', () => {
  const tree = { 'd/a b.txt': '', 'd/[x] y.txt': '', 'd/line\nbreak.txt': '' };
  const unix = process.platform !== 'win32';

  test.skipIf(!unix).each([
    ['find', ['find', 'txt', 'd']],
    ['glob', ['glob', '*.txt', '--path', 'd']],
  ])('ends each path of %s with a NUL and prints names as they are', async (_name, args) => {
    const { stdout, stderr, exitCode } = await cairn([...args, '-0'], {
      cwd: createTree(tree),
      env: { FORCE_COLOR: '1' },
    });
    expect(stdout.endsWith('\0')).toBe(true);
    expect(stdout.split('\0').slice(0, -1).toSorted()).toEqual(Object.keys(tree).toSorted());
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  });

  test('and --json exclude each other', async () => {
    for (const command of ['find', 'glob']) {
      const { stdout, exitCode } = await cairn([command, 'x', '--null', '--json'], { cwd: createTree({}) });
      expect(exitCode).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'USAGE' } });
    }
  });
});

describe('filters', () => {
  const tree = { 'src/a.ts': '', 'src/b.TS': '', 'src/c.tsx': '', 'ts/d.md': '', '.ts': '' };

  test('-t keeps files or directories', async () => {
    const cwd = createTree(tree);
    expect(linesOf((await cairn(['find', 'ts', '-t', 'd'], { cwd })).stdout)).toEqual(['ts/']);
    for (const kind of ['f', 'file']) {
      const { stdout } = await cairn(['find', '', '--type', kind], { cwd });
      expect(linesOf(stdout).toSorted()).toEqual(['src/a.ts', 'src/b.TS', 'src/c.tsx', 'ts/d.md']);
    }
  });

  test('-e keeps names with an extension, in any case', async () => {
    const cwd = createTree(tree);
    for (const extension of ['ts', '.ts', 'TS']) {
      const { stdout } = await cairn(['find', '', '-e', extension, '--hidden'], { cwd });
      expect(linesOf(stdout).toSorted()).toEqual(['src/a.ts', 'src/b.TS']);
    }
    expect(linesOf((await cairn(['find', '', '-e', 'md', '-e', 'tsx'], { cwd })).stdout).toSorted()).toEqual([
      'src/c.tsx',
      'ts/d.md',
    ]);
  });

  test.each([
    [['-t', 'y'], 'invalid --type "y"; use f (file) or d (dir)'],
    [
      ['-t', 'x'],
      'invalid --type "x"; use f (file) or d (dir); for executable files use find(1), which applies no ignore file: find . -type f -perm -u+x',
    ],
    [['-t', 'f', '-t', 'd'], '--type is given twice; leave it out for every kind'],
    [
      ['-e', ''],
      "invalid --extension \"\"; use the end of a name, such as 'ts' or 'tar.gz', and repeat -e for several",
    ],
    [
      ['-e', '.'],
      "invalid --extension \".\"; use the end of a name, such as 'ts' or 'tar.gz', and repeat -e for several",
    ],
    [
      ['-e', 'a/b'],
      "invalid --extension \"a/b\"; use the end of a name, such as 'ts' or 'tar.gz', and repeat -e for several",
    ],
  ])('%j are rejected', async (flags, message) => {
    expect(await cairn(['find', 'x', ...flags], { cwd: createTree({}) })).toMatchObject({
      exitCode: 2,
      stderr: `cairn: ${message}\n`,
    });
  });
});

describe('the operators of fzf', () => {
  const tree = {
    'src/main.ts': '',
    'src/main.test.ts': '',
    'docs/main.md': '',
    'lib/!important.ts': '',
    'main/x.c': '',
  };

  test.each([
    ['main !test', ['docs/main.md', 'main/x.c', 'src/main.ts']],
    ['^src', ['src/main.test.ts', 'src/main.ts']],
    ['.md$', ['docs/main.md']],
    ["'test", ['src/main.test.ts']],
    ['.md$ | .c$', ['docs/main.md', 'main/x.c']],
    ['!main', ['lib/!important.ts']],
    ['!important', ['docs/main.md', 'lib/!important.ts', 'main/x.c', 'src/main.test.ts', 'src/main.ts']],
  ])('%s', async (query, expected) => {
    const { stdout } = await cairn(['find', query, '-t', 'f'], { cwd: createTree(tree) });
    expect(linesOf(stdout).toSorted()).toEqual(expected.toSorted());
  });

  test('a name with the typed signs is first', async () => {
    const { stdout } = await cairn(['find', '!important'], { cwd: createTree(tree) });
    expect(linesOf(stdout)[0]).toBe('lib/!important.ts');
  });
});

test('an absolute path below the searched directory is a query for it', async () => {
  const cwd = sampleTree();
  expect((await cairn(['find', join(cwd, 'src/main.ts')], { cwd })).stdout).toBe('src/main.ts\n');
  expect((await cairn(['find', join(cwd, 'src/deep/reader.ts'), 'src'], { cwd })).stdout).toBe('src/deep/reader.ts\n');
});

test('a path outside of the searched directory is reported with the command that finds it', async () => {
  const [cwd, other] = [sampleTree(), sampleTree()];
  const readme = join(other, 'README.md');
  expect((await cairn(['find', readme], { cwd })).stderr).toContain(
    `${readme} is not below a searched directory; use cairn find README.md ${other}\n`,
  );
  expect((await cairn(['find', other], { cwd })).stderr).toContain(`use cairn find '' ${other}\n`);
  expect((await cairn(['find', readme], { cwd: other })).stderr).toBe('');
  expect((await cairn(['find', readme, other], { cwd })).stderr).toBe('');
});

describe('signs of other patterns', () => {
  const tree = {
    'src/main.ts': '',
    'src/foo.ts': '',
    'a.*b.txt': '',
    'x|y.txt': '',
    'c{1,2}.txt': '',
    'app/[id]/(x).ts': '',
  };

  test.each([
    ['.*n$', [], "a query is letters, not an expression; for one, use cairn glob '*' | cairn grep '.*n$'"],
    [String.raw`\.ts$`, ['src'], String.raw`cairn glob '*' --path src | cairn grep '\.ts$'`],
    ['*.ts', ['src'], "a query is letters, without wildcards; for a glob, use cairn glob '*.ts' --path src"],
    ['src/{main,foo}', [], "use cairn glob 'src/{main,foo}'"],
    ['^m.*n.*ts$', [], "cairn glob '*' | cairn grep '(^|/)m.*n.*ts$'"],
    ['src/main.ts:12:3', [], 'nothing has the line in its name; without it, use cairn find src/main.ts'],
    ['main|foo', [], "| needs spaces around it: 'main | foo'"],
  ])('%s', async (query, paths, remark) => {
    expect((await cairn(['find', query, ...paths], { cwd: createTree(tree) })).stderr).toContain(`${remark}\n`);
  });

  test('names on standard input are filtered with grep', async () => {
    const { stderr } = await cairn(['find', '.*n$'], { cwd: createTree({}), input: 'a.ts\n' });
    expect(stderr).toBe("cairn: a query is letters, not an expression; for one, use cairn grep '.*n$'\n");
  });

  test.each(['a.*b', 'x|y', 'c{1,2}', '[id]', '(x)', 'main | foo', "'main", '^src'])(
    'that are in names or of fzf: %s',
    async (query) => {
      expect((await cairn(['find', query], { cwd: createTree(tree) })).stderr).toBe('');
    },
  );
});

test('a list with more names than one search holds is reported in words for lists', async () => {
  const input = Array.from({ length: 20 }, (_, index) => `name${index}\n`).join('');
  const env = { FS_SCAN_MAX_ENTRIES: '10' };
  expect(await cairn(['find', 'name'], { cwd: createTree({}), input, env })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('the list has more names than FS_SCAN_MAX_ENTRIES') as string,
  });
});

test('a file is before a directory that fits as well', async () => {
  const cwd = createTree({ 'src/readme/index.ts': '', 'src/readme.md': '', README: '' });
  expect(linesOf((await cairn(['find', 'readme'], { cwd })).stdout)[0]).toBe('README');
});

test.each(['x'.repeat(1025), 'a '.repeat(40)])(
  'a query that is too long is rejected in the words of the command line',
  async (query) => {
    expect(await cairn(['find', query], { cwd: createTree({}) })).toMatchObject({
      exitCode: 2,
      stderr: 'cairn: the query is too long; use at most 1,024 bytes, and 32 words and path segments\n',
    });
  },
);

describe('a find without a path that contains the words as typed', () => {
  const tree = {
    'src/app.js': '',
    'src/page_alloc.ts': '',
    'pages/with/hints/for/agents/in/coloured.md': '',
    'docs/app.md': '',
    'lib/small/lines/bar.ts': '',
  };

  test.each([
    ['a typo', ['app.jsx'], 'typo', '"app.jsx": matched with a typo'],
    ['beginnings of words', ['pagealloc'], 'initials', '"pagealloc": matched by beginnings of words'],
    ['scattered letters', ['gitignore'], 'scattered', '"gitignore": matched by scattered letters'],
    ['abbreviated segments', ['alloc sr/p'], 'initials', 'every word of "alloc sr/p": matched by beginnings of words'],
    [
      'several directories',
      ['page alc', 'src', 'docs'],
      'scattered',
      'every word of "page alc" below the searched paths: matched by scattered letters',
    ],
    [
      'a word of the searched path',
      ['lib bar', 'lib'],
      'initials',
      'every word of "lib bar" below lib: matched by beginnings of words',
    ],
    [
      'words of searched paths',
      ['lib bar', './lib/', 'docs'],
      'initials',
      'every word of "lib bar" below the searched paths: matched by beginnings of words',
    ],
    ['the current directory by another name', ['app.jsx', './'], 'typo', '"app.jsx": matched with a typo'],
  ])('states that of %s: %j', async (_reason, args, guess, message) => {
    const cwd = createTree(tree);
    const { exitCode, stdout, stderr } = await cairn(['find', ...args], { cwd });
    const document = await documentOf(['find', ...args], cwd);
    const fix = "put ' before a word to find only paths that contain it";
    expect([exitCode, stderr]).toEqual([0, `cairn: no listed path contains ${message}; ${fix}\n`]);
    expect([document['guess'], document['notices']]).toEqual([guess, [stderr.slice('cairn: '.length, -1)]]);
    expect(linesOf(stdout)).toEqual(document.matches.map(({ path }) => path));
  });

  test.each([
    ['the words as typed', 'app.js'],
    ['another case', 'APP.js'],
    ['a condition', '^src .js$'],
    ['an alternative', 'zzz | app.js'],
    ['nothing', 'zzzz'],
    ['no words', ''],
  ])('has no guess: %s', async (_reason, query) => {
    const cwd = createTree(tree);
    expect((await cairn(['find', query], { cwd })).stderr).toBe('');
    expect(await documentOf(['find', query], cwd)).not.toHaveProperty('guess');
  });

  test('a word after a quote has no guesses', async () => {
    expect(await cairn(['find', "'app.jsx"], { cwd: createTree(tree) })).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test('names on standard input are guessed, too', async () => {
    const { stderr } = await cairn(['find', 'maser'], { input: 'origin/master\n' });
    expect(stderr).toMatch(/^cairn: no listed path contains "maser"/u);
  });
});
