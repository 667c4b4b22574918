import { fuzzyFind } from '@cairn/natives';
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
  ])('refuses a query of too many %s', async (_what, query) => {
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
      'core/',
      'z/core.c',
      'kernel/sched/core.c',
      'y/y/core.c',
      'a/x_core.c',
      'a/score.c',
      'core/readme',
    ]);
  });

  it('matches words in any order and abbreviated path segments', async () => {
    const path = createTree({ 'kernel/sched/core.c': '', 'kernel/core.c': '', 'sched/x.c': '' });
    expect(await found('core sched', path)).toEqual(['kernel/sched/core.c']);
    expect(await found('ker/sch/cor', path)).toEqual(['kernel/sched/core.c']);
    expect(await found('sched/', path)).toEqual(['sched/', 'kernel/sched/']);
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
