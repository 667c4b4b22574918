import * as source from '@cairn/natives';
import * as files from '@cairn/natives/files';
import * as internal from '@cairn/natives/internal';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const exported = [
  'CairnError',
  'FileType',
  'GrepOutputMode',
  'fileTypes',
  'fsScanCacheStats',
  'fuzzyFind',
  'glob',
  'grep',
  'grepStream',
  'invalidateFsScanCache',
  'treeChanges',
  'treeStateSync',
  'treeSummary',
];

const dist = new URL('../../packages/natives/dist/', import.meta.url);

test('@cairn/natives exports these values', () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
});

test('@cairn/natives/files, which only the tools use, exports these values', () => {
  expect(Object.keys(files).toSorted()).toEqual([
    'copyAttributes',
    'exchangeFiles',
    'lockPath',
    'renameNoReplace',
    'replaceFile',
  ]);
});

test('@cairn/natives/internal exports this value to the other packages', () => {
  expect(Object.keys(internal)).toEqual(['contentIndexPolicy']);
});

test('the built @cairn/natives exports the same values', async () => {
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('the runtime objects of @cairn/natives hold these values', () => {
  expect(source.FileType).toEqual({ File: 1, Dir: 2, Symlink: 3 });
  expect(source.GrepOutputMode).toEqual({
    Content: 'content',
    Count: 'count',
    FilesWithMatches: 'filesWithMatches',
  });
});

test('@cairn/natives exports these types', () => {
  const declarations = readFileSync(new URL('index.d.ts', dist), 'utf8');
  const blocks = [...declarations.matchAll(/export (?:type )?\{([^}]*)\}/gu)].map(([, names = '']) => names);
  const names = blocks.flatMap((block) => block.split(',')).map((name) => name.replace(/\btype\b/u, '').trim());
  const types = names.filter((name) => name !== '' && !exported.includes(name));
  expect(types.toSorted()).toEqual([
    'CairnErrorCode',
    'FuzzyFindMatch',
    'FuzzyFindOptions',
    'FuzzyFindResult',
    'GlobMatch',
    'GlobOptions',
    'GlobResult',
    'GrepInputOptions',
    'GrepMatch',
    'GrepOptions',
    'GrepResult',
    'GrepSummary',
    'GuessKind',
    'StopReason',
    'Submatch',
    'TreeChange',
    'TreeChanges',
    'TreeEntry',
    'TreeState',
    'TreeSummary',
    'TreeSummaryOptions',
  ]);
});
