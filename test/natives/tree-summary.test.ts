import type { TreeEntry, TreeSummary, TreeSummaryOptions } from '@cairn/natives';
import { fsScanCacheStats, invalidateFsScanCache, treeSummary } from '@cairn/natives';
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNode } from '../support/run-node.ts';
import { git } from '../support/tools.ts';
import { bytesName, createTree, fifo, symlink, writeTree } from '../support/tree.ts';

/** The path of an entry. */
function pathOf({ entries }: TreeSummary, { name, parent }: TreeEntry): string {
  const directory = entries[parent];
  return directory ? `${pathOf({ entries } as TreeSummary, directory)}/${name}` : name;
}

/** One line for each entry: its path, a mark for what it is, and the number of its children. */
function lines(summary: TreeSummary): string[] {
  return summary.entries.map((entry) => {
    const mark = entry.kind === 'dir' ? `/ ${entry.folded ?? entry.children}` : '';
    return pathOf(summary, entry) + mark + (entry.kind === 'symlink' ? ` -> ${entry.target}` : '');
  });
}

async function shown(
  tree: Parameters<typeof createTree>[0],
  options: Partial<TreeSummaryOptions> = {},
): Promise<string[]> {
  return lines(await treeSummary({ path: createTree(tree), ...options }));
}

describe('what a tree shows', () => {
  it('has the first three levels, level by level, in the byte order of the names', async () => {
    const tree = { b: { z: { deep: { deeper: '' }, a: '' }, y: '' }, 'a-x': '', a: { c: '' }, é: '', Z: '' };
    expect(await shown(tree)).toEqual([
      'Z',
      'a/ 1',
      'a-x',
      'b/ 2',
      'é',
      'a/c',
      'b/y',
      'b/z/ 2',
      'b/z/a',
      'b/z/deep/ 1',
    ]);
  });

  it('leaves out hidden directories, and shows hidden files', async () => {
    const tree = { '.git': {}, '.github': { a: '' }, '.vscode': { a: '' }, '.npmrc': '' };
    expect(await shown(tree)).toEqual(['.npmrc']);
    expect(await shown(tree, { allow: ['.github'] })).toEqual(['.github/ 1', '.npmrc', '.github/a']);
    expect(await shown(tree, { hidden: true })).toHaveLength(5);
  });

  it('leaves out ignored and excluded entries, and counts each once', async () => {
    const path = createTree({
      '.gitignore': '*.log\nout/\n',
      'a.log': '',
      out: { a: '', b: '' },
      dist: { a: '', b: { c: '' } },
      src: { dist: '', 'b.log': '' },
    });
    const summary = await treeSummary({ path, exclude: ['dist'] });
    expect(lines(summary)).toEqual(['.gitignore', 'src/ 1', 'src/dist']);
    expect(summary).toMatchObject({ root: path, rootChildren: 2, totalEntries: 3, excluded: 4, hiddenSecrets: 0 });
  });

  it('never shows a secret name, nor a link to one', async () => {
    const path = createTree({
      '.env': '',
      '.ENV.local': '',
      '.env.example': '',
      keys: { 'server.PEM': '', link: symlink('../.env'), other: symlink('../.env.example') },
      secret: { a: '' },
    });
    const summary = await treeSummary({
      path,
      secrets: ['.env*', '!.env.example', '*.pem', 'secret/'],
      allow: ['.env'],
    });
    expect(lines(summary)).toEqual(['.env.example', 'keys/ 1', 'keys/other -> ../.env.example']);
    expect(summary.hiddenSecrets).toBe(5);
  });

  it('folds other repositories', async () => {
    const tree = { '.git': {}, sub: { '.git': { HEAD: '' }, a: '' }, tree: { '.git': 'gitdir: ../x', a: '' } };
    expect(await shown(tree)).toEqual(['sub/ repository', 'tree/ repository']);
  });

  it('gives each directory of a level the same number of entries, and the first level first', async () => {
    const tree = { a: { 1: '', 2: '', 3: '', 4: '' }, b: { 1: '' }, c: { 1: '', 2: '', 3: { x: '' } }, d: '' };
    expect(await shown(tree, { maxEntries: 2 })).toEqual(['a/ 4', 'b/ 1']);
    expect(await shown(tree, { maxEntries: 10 })).toEqual([
      'a/ 4',
      'b/ 1',
      'c/ 3',
      'd',
      'a/1',
      'a/2',
      'a/3',
      'b/1',
      'c/1',
      'c/2',
    ]);
    expect(await shown(tree, { maxEntries: 0 })).toEqual([]);
  });

  it('shows what is focused at any depth, with what is next to it and in it', async () => {
    const tree = { a: { b: { c: { d: { e: '' }, f: '' }, g: '' }, h: '' }, i: { j: '' } };
    const summary = await treeSummary({ path: createTree(tree), depth: 1, focus: ['/a/b/c/d/', 'a/none'] });
    expect(lines(summary)).toEqual(['a/ 2', 'i/ 1', 'a/b/ 2', 'a/b/c/ 2', 'a/b/c/d/ 1', 'a/b/c/f', 'a/b/c/d/e']);
    expect(summary.missingFocus).toEqual(['a/none']);
  });

  it('goes deeper in small trees, and below the directories of sources, with depth auto', async () => {
    const deep = { b: { c: { d: { e: { f: '' } } } } };
    const path = createTree({ a: deep, src: deep });
    const summary = await treeSummary({ path, depth: 'auto' });
    expect(summary.depth).toBe(4);
    expect(lines(summary).filter((line) => /^\w+\/b\/c\/d\/e/u.test(line))).toEqual(['src/b/c/d/e/ 1']);
  });
});

describe('files that git tracks', () => {
  /** A repository with these files; git tracks some though its rules ignore them. */
  function repository(tree: Parameters<typeof createTree>[0], tracked: readonly string[]): string {
    const path = createTree(tree);
    git(['init', '--quiet'], path);
    git(['add', '--force', '--', ...tracked], path);
    return path;
  }

  const tree = {
    '.gitignore': '*.log\nout/\nbuild/\n',
    'a.log': '',
    'b.log': '',
    out: { a: { kept: '', other: '' }, b: { other: '' }, c: '' },
    build: { kept: '', other: '' },
    dist: { kept: '' },
    '.cache': { kept: '' },
  };

  it('are shown though a rule ignores them, and an excluded directory with them is folded', async () => {
    const path = repository(tree, ['a.log', 'out/a/kept', 'build/kept', 'dist/kept', '.cache/kept']);
    const summary = await treeSummary({ path, exclude: ['build', 'dist'] });
    const folded = ['build/ excluded', 'dist/ excluded'];
    expect(lines(summary)).toEqual(['.gitignore', 'a.log', ...folded, 'out/ 1', 'out/a/ 1', 'out/a/kept']);
    // b.log, .cache, out/b, out/c and out/a/other
    expect(summary.excluded).toBe(5);
  });

  it('show as soon as git tracks them, and when their ignored directory changes', async () => {
    const path = repository(tree, ['.gitignore']);
    const options = { path, cache: true, exclude: ['build', 'dist'] };
    const first = await treeSummary(options);
    expect(lines(first)).toEqual(['.gitignore']);
    git(['add', '--force', 'out/a/kept'], path);
    const second = await treeSummary(options);
    expect(lines(second)).toEqual(['.gitignore', 'out/ 1', 'out/a/ 1', 'out/a/kept']);
    expect(second.generation).toBeGreaterThan(first.generation);
    rmSync(join(path, 'out/a/kept'));
    writeFileSync(join(path, 'out/a/more'), '');
    const third = await treeSummary(options);
    expect(lines(third)).toEqual(['.gitignore', 'out/ 1', 'out/a/ 0']);
    expect(third.excluded).toBe(first.excluded + 3);
  });

  it('are those of a linked work tree, and of a split and a sparse index', async () => {
    const main = repository({ '.gitignore': 'x', x: '', sub: { x: '', y: '' }, other: { x: '' } }, [
      'x',
      'sub/x',
      'other/x',
      '.gitignore',
    ]);
    git(['commit', '--quiet', '-m', 'one'], main);
    const linked = join(createTree({}), 'linked');
    git(['worktree', 'add', '--quiet', '--detach', linked], main);
    expect(lines(await treeSummary({ path: linked, depth: 1 }))).toEqual(['.gitignore', 'other/ 1', 'sub/ 1', 'x']);
    expect(lines(await treeSummary({ path: join(linked, 'sub') }))).toEqual(['x']);
    git(['update-index', '--split-index'], main);
    git(['rm', '--quiet', '--cached', 'x'], main);
    expect(lines(await treeSummary({ path: main }))).toEqual([
      '.gitignore',
      'other/ 1',
      'sub/ 2',
      'other/x',
      'sub/x',
      'sub/y',
    ]);
    git(['sparse-checkout', 'set', '--cone', '--sparse-index', 'sub'], linked);
    expect(lines(await treeSummary({ path: linked }))).toEqual(['.gitignore', 'sub/ 1', 'x', 'sub/x']);
  });

  it('are unknown when the index cannot be read, which is reported', async () => {
    const path = repository({ '.gitignore': 'x', x: '' }, ['x']);
    appendFileSync(join(path, '.git/index'), 'garbage');
    const summary = await treeSummary({ path });
    expect(lines(summary)).toEqual(['.gitignore']);
    expect(summary).toMatchObject({ unreadable: 1, unreadablePaths: [join(path, '.git/index')] });
  });
});

describe('ignored directories that the caller allows', () => {
  const tree = {
    '.gitignore': 'dist\n*.log\n',
    packages: { a: { dist: { 'a.js': '', 'a.log': '', dist: { b: '' } } } },
    dist: { '.git': '', x: '' },
  };

  it('are shown, and the rules decide about what is in them', async () => {
    const path = createTree({ '.git': {}, ...tree });
    const options = { path, cache: true, allow: ['dist'], depth: 9 };
    const summary = await treeSummary(options);
    const inside = ['packages/a/dist/a.js', 'packages/a/dist/dist/ 1', 'packages/a/dist/dist/b'];
    expect(lines(summary)).toEqual([
      '.gitignore',
      'dist/ repository',
      'packages/ 1',
      'packages/a/ 1',
      'packages/a/dist/ 2',
      ...inside,
    ]);
    expect(summary).toMatchObject({ excluded: 1, totalEntries: 8 });
    const before = fsScanCacheStats();
    const again = await treeSummary(options);
    expect(again.generation).toBe(summary.generation);
    expect(fsScanCacheStats().misses).toBe(before.misses);
    writeFileSync(join(path, 'packages/a/dist/new'), '');
    invalidateFsScanCache(join(path, 'packages/a/dist/new'));
    expect((await treeSummary(options)).totalEntries).toBe(9);
  });

  it('do not push their tree out of the cache', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
    const packages = Object.fromEntries(names.map((name) => [name, { dist: { a: '' } }]));
    const path = createTree({ '.git': {}, '.gitignore': 'dist', packages });
    const options = { path, cache: true, allow: ['dist'], depth: 9 };
    expect(await treeSummary(options)).toMatchObject({ totalEntries: 122 });
    const before = fsScanCacheStats();
    await treeSummary(options);
    const after = fsScanCacheStats();
    expect([after.misses, after.evictions]).toEqual([before.misses, before.evictions]);
  });
});

describe('odd names', () => {
  it('are returned as bytes where they are not text, and pipes are left out', async () => {
    const path = createTree({ pipe: fifo(), d: { [bytesName(0x66, 0xff)]: '' }, link: symlink('d'), e: symlink('né') });
    writeTree(path, { d2: {} });
    symlinkSync(Buffer.from([0x74, 0xfe]), join(path, 'raw'));
    const { entries } = await treeSummary({ path });
    const file = { parent: 0, kind: 'file', children: 0, name: 'f\uFFFD', nameBytes: Uint8Array.of(0x66, 0xff) };
    const link = { parent: -1, kind: 'symlink', children: 0 };
    expect(entries).toEqual([
      { name: 'd', parent: -1, kind: 'dir', children: 1 },
      { name: 'd2', parent: -1, kind: 'dir', children: 0 },
      { ...link, name: 'e', target: 'né' },
      { ...link, name: 'link', target: 'd' },
      { ...link, name: 'raw', target: 't\uFFFD', targetBytes: Uint8Array.of(0x74, 0xfe) },
      file,
    ]);
  });

  it('are compared in the composed form', async () => {
    const tree = { 'e\u0301': { a: '' }, b: { 'o\u0308': { c: '' } } };
    expect(await shown(tree, { exclude: ['é'], focus: ['b/ö'], depth: 1 })).toEqual([
      'b/ 1',
      'b/o\u0308/ 1',
      'b/o\u0308/c',
    ]);
  });
});

describe('a call that cannot succeed', () => {
  it.each([
    [{ depth: 0 }, "invalid option depth of treeSummary: 0; use a whole number from 1, or 'auto'"],
    [{ depth: 1.5 }, 'invalid option depth of treeSummary: 1.5'],
    [{ depth: 'x' }, 'invalid option depth of treeSummary: "x"'],
    [{ maxEntries: -1 }, 'invalid option maxEntries of treeSummary: -1; use a whole number from 0 to 100000'],
    [{ maxEntries: 100_001 }, 'invalid option maxEntries of treeSummary: 100001'],
    [{ exclude: 'dist' }, 'invalid option exclude of treeSummary: "dist"; use an array of strings'],
    [{ secrets: [1] }, 'invalid option secrets of treeSummary: an array; use an array of strings'],
    [{ deep: 1 }, 'unknown option deep of treeSummary; use path, hidden'],
  ])('names the option that is not valid: %j', async (options, message) => {
    const call = treeSummary({ path: '.', ...options } as TreeSummaryOptions);
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message) as string,
    });
  });

  it('states that the root does not exist or is a file, that it was aborted, or out of time', async () => {
    const path = createTree({ file: '' });
    await expect(treeSummary({ path: join(path, 'none') })).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' });
    await expect(treeSummary({ path: join(path, 'file') })).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(treeSummary({ path, signal })).rejects.toThrow('enough');
    await expect(treeSummary({ path, timeoutMs: 0 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const partial = await treeSummary({ path, timeoutMs: 0, onTimeout: 'partial' });
    // A tree this small may be complete before the clock is read.
    expect(partial.stopReason).toBe(partial.complete ? undefined : 'timeout');
  });
});

describe('what cannot be read', () => {
  /** The summary as a user without permissions gets it. */
  function summaryOf(path: string, options: object = {}): unknown {
    return runNode(`
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      const { root, generation, entries, ...facts } = await treeSummary({ path: ${JSON.stringify(path)}, ...${JSON.stringify(options)} });
      const folded = entries.filter((entry) => entry.folded === 'unreadable').map((entry) => entry.name);
      report({ ...facts, folded });`);
  }

  it('is folded and counted, and its path is only returned if it is shown', () => {
    const path = createTree({ open: { a: '' }, closed: { a: '' }, '.hidden': { a: '' }, empty: {} });
    chmodSync(path, 0o755);
    for (const name of ['closed', '.hidden']) chmodSync(join(path, name), 0);
    expect(summaryOf(path)).toEqual({
      depth: 3,
      rootChildren: 3,
      totalEntries: 4,
      excluded: 1,
      hiddenSecrets: 0,
      complete: true,
      unreadable: 2,
      unreadablePaths: ['closed'],
      folded: ['closed'],
    });
  });

  it('is folded also where there is more than is named', () => {
    const path = createTree({ open: { a: '' } });
    chmodSync(path, 0o755);
    const names = Array.from({ length: 20 }, (_, index) => `d${index + 10}`);
    for (const name of names) mkdirSync(join(path, name), { mode: 0 });
    mkdirSync(join(path, 'empty'));
    expect(summaryOf(path)).toMatchObject({ unreadable: 20, unreadablePaths: names.slice(0, 16), folded: names });
  });

  it('does not count in a search that does not go there', () => {
    const path = createTree({ a: '', '.hidden': { a: '' } });
    chmodSync(path, 0o755);
    chmodSync(join(path, '.hidden'), 0);
    const counts = runNode(`
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      const path = ${JSON.stringify(path)};
      const { unreadable } = await treeSummary({ path, cache: true });
      const { unreadable: ofGlob = 0 } = await glob({ path, pattern: '*', cache: true });
      report([unreadable, ofGlob]);`);
    expect(counts).toEqual([1, 0]);
  });

  it('is an empty tree if it is the root', () => {
    const path = createTree({ a: '' });
    chmodSync(path, 0);
    expect(summaryOf(path)).toMatchObject({ totalEntries: 0, unreadable: 1, unreadablePaths: ['.'], complete: true });
    chmodSync(path, 0o755);
  });
});
