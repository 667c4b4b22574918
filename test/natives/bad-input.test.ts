import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { fuzzyFind, glob, grep } from '@cairn/natives';
import { describe, expect, it } from 'vitest';
import { createTree, symlink, temporaryDirectory } from '../support/tree.ts';
import { runNode } from '../support/run-node.ts';

type Options = Record<string, unknown>;

/** The three searches with valid options, over which a test lays its invalid ones. */
const searches: [string, (options: Options) => Promise<{ matches: unknown[] }>][] = [
  ['glob', (options) => glob({ pattern: '*', path: '.', ...options })],
  ['fuzzyFind', (options) => fuzzyFind({ query: 'a', path: '.', ...options })],
  ['grep', (options) => grep({ pattern: 'a', path: '.', ...options })],
];

describe.each(searches)('%s', (name, search) => {
  it('names a root that does not exist and says what to do', async () => {
    const path = `${createTree({})}/missing`;
    await expect(search({ path })).rejects.toMatchObject({
      name: 'CairnError',
      code: 'PATH_NOT_FOUND',
      path,
      message: expect.stringMatching(/check the path/),
    });
    await expect(search({ path: `${path}/deeper` })).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' });
    await expect(search({ path: createTree({ link: symlink('nowhere') }) + '/link' })).rejects.toMatchObject({
      code: 'PATH_NOT_FOUND',
    });
    await expect(search({ path: createTree({ link: symlink('link') }) + '/link' })).rejects.toMatchObject({
      code: 'PATH_NOT_FOUND',
    });
  });

  it.each([
    ['path', undefined],
    ['path', ''],
    ['path', 7],
    ['path', 'a\0b'],
    ['hidden', 'yes'],
    ['gitignore', 1],
    ['cache', null],
    ['signal', {}],
    ['timeoutMs', -1],
    ['timeoutMs', Number.NaN],
    ['timeoutMs', '5'],
    ['onTimeout', 'explode'],
    ['nonsense', true],
    ['maxresults', 5],
  ])('rejects the option %s: %j, by name', async (option, value) => {
    await expect(search({ [option]: value })).rejects.toMatchObject({ code: 'INVALID_OPTION', option });
  });

  it('takes undefined for an option that is not given', async () => {
    const options = {
      hidden: undefined,
      gitignore: undefined,
      cache: undefined,
      signal: undefined,
      timeoutMs: undefined,
    };
    expect((await search({ path: createTree({ a: 'a' }), ...options })).matches).toHaveLength(1);
  });

  it('reports what it could not read and goes on', () => {
    const path = createTree({ 'open/a': 'a', closed: { a: 'a' }, a: 'a' });
    chmodSync(path, 0o755);
    chmodSync(`${path}/closed`, 0o000);
    const code = `
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      const options = { path: ${JSON.stringify(path)} };
      const { totalMatches, unreadable, skipped } = await ${name}({ ${name === 'fuzzyFind' ? 'query' : 'pattern'}: 'a', ...options });
      report({ totalMatches, unreadable: unreadable ?? skipped.unreadable });`;
    expect(runNode(code)).toEqual({ totalMatches: 2, unreadable: 1 });
  });

  it('says that a root was unreadable instead of calling it empty', () => {
    const path = createTree({ closed: { a: 'a' } });
    chmodSync(path, 0o755);
    chmodSync(`${path}/closed`, 0o000);
    const code = `
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      const { totalMatches, unreadable, skipped } = await ${name}({ ${name === 'fuzzyFind' ? 'query' : 'pattern'}: 'a', path: ${JSON.stringify(`${path}/closed`)} });
      report({ totalMatches, unreadable: unreadable ?? skipped.unreadable });`;
    expect(runNode(code)).toEqual({ totalMatches: 0, unreadable: 1 });
  });
});

describe('a file as a root', () => {
  it('is rejected by glob and fuzzyFind and searched by grep', async () => {
    const path = `${createTree({ file: 'a' })}/file`;
    await expect(glob({ pattern: '*', path })).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY', path });
    await expect(fuzzyFind({ query: 'a', path })).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY', path });
    expect((await grep({ pattern: 'a', path })).matches).toMatchObject([{ path: 'file', lineNumber: 1 }]);
  });
});

/** An array of one string with a hole before it. */
const holes = Object.assign([], { 1: '*' });

describe('options of one search', () => {
  it.each([
    ['glob', 'pattern', 7],
    ['glob', 'pattern', undefined],
    ['glob', 'pattern', holes],
    ['glob', 'pattern', '!\ud800'],
    ['glob', 'pattern', ['*', '\udfffa']],
    ['glob', 'type', holes],
    ['glob', 'maxDepth', -1],
    ['glob', 'maxDepth', 1e300],
    ['glob', 'maxDepth', Number.NaN],
    ['glob', 'followLinks', 1],
    ['glob', 'fileType', 4],
    ['glob', 'fileType', 'file'],
    ['glob', 'maxResults', 1.5],
    ['glob', 'maxResults', -1],
    ['glob', 'maxResults', Infinity],
    ['glob', 'recursive', 'no'],
    ['fuzzyFind', 'query', undefined],
    ['fuzzyFind', 'query', ['a']],
    ['fuzzyFind', 'extensions', holes],
    ['fuzzyFind', 'fileType', 3],
    ['fuzzyFind', 'maxResults', '10'],
    ['grep', 'pattern', /a/],
    ['grep', 'mode', 'lines'],
    ['grep', 'maxCount', -3],
    ['grep', 'offset', 0.5],
    ['grep', 'glob', true],
    ['grep', 'glob', holes],
    ['grep', 'maxColumns', 2 ** 60],
    ['grep', 'context', '3'],
  ])('%s rejects %s: %o', async (name, option, value) => {
    const search = searches.find(([other]) => other === name)?.[1];
    await expect(search?.({ [option]: value })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      option,
      message: expect.stringContaining(option),
    });
  });

  it('rejects options that are not an object and a callback that is not a function', async () => {
    // @ts-expect-error the point of the test
    await expect(glob(null)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    // @ts-expect-error the point of the test
    await expect(grep('a')).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    // @ts-expect-error the point of the test
    await expect(glob({ pattern: '*', path: '.' }, 5)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('rejects a glob that does not parse or cannot match below the root', async () => {
    const path = createTree({ a: '' });
    for (const pattern of ['[', '[z-a]', '../*', '/elsewhere/*', 'a\0b']) {
      await expect(glob({ pattern, path }), pattern).rejects.toMatchObject({ code: 'INVALID_GLOB', pattern });
      await expect(grep({ pattern: 'a', path, glob: pattern }), pattern).rejects.toMatchObject({
        code: 'INVALID_GLOB',
      });
    }
  });

  it('takes an empty pattern for a star, a listing, or every line', async () => {
    const path = createTree({ 'dir/a': 'one\n\nthree', b: '' });
    expect((await glob({ pattern: '', path })).totalMatches).toBe(3);
    expect((await fuzzyFind({ query: '', path })).totalMatches).toBe(3);
    expect((await grep({ pattern: '', path })).matches.map((match) => match.lineNumber)).toEqual([1, 2, 3]);
  });

  it('takes a huge pattern for what it is', async () => {
    const path = createTree({ a: 'a' });
    expect((await glob({ pattern: 'a'.repeat(100_000), path })).matches).toEqual([]);
    expect((await fuzzyFind({ query: 'a'.repeat(1000), path })).matches).toEqual([]);
    expect((await grep({ pattern: 'b'.repeat(60_000), path })).matches).toEqual([]);
    await expect(fuzzyFind({ query: 'a'.repeat(100_000), path })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(grep({ pattern: 'b'.repeat(100_000), path })).rejects.toMatchObject({ code: 'INVALID_REGEX' });
  });
});

describe('trees that are hard to walk', () => {
  it('ends on loops of links', async () => {
    const path = createTree({ a: { up: symlink('..'), self: symlink('self') }, b: symlink('c'), c: symlink('b') });
    expect((await fuzzyFind({ query: '', path })).matches.map((match) => match.path)).toEqual([
      'a/',
      'a/up/',
      'b',
      'c',
      'a/self',
    ]);
    expect((await glob({ pattern: '**', path })).totalMatches).toBe(5);
  });

  it('walks a tree 300 levels deep', async () => {
    const root = temporaryDirectory();
    const deep = Array.from({ length: 300 }, () => 'd').join('/');
    mkdirSync(`${root}/${deep}`, { recursive: true });
    writeFileSync(`${root}/${deep}/leaf`, 'needle');
    expect((await glob({ pattern: 'leaf', path: root })).matches).toEqual([{ path: `${deep}/leaf`, fileType: 1 }]);
    expect((await grep({ pattern: 'needle', path: root })).totalMatches).toBe(1);
    expect((await fuzzyFind({ query: 'd/leaf', path: root })).matches[0]).toMatchObject({ path: `${deep}/leaf` });
  });

  it('counts a directory whose path is too long for the system as unreadable', async () => {
    const root = temporaryDirectory();
    const long = 'n'.repeat(250);
    // Each level is made from inside the one above: together they are longer than a path may be.
    const code = `
      import { mkdirSync } from 'node:fs';
      process.chdir(${JSON.stringify(root)});
      for (let level = 0; level < 20; level++) { mkdirSync('${long}'); process.chdir('${long}'); }
      const { totalMatches, unreadable } = await glob({ pattern: '**', path: ${JSON.stringify(root)} });
      report([totalMatches < 20, unreadable]);`;
    expect(runNode(code)).toEqual([true, 1]);
  });

  it('answers for a root that was replaced between two calls with the new one', async () => {
    const path = createTree({ 'root/old': '', 'other/new': '' });
    const names = async (): Promise<string[]> =>
      (await glob({ pattern: '*', path: `${path}/root` })).matches.map((match) => match.path);
    expect(await names()).toEqual(['old']);
    renameSync(`${path}/root`, `${path}/moved`);
    await expect(names()).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' });
    renameSync(`${path}/other`, `${path}/root`);
    expect(await names()).toEqual(['new']);
  });
});
