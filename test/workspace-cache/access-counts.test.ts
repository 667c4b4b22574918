import { nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations } from '@cairn/coding-agent';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import type { WorkspaceCache } from '@cairn/workspace-cache';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { settled } from '../support/settled.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

function open(root: string, stateDirectory: string, warnings: string[] = []): WorkspaceCache {
  const cache = createWorkspaceCache({
    root,
    stateDirectory,
    onWarning: ({ message }) => void warnings.push(message),
  });
  onTestFinished(() => cache.close());
  return cache;
}

async function readTimes(cache: WorkspaceCache, path: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await cache.content.read(path);
}

async function countsOf(cache: WorkspaceCache): Promise<Record<string, number>> {
  return Object.fromEntries((await cache.content.accessCounts()).map(({ path, count }) => [path, count]));
}

test('counts survive the process, per project, the most used first', async () => {
  const [root, other, state] = [
    createTree({ 'a.ts': 'a', 'src/b.ts': 'b' }),
    createTree({ 'a.ts': '' }),
    temporaryDirectory(),
  ];
  const first = open(root, state);
  await readTimes(first, 'a.ts', 2);
  await readTimes(first, 'src/b.ts', 3);
  expect(await countsOf(first)).toEqual({ 'src/b.ts': 3, 'a.ts': 2 });
  await first.close();
  const second = open(root, state);
  await readTimes(second, 'a.ts', 2);
  expect((await second.content.accessCounts()).map(({ path, count }) => [path, count])).toEqual([
    ['a.ts', 4],
    ['src/b.ts', 3],
  ]);
  expect(await countsOf(open(other, state))).toEqual({});
});

test('the file of the counts is for its user alone', async () => {
  const [root, state] = [createTree({ 'a.ts': 'a' }), join(temporaryDirectory(), 'new', 'state')];
  const cache = open(root, state);
  await readTimes(cache, 'a.ts', 1);
  await cache.close();
  expect(statSync(state).mode & 0o777).toBe(0o700);
  const names = readdirSync(state);
  expect(names).toHaveLength(1);
  expect(statSync(join(state, names[0] ?? '')).mode & 0o777).toBe(0o600);
});

test('no more than 1,000 paths are counted', async () => {
  const files = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`f${index}`, '']));
  const [root, state] = [createTree({ ...files, often: '' }), temporaryDirectory()];
  const cache = open(root, state);
  await readTimes(cache, 'often', 3);
  for (const path of Object.keys(files)) await cache.content.read(path);
  await cache.close();
  const counts = await open(root, state).content.accessCounts();
  expect(counts).toHaveLength(1000);
  expect(counts[0]).toMatchObject({ path: 'often', count: 3 });
});

test.each([
  '',
  '{',
  '[]',
  '{"version":1,"counts":{}}',
  '{"version":1,"counts":[1,["a"],["b","x",1],["c",1e400,1],["d",2,3]]}',
  '\0',
])('a file of counts with the content %j does no harm', async (content) => {
  const [root, state] = [createTree({ 'a.ts': 'a', d: '' }), temporaryDirectory()];
  const first = open(root, state);
  await readTimes(first, 'a.ts', 1);
  await first.close();
  writeFileSync(join(state, readdirSync(state)[0] ?? ''), content);
  const second = open(root, state);
  await readTimes(second, 'a.ts', 1);
  expect((await countsOf(second))['a.ts']).toBe(1);
  await second.content.preload();
});

test('where the directory belongs to others, counts are kept in memory, with one warning', async () => {
  const [root, state, warnings] = [createTree({ 'a.ts': 'a' }), temporaryDirectory(), [] as string[]];
  chmodSync(state, 0o777);
  const cache = open(root, state, warnings);
  await readTimes(cache, 'a.ts', 600);
  // After the writes that 600 uses begin.
  expect(await countsOf(cache)).toEqual({ 'a.ts': 600 });
  await cache.close();
  expect(warnings).toEqual([expect.stringContaining(`no directory can be used of ${state}`)]);
  expect(readdirSync(state)).toEqual([]);
});

/** Reads files many times in a process of its own. */
const worker = `
  import { createWorkspaceCache } from '@cairn/workspace-cache';
  const [root, stateDirectory] = process.argv.slice(1);
  const cache = createWorkspaceCache({ root, stateDirectory });
  for (let time = 0; time < 1500; time++) await cache.content.read(time % 3 === 0 ? 'a.ts' : 'b.ts');
  await cache.close();
`;

test('two concurrent processes lose no count', async () => {
  const [root, state] = [createTree({ 'a.ts': 'a', 'b.ts': 'b' }), temporaryDirectory()];
  const processes = [0, 1].map(() =>
    spawn(process.execPath, ['--input-type=module', '--eval', worker, root, state], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'inherit', 'pipe'],
    }),
  );
  expect(await Promise.all(processes.map(async (child) => (await once(child, 'exit'))[0]))).toEqual([0, 0]);
  expect(await countsOf(open(root, state))).toEqual({ 'a.ts': 1000, 'b.ts': 2000 });
  const text = readFileSync(join(state, readdirSync(state)[0] ?? ''), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: 1, root });
});

test('a preload reads the most used files into memory, at most 20 and 2 MiB', async () => {
  const small = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${index}`, `${index}`]));
  const large = 'x'.repeat(900_000);
  const [root, state] = [createTree({ ...small, gone: '', l1: large, l2: large, l3: large }), temporaryDirectory()];
  const first = open(root, state);
  for (const path of Object.keys(small)) await readTimes(first, path, 2);
  for (const path of ['l1', 'l2', 'l3']) await readTimes(first, path, 3);
  await readTimes(first, 'gone', 4);
  await first.close();
  rmSync(join(root, 'gone'));
  await settled(root);
  const second = open(root, state);
  const before = await countsOf(second);
  const { files, bytes } = await second.content.preload();
  // Two of the large ones, and what is left of the 20 without the one that is gone.
  expect(files).toBe(18);
  expect(bytes).toBeGreaterThan(1_800_000);
  expect(bytes).toBeLessThan(1_900_000);
  expect(second.content.stats).toMatchObject({ hits: 0, misses: 0, entries: 18 });
  expect(await countsOf(second)).toEqual(before);
  // The one that was used last.
  await second.content.read('l3');
  expect(second.content.stats.hits).toBe(1);
});

/** Returns a promise and the function that resolves it. Node 20 has no `Promise.withResolvers`. */
function gate(): readonly [passed: Promise<void>, open: () => void] {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [passed, open];
}

/** A project whose files were used before, and a gate in front of each read of a file. */
async function usedBefore(names: readonly string[]) {
  const [root, stateDirectory] = [
    createTree(Object.fromEntries(names.map((name) => [name, name]))),
    temporaryDirectory(),
  ];
  const first = open(root, stateDirectory);
  for (const name of names) await first.content.read(name);
  await first.close();
  await settled(root);
  const opened: string[] = [];
  const [released, release] = gate();
  const [begun, begin] = gate();
  const operations: FileOperations = {
    ...nodeFileOperations,
    open: async (path, mode, permissions) => {
      opened.push(path.slice(root.length + 1));
      begin();
      await released;
      return nodeFileOperations.open(path, mode, permissions);
    },
  };
  const makeCache = (): WorkspaceCache => {
    const cache = createWorkspaceCache({ root, stateDirectory, preload: true });
    cache.createWorkspace({ operations, stateDirectory });
    onTestFinished(() => cache.close());
    return cache;
  };
  return { makeCache, opened, begun, release };
}

test('with `preload`, the first init begins to read the most used files, and does not wait for them', async () => {
  const { makeCache, opened, begun, release } = await usedBefore(['a', 'b']);
  const cache = makeCache();
  expect((await cache.init()).message).toBe('Workspace cache initialized');
  await begun;
  expect(cache.content.stats.entries).toBe(0);
  release();
  await expect.poll(() => cache.content.stats.entries).toBe(2);
  await cache.init();
  await cache.content.read('a');
  expect(opened.toSorted()).toEqual(['a', 'b']);
  expect(cache.content.stats).toMatchObject({ hits: 1, misses: 0 });
});

test('a close ends a preload, and nothing stays in memory', async () => {
  const { makeCache, opened, begun, release } = await usedBefore(['a', 'b', 'c']);
  const cache = makeCache();
  const preload = vi.spyOn(cache.content, 'preload');
  await cache.init();
  await begun;
  const closed = cache.close();
  release();
  await closed;
  await preload.mock.results[0]?.value;
  expect(opened).toHaveLength(1);
  expect(cache.content.stats.entries).toBe(0);
});

test('without `preload`, an init preloads nothing', async () => {
  const cache = open(createTree({ a: '' }), temporaryDirectory());
  const preload = vi.spyOn(cache.content, 'preload');
  await cache.init();
  expect(preload).not.toHaveBeenCalled();
});
