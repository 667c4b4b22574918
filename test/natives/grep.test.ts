import { grep, invalidateFsScanCache, treeSummary } from '@cairn/natives';
import type { GrepOptions, GrepResult } from '@cairn/natives';
import { describe, expect, it } from 'vitest';
import { bytesName, createTree, fifo, symlink } from '../support/tree.ts';
import { ripgrep } from '../support/tools.ts';

function lines({ matches }: GrepResult): string[] {
  return matches.map(({ path, lineNumber, line }) => `${path}:${lineNumber}:${line}`);
}

describe('grep', () => {
  it('finds lines with their numbers and where in them the matches are', async () => {
    const path = createTree({ 'a.txt': 'one\ntwo é two\n', 'b/c.txt': 'two' });
    expect(await grep({ pattern: 'two', path })).toEqual({
      matches: [
        {
          path: 'a.txt',
          lineNumber: 2,
          line: 'two é two',
          submatches: [
            { start: 0, end: 3 },
            { start: 6, end: 9 },
          ],
        },
        { path: 'b/c.txt', lineNumber: 1, line: 'two', submatches: [{ start: 0, end: 3 }] },
      ],
      totalMatches: 2,
      filesWithMatches: 2,
      filesSearched: 2,
      skipped: { oversized: 0, binary: 0, unreadable: 0 },
      engine: 'regex',
      complete: true,
    });
  });

  it('leaves out where the matches are if it is not used, and keeps what needs it', async () => {
    const path = createTree({ 'a.txt': `${'-'.repeat(50)}two two\none\ntwo\n` });
    const found = async (more: Partial<GrepOptions>): Promise<GrepResult['matches']> =>
      (await grep({ pattern: 'two(?=.|$)', path, ...more })).matches;
    for (const more of [{}, { multiline: true }, { pattern: 'two' }, { context: 1 }]) {
      const all = await found(more);
      expect(all.map(({ submatches = [] }) => submatches.length)).toEqual([2, 1]);
      expect(await found({ ...more, submatches: false })).toEqual(all.map((match) => ({ ...match, submatches: [] })));
    }
    for (const more of [{ maxColumns: 20 }, { replacement: 'x' }]) {
      const [first] = await found({ ...more, submatches: false });
      expect(first).toEqual((await found(more))[0]);
    }
  });

  it('names the same files in every mode, and as many lines', async () => {
    const path = createTree({
      a: 'x\r\ny\r\nx\r\n',
      b: 'y\n',
      c: '\uFEFFx',
      d: 'x\nx\0x',
      e: Buffer.from('\uFEFFx\n', 'utf16le'),
    });
    for (const pattern of ['x', '^x', 'x$', '\\s', '^', '[^y]']) {
      const content = await grep({ pattern, path });
      const count = await grep({ pattern, path, mode: 'count' });
      const files = await grep({ pattern, path, mode: 'filesWithMatches' });
      const named = [...new Set(content.matches.map((match) => match.path))];
      expect(
        count.matches.map((match) => match.path),
        pattern,
      ).toEqual(named);
      expect(
        files.matches.map((match) => match.path),
        pattern,
      ).toEqual(named);
      expect(count.totalMatches, pattern).toBe(content.totalMatches);
      for (const { path: name, matchCount, lineNumber, line } of count.matches) {
        expect([matchCount, lineNumber, line]).toEqual([
          content.matches.filter((match) => match.path === name).length,
          0,
          '',
        ]);
      }
    }
  });

  it('searches hidden files, and not .git, unless an option changes that', async () => {
    const path = createTree({ '.env': 'x', '.git/x': 'x', 'node_modules/m': 'x', '.gitignore': 'out', out: 'x' });
    expect(lines(await grep({ pattern: 'x', path }))).toEqual(['.env:1:x', 'node_modules/m:1:x']);
    expect(lines(await grep({ pattern: 'x', path, hidden: false }))).toEqual(['node_modules/m:1:x']);
    expect(lines(await grep({ pattern: 'x', path, gitignore: false }))).toEqual([
      '.env:1:x',
      'node_modules/m:1:x',
      'out:1:x',
    ]);
  });

  it('skips node_modules in cached mode unless the glob mentions it', async () => {
    const path = createTree({ 'node_modules/m/a': 'x', a: 'x' });
    expect(lines(await grep({ pattern: 'x', path, cache: true }))).toEqual(['a:1:x']);
    expect(lines(await grep({ pattern: 'x', path, cache: true, glob: 'node_modules/**' }))).toEqual([
      'node_modules/m/a:1:x',
    ]);
  });

  it.each([
    ['uncached', {}, ['a', 'node_modules/m/a', 'sub/.h/node_modules/a', 'sub/node_modules/a'], undefined],
    ['cached', { cache: true }, ['a'], 3],
    ['cached, without hidden directories', { cache: true, hidden: false }, ['a'], 2],
    ['uncached, when asked to', { includeNodeModules: false }, ['a'], 3],
    ['those that a depth leaves out anyway', { cache: true, maxDepth: 1 }, ['a'], undefined],
    ['those that a depth leaves out in part', { cache: true, maxDepth: 2 }, ['a'], 1],
    ['those that a glob leaves out anyway', { cache: true, glob: 'sub/*/**' }, [], 2],
    [
      'a glob that mentions them',
      { cache: true, glob: '**/node_modules/*' },
      ['sub/.h/node_modules/a', 'sub/node_modules/a'],
      undefined,
    ],
    [
      'an option that includes them',
      { cache: true, includeNodeModules: true, hidden: false },
      ['a', 'node_modules/m/a', 'sub/node_modules/a'],
      undefined,
    ],
    ['ignored ones, without rules', { cache: true, gitignore: false }, ['a'], 4],
    ['a glob, and an option that excludes them', { glob: 'node_modules/**', includeNodeModules: false }, [], 1],
  ])('reports the node_modules that it skips: %s', async (_reason, options, found, nodeModules) => {
    const path = createTree({
      a: 'x',
      node_modules: { 'm/a': 'x', 'm/node_modules/b': '' },
      sub: { 'node_modules/a': 'x', '.h/node_modules/a': 'x' },
      ignored: { '.gitignore': 'node_modules/', 'node_modules/a': 'x' },
      file: { node_modules: '' },
    });
    for (const before of [undefined, { exclude: ['node_modules'] }, { hidden: true }]) {
      if (before !== undefined) await treeSummary({ ...before, path, cache: true });
      const { matches, skipped, complete } = await grep({ pattern: 'x', path, ...options });
      expect([matches.map((match) => match.path), skipped.nodeModules, complete]).toEqual([found, nodeModules, true]);
      invalidateFsScanCache();
    }
  });

  it('follows no links below the root, but a root that is one', async () => {
    const path = createTree({ 'real/a': 'x', link: symlink('real'), 'file-link': symlink('real/a') });
    expect(lines(await grep({ pattern: 'x', path }))).toEqual(['real/a:1:x']);
    expect(lines(await grep({ pattern: 'x', path: `${path}/link` }))).toEqual(['a:1:x']);
    expect(lines(await grep({ pattern: 'x', path: `${path}/file-link` }))).toEqual(['a:1:x']);
  });

  it('strips only the terminator from a line', async () => {
    const path = createTree({ a: 'x  \t\r\nx\n' });
    expect((await grep({ pattern: 'x', path })).matches.map((match) => match.line)).toEqual(['x  \t\r', 'x']);
  });

  it('takes a carriage return for part of a line end, in both engines, if it is asked to', async () => {
    const path = createTree({ dos: 'foo\r\nfoo bar\r\n\r\nfoo', unix: 'foo\n\nfoo' });
    const found = async (pattern: string, options: Partial<GrepOptions> = {}): Promise<unknown> => {
      const { matches } = await grep({ pattern, path, crlf: true, ...options });
      return matches.map(({ path: name, lineNumber }) => `${name}:${lineNumber}`);
    };
    const ends = ['dos:1', 'dos:4', 'unix:1', 'unix:3'];
    for (const end of ['', '(?!x)']) {
      expect(await found(`foo$${end}`), end).toEqual(ends);
      expect(await found(`^foo$${end}`, { multiline: true }), end).toEqual(ends);
      expect(await found(`foo$${end}`, { crlf: false }), end).toEqual(ends.slice(1));
      expect(await found(`foo[^x]${end}`), end).toEqual(['dos:2']);
      expect(await found(`^$${end}`), end).toEqual(['dos:3', 'unix:2']);
      expect(await found(`foo$\\r?\\n^foo bar${end}`, { multiline: true }), end).toEqual(['dos:1', 'dos:2']);
    }
    const { matches } = await grep({ pattern: 'foo.*', path, crlf: true });
    expect(matches[1]).toMatchObject({ line: 'foo bar\r', submatches: [{ start: 0, end: 7 }] });
  });

  it('rejects a pattern that asks for what crlf takes for a line end', async () => {
    const path = createTree({ a: 'foo\r\n' });
    const refused = { code: 'INVALID_REGEX', offset: 3 };
    await expect(grep({ pattern: 'foo\\r', path, crlf: true })).rejects.toMatchObject(refused);
    await expect(grep({ pattern: 'foo\r', literal: true, path, crlf: true })).rejects.toThrow(/without crlf/);
    expect((await grep({ pattern: 'foo\\r', path, crlf: true, multiline: true })).totalMatches).toBe(1);
  });

  it('hints at multiline when every match would contain the end of a line', async () => {
    const path = createTree({ dos: 'one\r\ntwo\r\n', unix: 'one\ntwo\n' });
    const search = async (pattern: string, crlf: boolean): Promise<readonly [number, string | undefined]> => {
      const { totalMatches, hint } = await grep({ pattern, path, crlf });
      return [totalMatches, hint];
    };
    for (const pattern of ['one\\R', '\\R', 'one\\Rtwo', '(?<=one)\\r', '(?<=one)\r']) {
      expect(await search(pattern, true), pattern).toEqual([0, expect.stringContaining('multiline')]);
      expect((await grep({ pattern, path, crlf: true, multiline: true })).totalMatches, pattern).toBeGreaterThan(0);
    }
    expect(await search('one\\Rtwo', false)).toEqual([0, expect.stringContaining('multiline')]);
    expect(await search('one\\R', false)).toEqual([1, undefined]);
    for (const pattern of ['one\\R?', 'x(?=y)', '(?=one)x|\\R', '(?<=one)x[\\r]'])
      expect((await search(pattern, true))[1], pattern).toBeUndefined();
    const { totalMatches, hint } = await grep({ pattern: 'one\\R', path, crlf: true, multiline: true, glob: 'none' });
    expect([totalMatches, hint]).toEqual([0, undefined]);
  });

  it('takes context for both sides, and each side by itself', async () => {
    const path = createTree({ a: '1\n2\nx\n4\n5\n' });
    const shown = async (options: Partial<GrepOptions>): Promise<unknown> => {
      const [match] = (await grep({ pattern: 'x', path, ...options })).matches;
      return [match?.contextBefore, match?.contextAfter];
    };
    const two = { lineNumber: 2, line: '2' };
    const four = { lineNumber: 4, line: '4' };
    expect(await shown({ context: 1 })).toEqual([[two], [four]]);
    expect(await shown({ context: 1, contextBefore: 0 })).toEqual([undefined, [four]]);
    expect(await shown({ contextBefore: 1 })).toEqual([[two], undefined]);
  });

  it('has the matches of context lines', async () => {
    const path = createTree({ a: 'ä\nx x\nx\n-x\n' });
    const base = { path, pattern: 'x', context: 9, replacement: '<ü$0>' };
    const place = (start: number) => ({ start, end: start + 1, replacement: '<üx>' });
    const second = { lineNumber: 2, line: 'x x', submatches: [place(0), place(2)] };
    const third = { lineNumber: 3, line: 'x', submatches: [place(0)] };
    const fourth = { lineNumber: 4, line: '-x', submatches: [place(1)] };
    const { matches: inverted } = await grep({ ...base, invert: true });
    expect(inverted).toEqual([
      { path: 'a', lineNumber: 1, line: 'ä', submatches: [], contextAfter: [second, third, fourth] },
    ]);
    const { matches: limited, filesCut } = await grep({ ...base, maxCountPerFile: 1 });
    expect({ matches: limited, filesCut }).toEqual({
      matches: [
        {
          path: 'a',
          ...second,
          contextBefore: [{ lineNumber: 1, line: 'ä' }],
          contextAfter: [
            { ...third, isMatch: true },
            { ...fourth, isMatch: true },
          ],
        },
      ],
      filesCut: 1,
    });
  });

  it('shows whether a replaced match includes the end of its line', async () => {
    const path = createTree({ a: 'x\nx' });
    const { matches } = await grep({ path, pattern: 'x\n?', multiline: true, replacement: '' });
    expect(matches.map(({ takesLineEnd }) => takesLineEnd)).toEqual([true, undefined]);
  });

  it('counts lines or matches', async () => {
    const path = createTree({ a: 'x x\nx\n' });
    const counted = async (options: Partial<GrepOptions>): Promise<unknown> =>
      (await grep({ path, pattern: 'x', mode: 'count', ...options })).matches.map(({ matchCount }) => matchCount);
    expect(await counted({})).toEqual([2]);
    expect(await counted({ countUnit: 'matches' })).toEqual([3]);
    expect(await counted({ pattern: 'x\n?', multiline: true })).toEqual([2]);
    expect(await counted({ pattern: 'x\n?', multiline: true, countUnit: 'spanning' })).toEqual([3]);
    expect(await counted({ countUnit: 'spanning' })).toEqual([2]);
  });

  it('says what was done to the pattern', async () => {
    const path = createTree({ a: 'f(x) { }\n${name}\n)|*x' });
    const run = async (pattern: string, literal?: boolean): Promise<unknown> => {
      const { matches, engine, searchedPattern } = await grep({ pattern, path, literal });
      return [matches.map((match) => match.lineNumber), engine, searchedPattern];
    };
    expect(await run('f(')).toEqual([[1], 'regex', 'f\\(']);
    expect(await run('${name}')).toEqual([[2], 'regex', '\\$\\{name\\}']);
    expect(await run(')|*x')).toEqual([[3], 'literal', undefined]);
    expect(await run('f(x) {', true)).toEqual([[1], 'literal', undefined]);
    expect(await run('f\\(')).toEqual([[1], 'regex', undefined]);
  });

  it('finds the text of a pattern that does not parse, and not everything', async () => {
    const texts = [
      '${y}',
      '$scope.$apply(',
      'function() {',
      'if (a||b) {',
      'map[string]interface{}',
      'foo(a) {',
      'a)b(',
      '(?<name>',
      '(?i',
      '(?!foo',
      'foo(bar|',
      '(*',
      '*.ts',
      '++j',
      'C:\\path',
      'list[n-1]',
      '(?<=a)foo(',
      '\\w+ {',
    ];
    const path = createTree({ a: ['unrelated', 'ab', ...texts, ''].join('\n') });
    for (const [index, pattern] of texts.entries()) {
      const { matches, engine, searchedPattern } = await grep({ pattern, path });
      const found = matches.map((match) => match.lineNumber);
      expect(found, pattern).toContain(index + 3);
      expect(found, pattern).not.toContain(1);
      expect(found, pattern).not.toContain(2);
      expect(engine === 'literal' || searchedPattern !== undefined, pattern).toBe(true);
    }
  });

  it('N62: excludes with !, and separates globs with a wildcard at commas', async () => {
    const tree = { 'a.c': 'x', 'a.h': 'x', 'lib/b.c': 'x', 'lib/b.h': 'x', 'x,y.c': 'x', 'd.ts': 'x', '!z': 'x' };
    const path = createTree(tree);
    const all = ['!z', 'a.c', 'a.h', 'd.ts', 'lib/b.c', 'lib/b.h', 'x,y.c'];
    const without = (...names: readonly string[]): string[] => all.filter((name) => !names.includes(name));
    const search = (glob: string): Promise<GrepResult> => grep({ pattern: 'x', path, glob, mode: 'filesWithMatches' });
    for (const [given, expected, globs] of [
      ['!*.h', without('a.h', 'lib/b.h')],
      ['!lib', without('lib/b.c', 'lib/b.h')],
      ['!lib/', without('lib/b.c', 'lib/b.h')],
      ['!lib/*.c', without('lib/b.c')],
      ['*.c,*.ts', ['a.c', 'd.ts', 'lib/b.c', 'x,y.c'], ['*.c', '*.ts']],
      ['*.c, !lib/**', ['a.c', 'x,y.c'], ['*.c', '!lib/**']],
      ['!*.c,!*.h', ['!z', 'd.ts'], ['!*.c', '!*.h']],
      ['!a.c,!d.ts', without('a.c', 'd.ts'), ['!a.c', '!d.ts']],
      ['*.c,!lib', ['a.c', 'x,y.c'], ['*.c', '!lib']],
      ['x,*.c', ['x,y.c']],
      ['\\!z', ['!z']],
    ] as const) {
      const { matches, globs: used, complete } = await search(given);
      expect([given, matches.map((match) => match.path), used, complete]).toEqual([given, expected, globs, true]);
    }
    for (const glob of ['!', '!**', '!!a', '!(a)']) {
      await expect(search(glob), glob).rejects.toMatchObject({ code: 'INVALID_GLOB' });
      await expect(grep({ pattern: 'x', path: `${path}/a.c`, glob }), glob).rejects.toMatchObject({
        code: 'INVALID_GLOB',
      });
    }
    for (const directory of ['lib/', 'lib', './lib', '*b']) {
      expect((await search(directory)).hint, directory).toContain('dir/** for the files below');
    }
    // Each excludes nothing, and would not show it otherwise.
    for (const glob of ['!lib\\b.c', '!"*.c"', '!*.c|*.h', '!a.c,d.ts']) {
      const { matches, hint } = await search(glob);
      expect([glob, matches.length], glob).toEqual([glob, all.length]);
      expect(hint, glob).toContain(glob);
    }
    await expect(search('*.{c,h')).rejects.toMatchObject({ code: 'INVALID_GLOB' });
    expect((await search('!*.c')).hint).toBeUndefined();
    expect((await search('a.ts,b.ts')).hint).toContain('{a.ts,b.ts}');
    expect((await search('*.rs')).hint).toBeUndefined();
    expect((await search('*.TS')).hint).toMatch(/in another case, \*\.TS matches ".*\.ts"/u);
    expect((await search('*.ts,')).hint).toContain("','");
    expect((await search('LIB/**')).hint).toContain('"lib" exists');
    expect((await search('*.rs,!*.C')).hint).toBeUndefined();
  });

  it('N62: excludes the files that ripgrep excludes', async () => {
    const path = createTree({ 'a.c': 'x', 'a/b.c': 'x', 'a/a/c.h': 'x', 'b/a.c': 'x', 'b/c/a': 'x' });
    for (const glob of ['!*.c', '!a', '!a/', '!a/*', '!b/**/a', '!/a', '!{a,c}', '![ab]/*.c', '!a/**']) {
      const { matches } = await grep({ pattern: 'x', path, glob: glob === '!/a' ? '!./a' : glob });
      const { stdout } = ripgrep(['--files', '--sort=path', `--glob=${glob}`], path);
      expect([glob, ...matches.map((match) => match.path).toSorted()]).toEqual([
        glob,
        ...stdout.toString().split('\n').slice(0, -1).toSorted(),
      ]);
    }
  });

  it('N62: takes the types of ripgrep, other common names, and extensions that a file has', async () => {
    const path = createTree({ 'a.go': 'x', 'b.ts': 'x', 'c.odd': 'x', 'd.cc': 'x', 'e.txt': 'x', 'sub/f.go': 'x' });
    const files = async (type: string): Promise<string[]> =>
      (await grep({ pattern: 'x', path, type })).matches.map((match) => match.path);
    expect(await files('go')).toEqual(['a.go', 'sub/f.go']);
    expect(await files('golang')).toEqual(['a.go', 'sub/f.go']);
    expect(await files('TypeScript')).toEqual(['b.ts']);
    expect(await files('c++')).toEqual(['d.cc']);
    expect(await files('odd')).toEqual(['c.odd']);
    expect(await files('rust')).toEqual([]);
    for (const [type, near] of [
      ['golan', 'golang'],
      ['kotlinn', 'kotlin'],
      ['ts,js', 'glob'],
      ['*.ts', 'glob'],
      ['', 'ts'],
    ] as const) {
      const refused = { code: 'INVALID_OPTION', option: 'type', message: expect.stringContaining(near) };
      await expect(grep({ pattern: 'x', path, type }), type).rejects.toMatchObject(refused);
      await expect(grep({ pattern: 'x', path: `${path}/a.go`, type }), type).rejects.toMatchObject(refused);
    }
    // Every type of the command selects the same files.
    const listed = ripgrep(['--type-list'], path).stdout.toString().split('\n').slice(0, -1);
    expect(listed.length).toBeGreaterThan(100);
    for (const name of listed.map((line) => line.slice(0, line.indexOf(':')))) {
      const { stdout } = ripgrep(['--files', '--sort=path', `--type=${name}`], path);
      expect([name, ...(await files(name)).toSorted()]).toEqual([
        name,
        ...stdout.toString().split('\n').slice(0, -1).toSorted(),
      ]);
    }
  });

  it('names the place of a text that its own expression does not match, and nothing else', async () => {
    const path = createTree({ 'a.js': '\n$scope = foo(1);\nFOO(1)\n', b: 'foo1' });
    const asTyped = async (pattern: string, options: Partial<GrepOptions> = {}): Promise<unknown> => {
      const result = await grep({ pattern, path, ...options });
      expect(result.complete).toBe(true);
      return result.asTyped;
    };
    expect(await asTyped('$scope')).toEqual({ text: '$scope', path: 'a.js', lineNumber: 2 });
    expect(await asTyped('foo(1);', { mode: 'count' })).toEqual({ text: 'foo(1);', path: 'a.js', lineNumber: 2 });
    expect(await asTyped('$SCOPE')).toBeUndefined();
    expect(await asTyped('$SCOPE', { ignoreCase: true })).toMatchObject({ lineNumber: 2 });
    expect(await asTyped('$scope', { glob: 'b' })).toBeUndefined();
    expect(await asTyped('foo(1)')).toBeUndefined();
    expect((await grep({ pattern: 'foo(1)', path })).matches).toHaveLength(1);
    expect(await asTyped('$scope', { literal: true })).toBeUndefined();
    expect(await asTyped('$nothing')).toBeUndefined();
  });

  it('rejects what no engine takes, with the place in UTF-16 code units', async () => {
    const path = createTree({ a: '' });
    await expect(grep({ pattern: '😀[z-a]', path })).rejects.toMatchObject({
      code: 'INVALID_REGEX',
      pattern: '😀[z-a]',
      offset: 3,
    });
    for (const literal of [false, true]) {
      const refused = grep({ pattern: literal ? 'a\nb' : 'a\\nb', literal, path });
      await expect(refused).rejects.toThrow(/: it matches a line break; set multiline to let matches span lines$/u);
    }
  });

  it('decodes invalid UTF-8 so that the places still fit', async () => {
    const path = createTree({ a: Buffer.from([0xff, 0x78, 0xfe, 0x78, 0x0a]), [bytesName(0x62, 0xff)]: 'x' });
    const { matches } = await grep({ pattern: 'x', path });
    expect(matches).toMatchObject([
      {
        path: 'a',
        line: '\uFFFDx\uFFFDx',
        submatches: [
          { start: 1, end: 2 },
          { start: 3, end: 4 },
        ],
      },
      { path: 'b\uFFFD', lossyPath: true },
    ]);
  });

  it('does not block on a FIFO, as root or in the tree', async () => {
    const path = createTree({ pipe: fifo(), a: 'x' });
    expect(lines(await grep({ pattern: 'x', path }))).toEqual(['a:1:x']);
    const alone = await grep({ pattern: 'x', path: `${path}/pipe` });
    expect(alone).toMatchObject({ matches: [], filesSearched: 0, complete: true });
  });

  it('calls back with each match in order', async () => {
    const path = createTree({ a: 'x\nx\n', b: 'x' });
    const seen: string[] = [];
    const result = await grep({ pattern: 'x', path }, (_, match) => seen.push(`${match.path}:${match.lineNumber}`));
    expect(seen).toEqual(result.matches.map((match) => `${match.path}:${match.lineNumber}`));
    expect(seen).toEqual(['a:1', 'a:2', 'b:1']);
  });

  it('N66: searches with PCRE2 what only PCRE2 knows, in every mode', async () => {
    const path = createTree({
      a: 'foobar é foobar\nfoobaz\n',
      b: 'the the\n',
      c: Buffer.from('\uFEFFfoobar\n', 'utf16le'),
    });
    const cases: readonly (readonly [pattern: string, found: readonly string[]])[] = [
      ['foo(?=bar)', ['a:1:foobar é foobar', 'c:1:foobar']],
      ['(?<!the )\\bthe\\b', ['b:1:the the']],
      ['\\b(\\w+) \\1\\b', ['b:1:the the']],
      ['(?P<word>\\w+) (?P=word)', ['b:1:the the']],
      ['foo(?=bar', ['a:1:foobar é foobar', 'c:1:foobar']],
    ];
    for (const [pattern, found] of cases) {
      const content = await grep({ pattern, path });
      expect(lines(content), pattern).toEqual(found);
      expect(content, pattern).toMatchObject({ engine: 'pcre2', complete: true, totalMatches: found.length });
      const count = await grep({ pattern, path, mode: 'count' });
      expect(count, pattern).toMatchObject({ engine: 'pcre2', totalMatches: found.length });
      const files = await grep({ pattern, path, mode: 'filesWithMatches' });
      const names = [...new Set(content.matches.map((match) => match.path))];
      expect(
        files.matches.map((match) => match.path),
        pattern,
      ).toEqual(names);
      expect(
        count.matches.map((match) => match.path),
        pattern,
      ).toEqual(names);
    }
    const { matches, searchedPattern } = await grep({ pattern: 'foo(?=bar', path });
    expect(searchedPattern).toBe('foo(?=bar)');
    expect(matches[0]?.submatches).toEqual([
      { start: 0, end: 3 },
      { start: 9, end: 12 },
    ]);
  });

  it('N66: rejects what PCRE2 rejects, with the place in UTF-16 code units', async () => {
    const path = createTree({ a: '' });
    await expect(grep({ pattern: '😀(x)\\2', path })).rejects.toMatchObject({ code: 'INVALID_REGEX', offset: 6 });
    await expect(grep({ pattern: '(?=😀)a\\nb', path })).rejects.toMatchObject({ code: 'INVALID_REGEX', offset: 7 });
    await expect(grep({ pattern: '(?=😀)a\\nb', path })).rejects.toThrow(/multiline/);
  });

  it('N66: names the place in every pattern it rejects', async () => {
    const path = createTree({ a: 'foo\n' });
    const cases: readonly (readonly [pattern: string, offset: number, literal?: boolean])[] = [
      ['é\\x00b', 1],
      ['a\0b', 1],
      ['é(\0', 2, true],
      ['a[\\n]', 2],
      ['a'.repeat(70_000), 65_536],
      ['(*CRLF)foo$(?=)', 6],
      ['(*LIMIT_MATCH=1)foo(?=)', 13],
    ];
    for (const [pattern, offset, literal] of cases) {
      const search = grep({ pattern, path, literal });
      await expect(search, pattern.slice(0, 20)).rejects.toMatchObject({ code: 'INVALID_REGEX', offset });
    }
  });

  it('N66: leaves a line break to PCRE2 that a match need not have', async () => {
    const path = createTree({ a: 'foo bar\na{b\\n\n' });
    for (const [pattern, found] of [
      ['(?x)foo\n(?=\\ bar)', ['a:1:foo bar']],
      ['(?=f)foo\\n?', ['a:1:foo bar']],
      ['(?=a)\\Qa{b\\n\\E', ['a:2:a{b\\n']],
      ['(\\r|\\n)(?!x)', []],
    ] as const) {
      const result = await grep({ pattern, path });
      expect(result, pattern).toMatchObject({ engine: 'pcre2', complete: true });
      expect(lines(result), pattern).toEqual(found);
    }
  });

  it('N66: keeps a line on which PCRE2 gives up after its first match, and reports that places are missing', async () => {
    const path = createTree({ a: `needle ${'a'.repeat(60)}!\nneedle\nfoo\n` });
    const options: GrepOptions = { pattern: 'needle(?=)|(a+)+[bc](?=)', path };
    const content = await grep(options);
    const places = [{ start: 0, end: 6 }];
    expect(content.matches).toMatchObject([
      { lineNumber: 1, submatches: places, truncated: true },
      { lineNumber: 2, submatches: places },
    ]);
    const count = await grep({ ...options, mode: 'count' });
    expect([count.totalMatches, count.skipped]).toEqual([content.totalMatches, content.skipped]);
  });

  it('N08: ends the building of a large program when the time is up', async () => {
    const path = createTree({ a: 'x' });
    const pattern = '\\w{200}{20}';
    await expect(grep({ pattern, path, timeoutMs: 1 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const partial = await grep({ pattern, path, timeoutMs: 1, onTimeout: 'partial' });
    expect(partial).toMatchObject({ matches: [], complete: false, stopReason: 'timeout' });
  });

  it('N66: says when PCRE2 gave up on a line, and keeps what came before', async () => {
    const path = createTree({ a: `aab\n${'a'.repeat(40)}!\naab\n`, b: 'aab' });
    const result = await grep({ pattern: '(?=x?)^(a+)+[bc]', path });
    expect(lines(result)).toEqual(['a:1:aab', 'b:1:aab']);
    expect(result.skipped).toEqual({ oversized: 0, binary: 0, unreadable: 0, tooCostly: 1 });
  });

  it('N08: ends a match that would take years when the time is up or the signal aborts', async () => {
    const path = createTree({ a: 'a'.repeat(200_000) });
    const pattern = '(?=x?)a*a*a*a*[bc]';
    await expect(grep({ pattern, path, timeoutMs: 20 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const partial = await grep({ pattern, path, timeoutMs: 20, onTimeout: 'partial' });
    expect(partial).toMatchObject({ matches: [], complete: false, stopReason: 'timeout' });
    const controller = new AbortController();
    const search = grep({ pattern, path, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(search).rejects.toThrow('enough');
  });

  it('N64: gives the places of a bounded number of matches per line, and reports that', async () => {
    const path = createTree({ a: 'x'.repeat(100_001), b: 'x'.repeat(100_000) });
    const { matches } = await grep({ pattern: 'x', path });
    expect(matches.map(({ submatches, truncated }) => [submatches?.length, truncated])).toEqual([
      [100_000, true],
      [100_000, undefined],
    ]);
  });
});
