import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv, finished } from '../support/cli.ts';
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

const names = (text: string): string[] => text.split('\n').slice(0, -1);

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
    const expected = single
      .flatMap(({ matches }, index) =>
        matches.map((match) => {
          const prefix = roots[index] === '.' ? '' : `${roots[index]}/`;
          const positions = match.positions?.map((position) => position + prefix.length);
          return { ...match, path: prefix + match.path, positions };
        }),
      )
      .toSorted((one, other) => other.score - one.score);
    const all = await documentOf(['find', 'read', ...roots], cwd);
    expect(all).toMatchObject({ matches: expected, totalMatches: expected.length, complete: true, paths: roots });
    for (const { path, positions = [] } of all.matches) {
      const letters = positions.map((position) => path[position]).join('');
      expect(letters.toLowerCase(), path).toContain('read');
    }
    expect(names((await cairn(['find', 'read', ...roots], { cwd })).stdout)).toEqual(expected.map(({ path }) => path));
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

  test('with one path a document is relative to it', async () => {
    const document = await documentOf(['find', 'main', 'src'], sampleTree());
    expect(document.matches.map(({ path }) => path)).toEqual(['main.ts']);
    expect(document).not.toHaveProperty('paths');
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

  test('an empty one is refused', async () => {
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
      expect({ count: names(stdout).length, stderr, exitCode }).toEqual({ count: 150, stderr: '', exitCode: 0 });
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

describe('names on standard input', () => {
  test('are ranked when the command has no path', async () => {
    const cwd = createTree({ 'schedule.ts': '' });
    expect(
      await cairn(['find', 'sched'], { cwd, input: 'lib/cancel.rs\nkernel/sched/core.c\nsched.c\n' }),
    ).toMatchObject({
      exitCode: 0,
      stdout: 'sched.c\nkernel/sched/core.c\n',
      stderr: '',
    });
    expect((await cairn(['find', 'sched', '.'], { cwd, input: 'sched.c\n' })).stdout).toBe('schedule.ts\n');
  });

  test('are one of the paths with -', async () => {
    const cwd = createTree({ 'src/core.ts': '', 'core.rs': '' });
    const options = { cwd, input: 'x/core.c\n' };
    const { stdout } = await cairn(['find', 'core', '-', 'src'], options);
    expect(names(stdout).toSorted()).toEqual(['src/core.ts', 'x/core.c']);
    expect(JSON.parse((await cairn(['find', 'core', '-', 'src', '--json'], options)).stdout)).toMatchObject({
      paths: ['-', 'src'],
      totalMatches: 2,
    });
    expect((await cairn(['find', 'core', '--path', '-'], options)).stdout).toBe('x/core.c\n');
  });

  test('give what a search of the directory gives, for each query', async () => {
    const tree = {
      'README.md': '',
      'src/read-cache.ts': '',
      'src/deep/reader.ts': '',
      'lib/readme/index.ts': '',
      'a file.ts': '',
      'grün/größe.md': '',
    };
    const cwd = createTree(tree);
    const input = (await cairn(['find', ''], { cwd })).stdout;
    expect(names(input).length).toBe(11);
    for (const query of [
      '',
      'read',
      'readme',
      'src/read',
      'ts$',
      '!ts',
      '^lib',
      "'cache | reader",
      'gro',
      'a file',
      'raed',
    ]) {
      const listed = await cairn(['find', query], { cwd, input });
      const searched = await cairn(['find', query, '.'], { cwd });
      expect(listed, query).toEqual(searched);
    }
  });

  test('may be those that git lists, with any characters, also with NULs', async () => {
    const cwd = createTree({ 'grün.txt': '', 'src/a b.ts': '', 'x"y.txt': '' });
    const git = (...args: readonly string[]): Buffer => execFileSync('git', args, { cwd });
    git('init', '--quiet');
    git('add', '--all');
    for (const input of [git('ls-files'), git('ls-files', '-z'), git('-c', 'core.quotePath=false', 'ls-files')]) {
      expect((await cairn(['find', 'grün'], { cwd, input })).stdout).toBe('grün.txt\n');
      expect((await cairn(['find', 'x"y'], { cwd, input })).stdout).toBe('x"y.txt\n');
      expect((await cairn(['find', 'a b'], { cwd, input })).stdout).toBe('src/a b.ts\n');
    }
  });

  test('that Cairn printed in quotes are read back', async () => {
    const cwd = createTree({ 'line\nbreak.txt': '', ' blank.txt': '' });
    for (const flags of [[], ['-0']]) {
      const input = (await cairn(['glob', '*', ...flags], { cwd })).stdout;
      const { stdout } = await cairn(['find', 'txt', '--json'], { cwd, input });
      const { matches } = JSON.parse(stdout) as Listed;
      expect(matches.map(({ path }) => path).toSorted()).toEqual([' blank.txt', 'line\nbreak.txt']);
    }
  });

  test('that are not valid Unicode are reported', async () => {
    const input = Buffer.concat([Buffer.from('good.txt\nbad'), Buffer.of(0xff), Buffer.from('.txt\n')]);
    const { stdout, stderr } = await cairn(['find', 'txt'], { cwd: createTree({}), input });
    expect(names(stdout).toSorted()).toEqual(['bad\ufffd.txt', 'good.txt']);
    expect(stderr).toBe('cairn: 1 name is not valid Unicode and shown with replacement characters\n');
  });

  test('can be missing, which is reported', async () => {
    expect(await cairn(['find', 'x'], { cwd: createTree({ x: '' }), input: '' })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: "cairn: standard input was empty; to search the current directory, add '.' after the query\n",
    });
  });

  test('are directories when they end with a slash', async () => {
    const options = { cwd: createTree({}), input: 'core/\ncore/a.c\nsched.c\n' };
    expect((await cairn(['find', 'core', '-t', 'd'], options)).stdout).toBe('core/\n');
    expect((await cairn(['find', 'core', '-t', 'f'], options)).stdout).toBe('core/a.c\n');
    expect(await cairn(['find', 'sched', '-t', 'd'], { ...options, input: 'sched\n' })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("no name on standard input ends with '/'"),
    });
  });

  test('do not go with --no-hidden', async () => {
    expect(await cairn(['find', 'x', '--no-hidden'], { cwd: createTree({}), input: '.x\n' })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--no-hidden does not apply to names on standard input'),
    });
    expect((await cairn(['find', 'x'], { cwd: createTree({}), input: '.x\n' })).stdout).toBe('.x\n');
  });

  test.each([
    ['/dev/null', 'ignore' as const],
    ['an open socket without data', 'pipe' as const],
  ])('are not awaited from %s', async (_what, stdin) => {
    const cwd = createTree({ 'main.ts': '' });
    const child = spawn(process.execPath, [cairnEntry, 'find', 'main'], {
      cwd,
      env: cleanEnv(),
      stdio: [stdin, 'pipe', 'pipe'],
    });
    const { stdout, exitCode } = await finished(child);
    expect({ stdout, exitCode }).toEqual({ stdout: 'main.ts\n', exitCode: 0 });
  });
});

describe('filters', () => {
  const tree = { 'src/a.ts': '', 'src/b.TS': '', 'src/c.tsx': '', 'ts/d.md': '', '.ts': '' };

  test('-t keeps files or directories', async () => {
    const cwd = createTree(tree);
    expect(names((await cairn(['find', 'ts', '-t', 'd'], { cwd })).stdout)).toEqual(['ts/']);
    for (const kind of ['f', 'file']) {
      const { stdout } = await cairn(['find', '', '--type', kind], { cwd });
      expect(names(stdout).toSorted()).toEqual(['src/a.ts', 'src/b.TS', 'src/c.tsx', 'ts/d.md']);
    }
  });

  test('-e keeps names with an extension, in any case', async () => {
    const cwd = createTree(tree);
    for (const extension of ['ts', '.ts', 'TS']) {
      const { stdout } = await cairn(['find', '', '-e', extension, '--hidden'], { cwd });
      expect(names(stdout).toSorted()).toEqual(['src/a.ts', 'src/b.TS']);
    }
    expect(names((await cairn(['find', '', '-e', 'md', '-e', 'tsx'], { cwd })).stdout).toSorted()).toEqual([
      'src/c.tsx',
      'ts/d.md',
    ]);
  });

  test.each([
    [['-t', 'x'], 'invalid --type "x"; use f (file) or d (dir)'],
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
  ])('%j are refused', async (flags, message) => {
    expect(await cairn(['find', 'x', ...flags], { cwd: createTree({}) })).toMatchObject({
      exitCode: 2,
      stderr: `cairn: ${message}\n`,
    });
  });
});

describe('the signs of fzf', () => {
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
    expect(names(stdout).toSorted()).toEqual(expected.toSorted());
  });

  test('a name with the typed signs is first', async () => {
    const { stdout } = await cairn(['find', '!important'], { cwd: createTree(tree) });
    expect(names(stdout)[0]).toBe('lib/!important.ts');
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
  expect(names((await cairn(['find', 'readme'], { cwd })).stdout)[0]).toBe('README');
});

test.each(['x'.repeat(1025), 'a '.repeat(40)])(
  'a query that is too long is refused in the words of the command line',
  async (query) => {
    expect(await cairn(['find', query], { cwd: createTree({}) })).toMatchObject({
      exitCode: 2,
      stderr: 'cairn: the query is too long; use at most 1,024 bytes, and 32 words and path segments\n',
    });
  },
);

describe('the patterns of glob', () => {
  const tree = { 'src/a.ts': '', 'src/a.test.ts': '', 'src/b.tsx': '', 'docs/a.md': '', 'README.md': '' };

  test.each([
    [
      ['*.ts', '*.md'],
      ['README.md', 'docs/a.md', 'src/a.test.ts', 'src/a.ts'],
    ],
    [['*.ts', '!*.test.*'], ['src/a.ts']],
    [
      ['!*.test.*', '*.ts'],
      ['src/a.test.ts', 'src/a.ts'],
    ],
    [
      ['!*.md', '-t', 'f'],
      ['src/a.test.ts', 'src/a.ts', 'src/b.tsx'],
    ],
    [
      ['*', '!src/**', '!src', '-t', 'f'],
      ['README.md', 'docs/a.md'],
    ],
    [
      ['src/*.tsx', 'docs/*'],
      ['docs/a.md', 'src/b.tsx'],
    ],
  ])('%j', async (args, expected) => {
    const { stdout, stderr } = await cairn(['glob', ...args], { cwd: createTree(tree) });
    expect({ listed: names(stdout), stderr }).toEqual({ listed: expected, stderr: '' });
  });

  test('that name a directory are patterns, which is reported with the option to search in it', async () => {
    const cwd = createTree(tree);
    expect(await cairn(['glob', '*.ts', 'docs'], { cwd })).toMatchObject({
      exitCode: 0,
      stdout: 'docs\nsrc/a.test.ts\nsrc/a.ts\n',
      stderr:
        'cairn: each argument is a pattern, also the name of a directory (docs); to search in it, use --path docs\n',
    });
    expect((await cairn(['glob', 'docs'], { cwd })).stderr).toBe('');
    expect((await cairn(['glob', '*.ts', 'README.md'], { cwd })).stderr).toBe('');
  });

  test.each([['{a'], ['*.ts', '{a'], ['[a'], ['.'], []].map((patterns) => [patterns]))(
    '%j are refused',
    async (patterns) => {
      const { stdout, stderr, exitCode } = await cairn(['glob', ...patterns], { cwd: createTree(tree) });
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
      expect(stderr).toMatch(/^cairn: [^\n]+\n$/u);
    },
  );
});
