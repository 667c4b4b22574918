import { FileType, fuzzyFind } from '@cairn/natives';
import { describe, expect, it } from 'vitest';
import { bytesName, createTree, symlink } from '../support/tree.ts';

async function found(query: string, path: string): Promise<string[]> {
  const { matches } = await fuzzyFind({ query, path });
  return matches.map((match) => match.path);
}

describe('fuzzyFind', () => {
  it('lists everything for an empty query, directories first, shallow first', async () => {
    const path = createTree({ 'b/c/d': '', a: '', 'b/a': '' });
    expect(await found('', path)).toEqual(['b/', 'b/c/', 'a', 'b/a', 'b/c/d']);
  });

  it.each(['./', '--', '/', '.', '_'])('finds nothing for %j, which has no letter to search for', async (query) => {
    const path = createTree({ '--': '', _: '' });
    expect(await fuzzyFind({ query, path })).toEqual({ matches: [], totalMatches: 0, complete: true });
  });

  it.each([
    ['bytes', 'é'.repeat(513)],
    ['words', 'e '.repeat(33)],
    ['segments', 'e/'.repeat(33)],
  ])('rejects a query of too many %s', async (_what, query) => {
    await expect(found(query, createTree({ e: '' }))).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      option: 'query',
      message: expect.stringMatching(/at most 1024 bytes, and 32 words and path segments/),
    });
  });

  it('ranks name before path, whole before part, and shallow before deep', async () => {
    const path = createTree({
      'kernel/sched/core.c': '',
      'core/readme': '',
      'a/score.c': '',
      'a/x_core.c': '',
      'z/core.c': '',
      'y/y/core.c': '',
    });
    expect(await found('core', path)).toEqual([
      'z/core.c',
      'kernel/sched/core.c',
      'y/y/core.c',
      'core/',
      'a/x_core.c',
      'a/score.c',
      'core/readme',
    ]);
  });

  it('matches words in any order and abbreviated path segments', async () => {
    const path = createTree({ 'kernel/sched/core.c': '', 'kernel/core.c': '', 'sched/x.c': '' });
    expect(await found('core sched', path)).toEqual(['kernel/sched/core.c']);
    expect(await found('ker/sch/cor', path)).toEqual(['kernel/sched/core.c']);
    expect(await found('sched/', path)).toEqual(['sched/', 'kernel/sched/', 'sched/x.c', 'kernel/sched/core.c']);
  });

  it('ignores case, and prefers the case that was typed', async () => {
    const path = createTree({ 'a/readme': '', 'b/README': '' });
    expect(await found('readme', path)).toEqual(['a/readme', 'b/README']);
    expect(await found('README', path)).toEqual(['b/README', 'a/readme']);
  });

  it('skips node_modules and follows links, each directory once', async () => {
    const path = createTree({
      'node_modules/target': '',
      'real/target': '',
      link: symlink('real'),
      self: symlink('.'),
    });
    const { matches } = await fuzzyFind({ query: 'target', path });
    expect(matches).toMatchObject([{ path: 'real/target', isDirectory: false }]);
  });

  it('keeps to the limit and counts what matched', async () => {
    const path = createTree(Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`file${index}`, ''])));
    expect(await fuzzyFind({ query: 'file', path })).toMatchObject({
      totalMatches: 150,
      complete: false,
      stopReason: 'limit',
      matches: { length: 100 },
    });
    expect(await fuzzyFind({ query: 'file', path, maxResults: 150 })).toMatchObject({ complete: true });
    expect(await fuzzyFind({ query: 'file', path, maxResults: 0 })).toMatchObject({ matches: [], complete: false });
  });

  it('says which UTF-16 code units matched', async () => {
    const path = createTree({ '😀é/readme.md': '' });
    const { matches } = await fuzzyFind({ query: 'rme', path, includePositions: true });
    expect(matches[0]).toMatchObject({ path: '😀é/readme.md', positions: [4, 8, 9] });
    const emoji = await fuzzyFind({ query: '😀', path, includePositions: true });
    expect(emoji.matches[0]).toMatchObject({ path: '😀é/', positions: [0, 1] });
  });

  it('flags a name that is not valid UTF-8', async () => {
    const path = createTree({ [bytesName(0x78, 0x79, 0xff)]: '' });
    const { matches } = await fuzzyFind({ query: 'xy', path });
    expect(matches).toMatchObject([{ path: 'xy\uFFFD', lossyPath: true }]);
  });

  it.each([
    ['swapped', 'shcedule'],
    ['missed', 'shedule'],
    ['wrong', 'svhedule'],
    ['too many', 'scheduule'],
  ])('forgives a letter %s, below what matches as typed', async (_typo, query) => {
    const path = createTree({ 'a/schedule.c': '', [`z/z/x${query}.c`]: '', 'b/other.c': '' });
    expect(await found(query, path)).toEqual([`z/z/x${query}.c`, 'a/schedule.c']);
  });

  it('marks the letters that are right where others are typos', async () => {
    const path = createTree({ 'é/core.c': '' });
    const { matches } = await fuzzyFind({ query: 'cxre', path, includePositions: true });
    expect(matches).toMatchObject([{ path: 'é/core.c', positions: [2, 4, 5] }]);
  });

  it('narrows when the query grows', async () => {
    const path = createTree({ 'src/parser.ts': '', 'src/printer.ts': '', 'docs/p.md': '' });
    let survivors = await found('p', path);
    for (const query of ['pr', 'pri', 'prin']) {
      const narrowed = await found(query, path);
      expect(survivors, query).toEqual(expect.arrayContaining(narrowed));
      survivors = narrowed;
    }
    expect(survivors).toEqual(['src/printer.ts']);
  });
});

describe('fuzzyFind of a kind of entries', () => {
  const tree = {
    'src/find.ts': '',
    'src/find.rs': '',
    'find/x.TS': '',
    'find/.ts': '',
    'find/a.tar.gz': '',
    'find/gz': '',
  };

  it.each([
    [{ fileType: FileType.File }, ['src/find.rs', 'src/find.ts', 'find/gz', 'find/a.tar.gz', 'find/x.TS', 'find/.ts']],
    [{ fileType: FileType.Dir }, ['find/']],
    [{ extensions: ['ts'] }, ['src/find.ts', 'find/x.TS']],
    [{ extensions: ['.rs', 'tar.gz'] }, ['src/find.rs', 'find/a.tar.gz']],
    [{ extensions: ['ts'], fileType: FileType.Dir }, []],
  ])('finds only what passes %j', async (options, expected) => {
    const { matches, totalMatches } = await fuzzyFind({
      query: 'find',
      path: createTree(tree),
      hidden: true,
      ...options,
    });
    expect(new Set(matches.map((match) => match.path))).toEqual(new Set(expected));
    expect(totalMatches).toBe(expected.length);
  });

  it('lists the files with an extension for an empty query', async () => {
    const { matches } = await fuzzyFind({ query: '', path: createTree(tree), extensions: ['ts'], hidden: true });
    expect(matches.map((match) => match.path)).toEqual(['find/x.TS', 'src/find.ts']);
  });

  it('does not narrow by what another filter left', async () => {
    const path = createTree(tree);
    const count = async (query: string, options: object): Promise<number> =>
      (await fuzzyFind({ query, path, cache: true, ...options })).totalMatches;
    expect(await count('f', { extensions: ['ts'] })).toBe(2);
    expect(await count('fi', {})).toBe(6);
    expect(await count('fin', { extensions: ['rs'] })).toBe(1);
    expect(await count('find', { fileType: FileType.Dir })).toBe(1);
  });

  it('takes links as what they lead to', async () => {
    const path = createTree({
      'real/x': '',
      link: symlink('real'),
      file: symlink('real/x'),
      broken: symlink('nowhere'),
    });
    const all = async (fileType: 1 | 2): Promise<string[]> =>
      (await fuzzyFind({ query: '', path, fileType })).matches.map((match) => match.path);
    expect(await all(FileType.File)).toEqual(['file', 'real/x']);
    expect(await all(FileType.Dir)).toEqual(['link/', 'real/']);
  });

  it.each([
    ['fileType', 3],
    ['extensions', 'ts'],
    ['extensions', ['']],
    ['extensions', ['.']],
    ['extensions', ['a/b']],
    ['syntax', 'regex'],
    ['candidates', 'a'],
    ['candidates', ['']],
    ['candidates', ['a\0b']],
    ['candidates', [7]],
  ])('rejects the %s %j', async (option, value) => {
    const source = option === 'candidates' ? {} : { path: '.' };
    await expect(fuzzyFind({ query: 'a', ...source, [option]: value })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      option,
    });
  });
});

describe('fuzzyFind below an absolute path', () => {
  it('takes it as relative to the root', async () => {
    const root = createTree({ 'my src/core.c': '', 'other/core.c': '' });
    const link = createTree({ link: symlink(root) }) + '/link';
    for (const path of [root, link]) {
      expect(await found(`${path}/other/cor`, path)).toEqual(['other/core.c']);
      expect(await found(`${path}/my src/`, path)).toEqual(['my src/', 'my src/core.c']);
      expect(await found(`core ${path}/other`, path)).toEqual(['other/core.c']);
      expect(await found(path, path)).toHaveLength(4);
      expect(await found(`${path}x`, path)).toEqual([]);
      const { matches } = await fuzzyFind({ query: `!^${path}/other .c$`, path, syntax: 'fzf' });
      expect(matches.map((match) => match.path)).toEqual(['my src/core.c']);
    }
  });
});

describe('fuzzyFind of a list', () => {
  it('ranks the paths as it ranks those of a tree, in any order, each once', async () => {
    const tree = createTree({ 'a/core.c': '', 'core/x.c': '', 'b/score.c': '', 'd/cor-e.c': '', 'B/Core': '' });
    for (const query of ['core', 'a/c', 'croe', '', 'Core', 'b']) {
      const expected = await fuzzyFind({ query, path: tree, includePositions: true });
      const paths = (await fuzzyFind({ query: '', path: tree })).matches.map((match) => match.path);
      const candidates = [...paths.toReversed(), ...paths];
      expect(await fuzzyFind({ query, candidates, includePositions: true }), query).toEqual(expected);
    }
  });

  it('returns each path unchanged', async () => {
    const candidates = ['./a', '/a/', 'b//a', '../a', 'a b', ' a', 'cafe\u0301/a', '\ud800a', 'a\nb', 'A//'];
    const { matches } = await fuzzyFind({ query: 'a', candidates });
    expect(new Set(matches.map((match) => match.path))).toEqual(new Set(candidates));
    expect(matches.filter((match) => match.isDirectory).map((match) => match.path)).toEqual(['A//', '/a/']);
  });

  it('keeps what it prepared for a frozen list, and nothing for another', async () => {
    const many = Array.from({ length: 25_000 }, (_, index) => `dir${index % 100}/file${index}`);
    const frozen = Object.freeze([...many]);
    for (const query of ['f', 'fi', 'file24999', 'file2499', 'dir9/file9', 'fi']) {
      const fresh = await fuzzyFind({ query, candidates: [...many] });
      expect(await fuzzyFind({ query, candidates: frozen }), query).toEqual(fresh);
      expect(await fuzzyFind({ query, candidates: many }), query).toEqual(fresh);
    }
    many.push('new24999');
    expect((await fuzzyFind({ query: 'new24999', candidates: many })).matches).toMatchObject([{ path: 'new24999' }]);
  });

  it('finds nothing in an empty list', async () => {
    expect(await fuzzyFind({ query: 'a', candidates: [] })).toEqual({ matches: [], totalMatches: 0, complete: true });
  });

  it.each(['path', 'hidden', 'gitignore', 'resolveLinks', 'cache'])('rejects the option %s', async (option) => {
    const value = option === 'path' ? '.' : true;
    await expect(fuzzyFind({ query: 'a', candidates: ['a'], [option]: value })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      option,
    });
  });

  it('ends when the time is over or the signal aborts', async () => {
    const candidates = Array.from({ length: 30_000 }, (_, index) => `file${index}`);
    await expect(fuzzyFind({ query: 'file', candidates, timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const partial = await fuzzyFind({ query: 'file', candidates, timeoutMs: 0, onTimeout: 'partial' });
    expect(partial).toMatchObject({ complete: false, stopReason: 'timeout' });
    const abort = new AbortController();
    const pending = fuzzyFind({ query: 'file', candidates, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
  });
});

describe('fuzzyFind with the operators of fzf', () => {
  async function signed(query: string, candidates: string[]): Promise<string[]> {
    const { matches } = await fuzzyFind({ query, candidates, syntax: 'fzf' });
    return matches.map((match) => match.path);
  }

  it.each([
    ["'core", ['a/core.c'], ['a/c_ore.c']],
    ['^src', ['src/a'], ['a/src']],
    ['.c$', ['a.c'], ['a.cc', '.c/a']],
    ['!test', ['src/a'], ['test/a']],
    ['core !^test !.h$', ['src/core.c', 'a/test/core.c'], ['test/core.c', 'src/core.h', 'src/other.c']],
    ['core .c$ | .h$', ['core.c', 'core.h'], ['core.rs', 'x.c']],
    ['shcedule .c$', ['a/schedule.c'], ['a/schedule.h']],
    ["^'core", [], ['core']],
  ])('%s', async (query, matching, other) => {
    expect(new Set(await signed(query, [...other, ...matching]))).toEqual(new Set(matching));
  });

  it('puts a path that holds a term with its signs first', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `f${index}`);
    expect((await signed('!a', [...many, 'z/!a', 'a']))[0]).toBe('z/!a');
    expect(await signed('a$', ['a', 'deep/down/xa$.js'])).toEqual(['deep/down/xa$.js', 'a']);
    expect((await signed('!', [...many, '!x']))[0]).toBe('!x');
  });

  it('marks what each term stands for', async () => {
    const { matches } = await fuzzyFind({
      query: "^core 'x .c$ | .h$ !y",
      candidates: ['core/x/core.h'],
      syntax: 'fzf',
      includePositions: true,
    });
    expect(matches).toMatchObject([{ positions: [0, 1, 2, 3, 5, 11, 12] }]);
  });

  it('leaves the signs to the plain query without it', async () => {
    const candidates = ['core.c', 'test/core.c'];
    expect((await fuzzyFind({ query: 'core !test', candidates })).matches).toMatchObject([{ path: 'test/core.c' }]);
  });
});

describe('entries that match equally well', () => {
  it('puts files before directories', async () => {
    // By their depths and paths alone, the directory is first.
    const path = createTree({ 'a/core/x': '', 'z/z/core': '' });
    expect(await found('cor', path)).toEqual(['z/z/core', 'a/core/', 'a/core/x']);
  });

  it('puts files before directories of the same score', async () => {
    // By their paths alone, the directory is first.
    const path = createTree({ 'a/core/x': '', 'z/core': '' });
    const { matches } = await fuzzyFind({ query: 'croe', path });
    expect(matches.map((match) => match.path)).toEqual(['z/core', 'a/core/', 'a/core/x']);
    expect(matches[0]?.score).toBe(matches[1]?.score);
  });

  it('ranks a file with the whole name above a directory', async () => {
    const path = createTree({ 'core/x': '', 'z/core': '' });
    expect(await found('core', path)).toEqual(['z/core', 'core/', 'core/x']);
  });
});
