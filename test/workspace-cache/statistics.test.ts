import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations } from '@cairn/coding-agent';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateTokens } from '@cairn/tool/prompt';
import { fsScanCacheStats } from '@cairn/natives';
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
  for (let agent = 0; agent < 7; agent++) run.section({ agent: `agent ${agent}` });
  await list('a/b/c');
  await list('e/f/g');
  const report = run.report();
  expect(report).toContain('  - Max depth: 3\n  - Scans: 1\n  - Cache hits: 0/2 (listings 0/2, reads 0/0)\n');
  expect(report).toContain('  - Estimated saved calls: ~19 = agents (7) * 3 ');
  expect(report).toContain('set depth: 4, or focus: ["a/b/c","e/f/g"]');
  const { tree: deeper } = await cache.tree({ depth: 4 });
  expect(deeper).toContain('h.ts');
});

test('one agent that asks the model 50 times saves its own listings, not 150', async () => {
  const { cache } = createTestCache(createTree(tree));
  const { run } = await cache.init({ userContext: {} });
  for (let request = 0; request < 50; request++) run.section();
  expect(run.statistics().savedCalls.estimated).toBe(3);
  expect(run.statistics().savedTokens.estimated).toBe(3000 - 50 * run.statistics().sectionTokens.estimated);
});

test('seven agents that each call init, as the source document has it, save the listings of seven', async () => {
  const { cache } = createTestCache(createTree(tree));
  const userContext = {};
  for (let agent = 0; agent < 7; agent++) (await cache.init({}, { context: { userContext } })).run.section();
  const { run } = await cache.init({ userContext });
  expect(run.statistics()).toMatchObject({ agents: 7, sections: 7, savedCalls: { estimated: 21 } });
});

test('a tree that failed saves nothing, and costs its section', async () => {
  const { cache } = createTestCache(join(temporaryDirectory(), 'missing'));
  const { run } = await cache.init({ userContext: {} });
  run.section();
  const { savedCalls, savedTokens, sectionTokens } = run.statistics();
  expect(savedCalls).toEqual({ estimated: 0, formula: 'the prompts showed no tree' });
  expect(savedTokens.estimated).toBe(-sectionTokens.estimated);
  // No option of the tree would help.
  expect(run.report()).not.toMatch(/Advice/u);
});

test('updates and calls of cache_directory are subtracted', async () => {
  const root = createTree(tree);
  const { cache } = createTestCache(root);
  const { write } = createCodingTools({ workspace: cache.createWorkspace({ stateDirectory: temporaryDirectory() }) });
  const { run } = await cache.init({ userContext: {} });
  run.section();
  const before = run.statistics();
  await write.execute({ path: 'new.ts', content: '' });
  const updates = run.updates();
  expect(updates).toContain('new.ts');
  await run.tools.cache_directory?.execute({ path: 'src', items: [] });
  const after = run.statistics();
  expect(after.savedCalls.estimated).toBe(before.savedCalls.estimated - 1);
  const saved = before.savedTokens.estimated - after.savedTokens.estimated;
  expect(saved).toBe(1000 + estimateTokens(updates));
});

test('200 runs from one scan state one scan together, in sequence or at once', async () => {
  const root = createTree(tree);
  const { cache } = createTestCache(root);
  const before = fsScanCacheStats().misses;
  const scansOf = async (count: number, atOnce: boolean): Promise<number> => {
    const begin = async (): Promise<number> => (await cache.init({ userContext: {} })).run.statistics().totalScans;
    const runs = Array.from({ length: count }, () => begin);
    let sum = 0;
    if (atOnce) for (const scans of await Promise.all(runs.map((run) => run()))) sum += scans;
    else for (const run of runs) sum += await run();
    return sum;
  };
  const stated = (await scansOf(100, true)) + (await scansOf(100, false));
  expect(stated).toBe(fsScanCacheStats().misses - before);
  expect(stated).toBe(1);
});

test.runIf(isLinux)('calls of tools belong to the run whose workspace made them, not to the latest', async () => {
  const root = createTree(tree);
  await settled(root);
  const { cache } = createTestCache(root);
  const [one, other] = [(await cache.init({ userContext: {} })).run, (await cache.init({ userContext: {} })).run];
  const toolsOf = (run?: typeof one) =>
    createCodingTools({ workspace: cache.createWorkspace({ run, stateDirectory: temporaryDirectory() }) });
  const ofOne = toolsOf(one);
  const ofOther = toolsOf(other);
  await ofOne.read.execute({ path: 'README.md' });
  await ofOne.ls.execute({ path: 'src' });
  await ofOther.ls.execute({ path: 'src' });
  await toolsOf().read.execute({ path: 'src/a.ts' });
  const operations = cache.operations(undefined, { run: other });
  await (await operations.openCached?.(join(root, 'README.md'), join(root, 'README.md')))?.close();
  expect([one, other].map((run) => run.statistics())).toMatchObject([
    { reads: { hits: 0, misses: 1 }, listings: { hits: 0, misses: 1 }, unassigned: 1 },
    { reads: { hits: 1, misses: 0 }, listings: { hits: 1, misses: 0 }, unassigned: 1 },
  ]);
  expect(() => cache.createWorkspace({ run: {} as never })).toThrow('invalid option run');
});
