import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations } from '@cairn/coding-agent';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { settled } from '../support/settled.ts';
import { createTestCache } from './support.ts';

const tree = { 'README.md': '# A\n', src: { 'a.ts': 'a', deep: { er: { 'b.ts': 'b' } } } };

// Contents and listings are kept on Linux alone.
const isLinux = process.platform === 'linux';

test.runIf(isLinux)('hits are the calls of tools that did not reach the disk', async () => {
  const root = createTree(tree);
  await settled(root);
  const disk = { listings: 0, reads: 0 };
  const operations: FileOperations = {
    ...nodeFileOperations,
    list: (path) => {
      if (path.startsWith(root)) disk.listings += 1;
      return nodeFileOperations.list(path);
    },
    open: (path, mode, permissions) => {
      if (mode === 'read' && path.startsWith(root)) disk.reads += 1;
      return nodeFileOperations.open(path, mode, permissions);
    },
  };
  const { cache } = createTestCache(root);
  const tools = createCodingTools({
    workspace: cache.createWorkspace({ operations, stateDirectory: temporaryDirectory() }),
  });
  const { run } = await cache.init({ userContext: {} });
  const paths = ['README.md', 'src/a.ts', 'README.md', 'README.md', 'src/a.ts'];
  for (const path of paths) expect((await tools.read.execute({ path })).isError).toBe(false);
  const directories = ['src', 'src', 'src/deep/er', 'src/deep/er', 'src/deep/er'];
  for (const path of directories) expect((await tools.ls.execute({ path })).isError).toBe(false);
  expect(disk).toEqual({ listings: 2, reads: 2 });
  const statistics = run.statistics();
  expect(statistics.reads).toEqual({ hits: paths.length - disk.reads, misses: disk.reads });
  expect(statistics.listings).toEqual({ hits: directories.length - disk.listings, misses: disk.listings });
  expect(statistics.cacheHits).toBe(6);
  expect(statistics.totalScans).toBe(1);
});

test.runIf(isLinux)('hits are the calls of wrapped functions that did not reach the original', async () => {
  const root = createTree(tree);
  await settled(root);
  const { cache } = createTestCache(root);
  const { run } = await cache.init({ userContext: {} });
  const reached: string[] = [];
  const list = run.wrapWithCache(async (path: string) => {
    reached.push(`list ${path}`);
    return readdirSync(join(root, path));
  });
  const read = run.wrapReadWithCache(async (path: string) => {
    reached.push(`read ${path}`);
    return readFileSync(join(root, path), 'utf8');
  });
  await Promise.all(['src', 'src', 'src/deep'].map((path) => list(path)));
  await list('src');
  for (const path of ['src/a.ts', 'src/a.ts', 'README.md']) await read(path);
  // Calls that are made at once reach the original in any order.
  expect(reached.toSorted()).toEqual(['list src', 'list src/deep', 'read README.md', 'read src/a.ts']);
  const { listings, reads, cacheHits, cacheMisses } = run.statistics();
  expect({ listings, reads, cacheHits, cacheMisses }).toEqual({
    listings: { hits: 2, misses: 2 },
    reads: { hits: 1, misses: 2 },
    cacheHits: 3,
    cacheMisses: 4,
  });
});

test('the report of a run has its counts, and advice on the directories that its tree does not show', async () => {
  const root = createTree({ a: { b: { c: { 'd.ts': '' } } }, e: { f: { g: { 'h.ts': '' } } } });
  await settled(root);
  const { cache } = createTestCache(root, { language: 'en' });
  const { run } = await cache.init({ userContext: {} });
  const list = run.wrapWithCache(async (path: string) => readdirSync(join(root, path)));
  for (let agent = 0; agent < 7; agent++) run.section();
  await list('a/b/c');
  await list('e/f/g');
  const report = run.report();
  expect(report).toContain('  - Max depth: 3\n  - Scans: 1\n  - Cache hits: 0/2 (listings 0/2, reads 0/0)\n');
  expect(report).toContain('  - Estimated saved calls: ~19 = sections (7) * 3 ');
  expect(report).toContain('set depth: 4, or focus: ["a/b/c","e/f/g"]');
  const { tree: deeper } = await cache.tree({ depth: 4 });
  expect(deeper).toContain('h.ts');
});
