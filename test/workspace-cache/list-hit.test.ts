import { createWorkspaceCache } from '@cairn/workspace-cache';
import { createHook } from 'node:async_hooks';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { settled } from '../support/settled.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

/** Counts the calls to the file system that a function begins. */
async function fileCallsOf(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type.startsWith('FSREQ')) count += 1;
    },
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

test('a listing from memory takes one `lstat` of the directory, of each one above it and of each ignore file', async () => {
  const root = createTree({ '.gitignore': 'x\n', 'a/b/.ignore': 'y\n', 'a/b/c/file': '', '.git/info/exclude': '' });
  await settled(root);
  const cache = createWorkspaceCache({ root, stateDirectory: temporaryDirectory() });
  onTestFinished(() => cache.close());
  const { run } = await cache.init();
  const list = run.wrapWithCache((path: string) => readdirSync(join(root, path)));
  await list('a/b/c');
  await list('a/b/c');
  const calls = await fileCallsOf(() => list('a/b/c'));
  expect(run.statistics().listings.hits).toBe(2);
  // The root of the file system and the names of the path.
  const directories = join(root, 'a/b/c').split('/').length;
  const ignoreFiles = 3;
  // Two more resolve the path, and three find ignore files in a directory above that other tests change.
  const resolving = 2;
  const aboveThatChanges = 3;
  expect(calls).toBeLessThanOrEqual(directories + ignoreFiles + resolving + aboveThatChanges);
  expect(calls).toBeLessThan(3 * directories);
});

test.each([
  ['a rule file that comes in a directory above', () => undefined, '.gitignore'],
  [
    'one in a repository, whose directory stays as it was',
    (root: string) => mkdirSync(join(root, '.git/info'), { recursive: true }),
    '.git/info/exclude',
  ],
  ['one in a repository that comes, too', () => undefined, '.git/info/exclude'],
] as const)('%s is noticed at the next call, as is its end', async (_reason, prepare, rules) => {
  const root = createTree({ 'a/b/file': '', 'a/b/other': '' });
  prepare(root);
  await settled(root);
  const cache = createWorkspaceCache({ root, stateDirectory: temporaryDirectory() });
  onTestFinished(() => cache.close());
  const { run } = await cache.init();
  let calls = 0;
  const list = run.wrapWithCache((path: string) => {
    calls += 1;
    return readdirSync(join(root, path));
  });
  for (let call = 0; call < 3; call++) await list('a/b');
  expect(calls).toBe(1);
  mkdirSync(join(root, '.git/info'), { recursive: true });
  writeFileSync(join(root, rules), 'file\n');
  await list('a/b');
  expect(calls).toBe(2);
  await settled(root);
  for (let call = 0; call < 3; call++) await list('a/b');
  expect(calls).toBeLessThanOrEqual(3);
  const before = calls;
  rmSync(join(root, rules));
  await list('a/b');
  expect(calls).toBe(before + 1);
});
