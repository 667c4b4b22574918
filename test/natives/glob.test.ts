import { FileType, glob, grep } from '@cairn/natives';
import type { GlobOptions } from '@cairn/natives';
import { describe, expect, it } from 'vitest';
import { bytesName, createTree, fifo, file, symlink } from '../support/tree.ts';

async function paths(options: GlobOptions): Promise<string[]> {
  const { matches } = await glob(options);
  return matches.map(({ path }) => path);
}

describe('glob', () => {
  it('lists paths relative to the root, in byte order, without the root itself', async () => {
    const path = createTree({ 'a/b': '', 'a.c': '', 'a-b/x': '', B: '', ä: '' });
    expect(await paths({ pattern: '**', path })).toEqual(['B', 'a', 'a-b', 'a-b/x', 'a.c', 'a/b', 'ä']);
  });

  it('gives each kind its number and leaves out what is none of them', async () => {
    const path = createTree({ file: '', dir: {}, link: symlink('file'), broken: symlink('no'), pipe: fifo() });
    const { matches } = await glob({ pattern: '*', path });
    expect(matches).toEqual([
      { path: 'broken', fileType: FileType.Symlink },
      { path: 'dir', fileType: FileType.Dir },
      { path: 'file', fileType: FileType.File },
      { path: 'link', fileType: FileType.Symlink },
    ]);
  });

  it.each([false, true])('finds what is named below a followed link, with cache %s', async (cache) => {
    // `**` lists each directory once, as `real`.
    const path = createTree({ real: { sub: { 'a.txt': 'x' } }, b: symlink('real'), a: symlink('real/sub') });
    const named = async (pattern: string) => paths({ pattern, path, followLinks: true, cache });
    expect(await named('**/*.txt')).toEqual(['real/sub/a.txt']);
    expect(await named('a/*.txt')).toEqual(['a/a.txt']);
    expect(await named('b/sub/*.txt')).toEqual(['b/sub/a.txt']);
    const { matches } = await grep({ pattern: 'x', path, glob: 'b/**', followLinks: true, cache });
    expect(matches.map((match) => match.path)).toEqual(['b/sub/a.txt']);
  });

  it.each([
    ['files', FileType.File, ['file', 'link']],
    ['directories', FileType.Dir, ['dir', 'dirlink']],
    ['links', FileType.Symlink, ['broken', 'dirlink', 'link', 'pipelink']],
  ] as const)('keeps %s, a link by its target', async (_, fileType, expected) => {
    const path = createTree({
      file: '',
      dir: {},
      link: symlink('file'),
      dirlink: symlink('dir'),
      broken: symlink('no'),
      pipe: fifo(),
      pipelink: symlink('pipe'),
    });
    const { matches } = await glob({ pattern: '*', path, fileType });
    expect(matches).toEqual(expected.map((name) => ({ path: name, fileType })));
  });

  it('asks for directories with a final slash', async () => {
    const path = createTree({ 'src/a': '', 'lib/src': '', link: symlink('src') });
    expect(await paths({ pattern: 'src/', path })).toEqual(['src']);
    expect(await paths({ pattern: '*/', path, recursive: false })).toEqual(['lib', 'link', 'src']);
    expect(await paths({ pattern: 'src/', path, fileType: FileType.File })).toEqual([]);
  });

  it('matches a pattern without a slash at any depth, unless recursive is false', async () => {
    const path = createTree({ 'x.ts': '', 'a/x.ts': '', 'a/b/x.ts': '' });
    expect(await paths({ pattern: '*.ts', path })).toEqual(['a/b/x.ts', 'a/x.ts', 'x.ts']);
    expect(await paths({ pattern: '*.ts', path, recursive: false })).toEqual(['x.ts']);
    expect(await paths({ pattern: 'a/*.ts', path })).toEqual(['a/x.ts']);
  });

  it('takes an empty pattern for a star, and rejects an open brace', async () => {
    const path = createTree({ 'a.ts': '', 'b.tsx': '', 'c.js': '' });
    expect(await paths({ pattern: '', path })).toEqual(['a.ts', 'b.tsx', 'c.js']);
    await expect(glob({ pattern: '*.{ts,tsx', path })).rejects.toMatchObject({
      code: 'INVALID_GLOB',
      message: expect.stringContaining(String.raw`close it, or use \{`),
    });
  });

  it('takes the last of several globs that matches, types, and a depth', async () => {
    const path = createTree({ 'a.ts': '', 'b.md': '', 'docs/c.md': '', 'docs/d.ts': '', 'docs/deep/e.ts': '' });
    expect(await paths({ pattern: '!*.md', path })).toEqual([
      'a.ts',
      'docs',
      'docs/d.ts',
      'docs/deep',
      'docs/deep/e.ts',
    ]);
    expect(await paths({ pattern: ['*.ts', '!docs/deep'], path })).toEqual(['a.ts', 'docs/d.ts']);
    expect(await paths({ pattern: ['!*.md', 'c.md'], path })).toEqual(['docs/c.md']);
    expect(await paths({ pattern: '*', type: 'md', path })).toEqual(['b.md', 'docs/c.md']);
    expect(await paths({ pattern: '*', typeNot: ['md', 'ts'], path })).toEqual(['docs', 'docs/deep']);
    expect(await paths({ pattern: '*', maxDepth: 1, path })).toEqual(['a.ts', 'b.md', 'docs']);
    await expect(glob({ pattern: '*', type: 'nosuch', path })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('N40: takes two stars next to other characters for one, and POSIX classes', async () => {
    const path = createTree({ 'ab/c': '', abc: '', 'x/a1': '', 'x/aé': '' });
    expect(await paths({ pattern: 'a**', path })).toEqual(await paths({ pattern: 'a*', path }));
    expect(await paths({ pattern: 'a**', path, recursive: false })).toEqual(['ab', 'abc']);
    expect(await paths({ pattern: 'a[[:digit:]]', path })).toEqual(['x/a1']);
    expect(await paths({ pattern: 'a[![:digit:]b]', path })).toEqual(['x/aé']);
  });

  it('rejects what only other dialects have, with what to write instead', async () => {
    const path = createTree({ a: '', '@(a)': '', '1..3': '' });
    for (const [pattern, instead] of [
      ['!(a)', '!'],
      ['@(a|b)', '{a,b}'],
      ['{1..3}', '{1,2,3}'],
      ['~/x', 'absolute'],
      ['.', 'use *'],
      ['[[:word:]]', 'alpha'],
      ['[:alpha:]', '[[:alpha:]]'],
    ] as const) {
      const refused = { code: 'INVALID_GLOB', message: expect.stringContaining(instead) };
      await expect(glob({ pattern, path }), pattern).rejects.toMatchObject(refused);
      await expect(grep({ pattern: '', glob: pattern, path }), pattern).rejects.toMatchObject(refused);
    }
    expect(await paths({ pattern: '@\\(a)', path })).toEqual(['@(a)']);
    expect(await paths({ pattern: '1..3', path })).toEqual(['1..3']);
  });

  it('tells what a pattern without a match may have meant, and nothing about others', async () => {
    const outside = symlink(createTree({ 'secret/a': '' }));
    const path = createTree({ 'src/a.ts': '', '.env': '', outside });
    const hint = async (options: Partial<GlobOptions>): Promise<string | undefined> =>
      (await glob({ pattern: '*', path, ...options })).hint;
    expect(await hint({ pattern: '*.ts,*.js' })).toContain('{*.ts,*.js}');
    expect(await hint({ pattern: 'src//a.ts' })).toContain('empty component');
    expect(await hint({ pattern: '.env' })).toContain('hidden');
    expect(await hint({ pattern: 'src/.*\\.ts' })).toContain('regular expression');
    expect(await hint({ pattern: 'src/[id]/a.ts' })).toContain('\\[id\\]');
    expect(await hint({ pattern: 'src/', fileType: FileType.File })).toContain('directories');
    expect(await hint({ pattern: '*.ts,' })).toContain("','");
    for (const pattern of ['*.TS', 'src/A.ts', 'SRC', '**/[A-B].TS'])
      expect(await hint({ pattern }), pattern).toContain(`in another case, ${pattern} matches "src`);
    expect(await hint({ pattern: '*.TS', fileType: FileType.Dir })).toBeUndefined();
    for (const pattern of ['SRC/*.ts', 'SRC/**', './Src/a.ts'])
      expect(await hint({ pattern }), pattern).toMatch(/"src" exists, but not "S/u);
    expect(await hint({ pattern: 'src/A/*.ts' })).toBeUndefined();
    expect(await hint({ pattern: 'outside/SECRET/*' })).toBeUndefined();
    expect(await hint({ pattern: 'src/*.ts', fileType: FileType.Dir })).toBeUndefined();
    expect(await hint({ pattern: '*.js' })).toBeUndefined();
    expect(await hint({ pattern: '*.ts' })).toBeUndefined();
  });

  it('prunes .git, hidden names and ignored ones by default', async () => {
    const path = createTree({ '.git/x': '', '.env': '', '.gitignore': 'out', out: '', kept: '' });
    expect(await paths({ pattern: '*', path })).toEqual(['kept']);
    expect(await paths({ pattern: '*', path, hidden: true })).toEqual(['.env', '.gitignore', 'kept']);
    expect(await paths({ pattern: '*', path, gitignore: false })).toEqual(['kept', 'out']);
  });

  it('lists node_modules when asked to or when the pattern mentions it', async () => {
    const path = createTree({ 'node_modules/m/i.js': '', 'i.js': '' });
    expect(await paths({ pattern: '*.js', path })).toEqual(['i.js']);
    expect(await paths({ pattern: '*.js', path, includeNodeModules: true })).toEqual(['i.js', 'node_modules/m/i.js']);
    expect(await paths({ pattern: 'node_modules/**/*.js', path })).toEqual(['node_modules/m/i.js']);
    const off = { pattern: 'node_modules/**', path, includeNodeModules: false };
    expect(await paths(off)).toEqual([]);
  });

  it('stops at the limit in path order and reports that only when something is left', async () => {
    const path = createTree({ a: '', b: '', c: '' });
    expect(await glob({ pattern: '*', path, maxResults: 2 })).toEqual({
      matches: [
        { path: 'a', fileType: 1 },
        { path: 'b', fileType: 1 },
      ],
      totalMatches: 2,
      complete: false,
      stopReason: 'limit',
    });
    expect(await glob({ pattern: '*', path, maxResults: 3 })).toMatchObject({ totalMatches: 3, complete: true });
  });

  it('with a limit of zero checks root and pattern and scans nothing', async () => {
    const path = createTree({ a: '' });
    expect(await glob({ pattern: '*', path, maxResults: 0 })).toEqual({
      matches: [],
      totalMatches: 0,
      complete: false,
      stopReason: 'limit',
    });
    await expect(glob({ pattern: '[', path, maxResults: 0 })).rejects.toMatchObject({ code: 'INVALID_GLOB' });
    await expect(glob({ pattern: '*', path: `${path}/no`, maxResults: 0 })).rejects.toMatchObject({
      code: 'PATH_NOT_FOUND',
    });
  });

  it('sorts newest first, ties by path, and cuts after the ranking', async () => {
    const path = createTree({
      old: file('1', { mtimeMs: 1_000_000 }),
      new: file('123', { mtimeMs: 3_000_000 }),
      'b/mid': file('12', { mtimeMs: 2_000_000 }),
      'a/mid': file('', { mtimeMs: 2_000_000 }),
    });
    const options: GlobOptions = { pattern: '**', path, sortByMtime: true, fileType: FileType.File };
    for (const cache of [false, true]) {
      expect(await glob({ ...options, cache })).toEqual({
        matches: [
          { path: 'new', fileType: 1, mtime: 3_000_000, size: 3 },
          { path: 'a/mid', fileType: 1, mtime: 2_000_000, size: 0 },
          { path: 'b/mid', fileType: 1, mtime: 2_000_000, size: 2 },
          { path: 'old', fileType: 1, mtime: 1_000_000, size: 1 },
        ],
        totalMatches: 4,
        complete: true,
      });
    }
    const limited = await glob({ ...options, maxResults: 2 });
    expect(limited.matches.map((match) => match.path)).toEqual(['new', 'a/mid']);
    expect(limited).toMatchObject({ totalMatches: 4, complete: false, stopReason: 'limit' });
  });

  it('flags a name that is not valid UTF-8', async () => {
    const path = createTree({ [bytesName(0x61, 0xff, 0x62)]: '', plain: '' });
    const { matches } = await glob({ pattern: '*', path });
    expect(matches).toEqual([
      { path: 'a\uFFFDb', fileType: 1, lossyPath: true },
      { path: 'plain', fileType: 1 },
    ]);
  });

  it('returns names with line breaks, and beyond the basic plane, whole', async () => {
    const names = [' ', '\n', 'a\r\nb', '\u2028', '漢字', '😀x', '\\', '-x'];
    const path = createTree(Object.fromEntries(names.map((name) => [name, ''])));
    expect((await paths({ pattern: '*', path })).toSorted()).toEqual(names.toSorted());
  });

  it('returns thousands of names whole, whatever is among them', async () => {
    const plain = Array.from({ length: 3000 }, (_, index) => `f${index}.c`);
    const others = ['f1500.é.c', 'f1501.😀.c', 'f1502.漢字.c'];
    const path = createTree(Object.fromEntries([...plain, ...others].map((name) => [`in/${name}`, ''])));
    const expected = [...plain, ...others].map((name) => `in/${name}`);
    expect((await paths({ pattern: '**/*.c', path })).toSorted()).toEqual(expected.toSorted());
    const { matches } = await glob({ pattern: '**/*.c', path, sortByMtime: true });
    expect(matches).toHaveLength(expected.length);
    expect(matches.every((match) => match.size === 0 && (match.mtime ?? 0) > 0 && match.fileType === 1)).toBe(true);
  });

  it('calls back with each match in order before the promise settles', async () => {
    const path = createTree({ a: '', b: '', c: '' });
    const seen: string[] = [];
    let settled = false;
    const result = await glob({ pattern: '*', path }, (error, match) => {
      expect([error, settled]).toEqual([null, false]);
      seen.push(match.path);
    });
    settled = true;
    expect(seen).toEqual(result.matches.map((match) => match.path));
  });

  it('gives the same answer narrowed, whole and cached', async () => {
    const path = createTree({
      '.gitignore': 'skip\n/top/*.log',
      'top/mid/a.ts': '',
      'top/mid/skip/a.ts': '',
      'top/x.log': '',
      'top/.dot/a.ts': '',
      'top/mid/deep/a.ts': '',
      'topmost/mid/a.ts': '',
      link: symlink('top'),
    });
    for (const pattern of [
      'top/mid/*.ts',
      'top/**/*.ts',
      'top/mid/a.ts',
      'top/*',
      'top/mid/skip/*',
      'link/mid/*',
      'top/.dot/*',
    ]) {
      const narrowed = await glob({ pattern, path });
      const cached = await glob({ pattern, path, cache: true });
      const everything = await paths({ pattern: '**', path });
      expect(cached, pattern).toEqual(narrowed);
      expect(everything, pattern).toEqual(expect.arrayContaining(narrowed.matches.map((match) => match.path)));
    }
    expect(await paths({ pattern: 'top/**/*.ts', path })).toEqual(['top/mid/a.ts', 'top/mid/deep/a.ts']);
    expect(await paths({ pattern: 'link/mid/*', path })).toEqual([]);
  });
});
