import type { TreeEntry, TreeSummary, TreeSummaryOptions } from '@cairn/natives';
import { treeSummary } from '@cairn/natives';
import { describe, expect, it } from 'vitest';
import { createTree, symlink } from '../support/tree.ts';

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

  it('shows what is focused at any depth, with what is beside it and in it', async () => {
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
