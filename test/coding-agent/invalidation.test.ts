import {
  createCodingTools,
  invalidateFsScanAfterDelete,
  invalidateFsScanAfterRename,
  invalidateFsScanAfterWrite,
} from '@cairn/coding-agent';
import type { CodingTools } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import { fuzzyFind, glob, grep, invalidateFsScanCache } from '@cairn/natives';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { details } from './support.ts';

vi.mock('@cairn/natives', { spy: true });

const invalidated = (): string[] => vi.mocked(invalidateFsScanCache).mock.calls.map(([path]) => path ?? '(everything)');

beforeEach(() => {
  vi.mocked(invalidateFsScanCache).mockClear();
});

/** What a cached search knows of a tree: its paths, and its files by content. */
async function known(root: string): Promise<string[]> {
  const options = { path: root, cache: true, hidden: true };
  const globbed = await glob({ ...options, pattern: '**' });
  const found = await fuzzyFind({ ...options, query: '' });
  const grepped = await grep({ ...options, pattern: 'NEW' });
  const paths = globbed.matches.map(({ path }) => path).toSorted();
  expect(found.matches.map(({ path }) => path.replace(/\/$/u, '')).toSorted()).toEqual(paths);
  return [...paths, ...grepped.matches.map(({ path }) => `${path}: NEW`)];
}

interface Case {
  readonly tree: Parameters<typeof createTree>[0];
  readonly call: (tools: CodingTools, root: string) => Promise<ToolResult>;
  /** The invalidated paths, in order. */
  readonly invalidates: readonly string[];
  /** What cached searches know afterwards. */
  readonly known: readonly string[];
}

/** One case at least for each tool that changes something. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  write: [
    {
      tree: { a: '' },
      call: (tools) => tools.write.execute({ path: 'd/e/f', content: 'NEW' }),
      invalidates: ['d', 'd/e', 'd/e/f'],
      known: ['a', 'd', 'd/e', 'd/e/f', 'd/e/f: NEW'],
    },
  ],
  edit: [
    {
      tree: { a: 'old' },
      call: (tools) => tools.edit.execute({ path: 'a', edits: [{ old_text: 'old', new_text: 'NEW' }] }),
      invalidates: ['a'],
      known: ['a', 'a: NEW'],
    },
  ],
  delete: [
    { tree: { a: '', b: '' }, call: (tools) => tools.delete.execute({ path: 'a' }), invalidates: ['a'], known: ['b'] },
    {
      tree: { d: { e: '' }, b: '' },
      call: (tools) => tools.delete.execute({ path: 'd', recursive: true }),
      invalidates: ['d'],
      known: ['b'],
    },
  ],
  rename: [
    {
      tree: { a: 'NEW' },
      call: (tools) => tools.rename.execute({ from: 'a', to: 'd/b' }),
      invalidates: ['d', 'a', 'd/b'],
      known: ['d', 'd/b', 'd/b: NEW'],
    },
  ],
  patch: [
    {
      tree: { a: 'old\n', b: '', c: 'x\n', m: 'm\n' },
      call: (tools) =>
        tools.patch.execute({
          patch: [
            '*** Begin Patch',
            '*** Update File: a',
            '@@',
            '-old',
            '+NEW',
            '*** Delete File: b',
            '*** Add File: d/n',
            '+x',
            '*** Update File: c',
            '*** Move to: c2',
            '@@',
            '-x',
            '+y',
            '*** Update File: m',
            '*** Move to: m2',
            '*** End Patch',
          ].join('\n'),
        }),
      invalidates: ['a', 'b', 'd', 'd/n', 'c2', 'c', 'm', 'm2'],
      known: ['a', 'c2', 'd', 'd/n', 'm2', 'a: NEW'],
    },
  ],
};

describe('every mutating tool invalidates the scan cache before its promise settles', () => {
  const tools = createCodingTools({ root: temporaryDirectoryOfModule() });
  const mutating = Object.values(tools)
    .filter(({ annotations }) => !annotations.readOnlyHint)
    .map(({ name }) => name);

  test.each(mutating)('%s', async (name) => {
    const own = cases[name] ?? [];
    expect(own.length, `${name} needs a case here`).toBeGreaterThan(0);
    for (const { tree, call, invalidates, known: expected } of own) {
      const root = createTree(tree);
      const before = await known(root);
      vi.mocked(invalidateFsScanCache).mockClear();
      details(await call(createCodingTools({ root, stateDirectory: temporaryDirectory() }), root));
      expect(invalidated()).toEqual(invalidates.map((path) => join(root, path)));
      const after = await known(root);
      expect(after).toEqual(expected);
      expect(after).not.toEqual(before);
    }
  });

  test('a read-only tool invalidates nothing', async () => {
    const readOnly = createCodingTools({ root: createTree({ a: 'NEW' }), stateDirectory: temporaryDirectory() });
    await readOnly.read.execute({ path: 'a' });
    await readOnly.glob.execute({ pattern: '*' });
    await readOnly.grep.execute({ pattern: 'NEW' });
    await readOnly.ls.execute({});
    expect(invalidated()).toEqual([]);
  });

  test('a dry run and a rejected change invalidate nothing', async () => {
    const root = createTree({ a: 'x' });
    const dry = createCodingTools({ root, stateDirectory: temporaryDirectory() });
    await dry.write.execute({ path: 'b', content: '' }, { dryRun: true });
    await dry.edit.execute({ path: 'a', edits: [{ old_text: 'q', new_text: '' }] });
    expect(invalidated()).toEqual([]);
  });
});

/** The tools above are only asked for their names. */
function temporaryDirectoryOfModule(): string {
  return '/nowhere';
}

describe('the helpers', () => {
  test('a write and a delete invalidate one path, a rename both when they differ', () => {
    invalidateFsScanAfterWrite('/w');
    invalidateFsScanAfterDelete('/d');
    invalidateFsScanAfterRename('/a', '/b');
    invalidateFsScanAfterRename('/c', '/c');
    expect(invalidated()).toEqual(['/w', '/d', '/a', '/b', '/c']);
  });

  test('cached searches see an invalidated change', async () => {
    const root = createTree({ a: '', d: {} });
    await known(root);
    writeFileSync(join(root, 'd/new'), 'NEW');
    invalidateFsScanAfterWrite(join(root, 'd/new'));
    expect(await known(root)).toEqual(['a', 'd', 'd/new', 'd/new: NEW']);
    renameSync(join(root, 'd'), join(root, 'e'));
    invalidateFsScanAfterRename(join(root, 'd'), join(root, 'e'));
    expect(await known(root)).toEqual(['a', 'e', 'e/new', 'e/new: NEW']);
    rmSync(join(root, 'e'), { recursive: true });
    invalidateFsScanAfterDelete(join(root, 'e'));
    expect(await known(root)).toEqual(['a']);
  });
});
