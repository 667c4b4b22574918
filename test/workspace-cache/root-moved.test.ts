import { createCodingTools, createWorkspace } from '@cairn/coding-agent';
import type { Workspace } from '@cairn/coding-agent';
import { invalidateFsScanCache } from '@cairn/natives';
import type { WorkspaceCache } from '@cairn/workspace-cache';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { createTestCache } from './support.ts';

interface Setup {
  readonly directory: string;
  readonly root: string;
  readonly cache: WorkspaceCache;
  readonly workspace: Workspace;
  readonly move: (target: string) => void;
}

/** A root `current` that is a link to `one`; `two` and `one/below` are directories to which it may lead later. */
function setUp(make: 'workspace first' | 'cache first'): Setup {
  const directory = createTree({ 'one/a': 'one', 'one/below/a': 'below', 'two/a': 'two' });
  const root = join(directory, 'current');
  symlinkSync('one', root);
  const stateDirectory = temporaryDirectory();
  const own = make === 'workspace first' ? createWorkspace({ root, stateDirectory }) : undefined;
  const { cache } = createTestCache(root, { workspace: own, stateDirectory });
  const workspace = own ?? cache.createWorkspace({ stateDirectory });
  const move = (target: string): void => {
    symlinkSync(target, join(directory, 'next'));
    // As a deployment does it: at once.
    renameSync(join(directory, 'next'), root);
    invalidateFsScanCache();
  };
  return { directory, root, cache, workspace, move };
}

describe.each(['workspace first', 'cache first'] as const)('a root that is a link which moves, %s', (make) => {
  test.each(['two', 'one/below', 'missing'])(
    'to %s: tools and tree show nothing of it, and report it',
    async (target) => {
      const { directory, root, cache, workspace, move } = setUp(make);
      const tools = createCodingTools({ workspace });
      expect((await tools.read.execute({ path: 'a' })).isError).toBe(false);
      expect((await cache.tree()).metadata.error).toBeUndefined();
      move(target);
      const calls = [
        tools.read.execute({ path: 'a' }),
        tools.read.execute({ path: join(root, 'a') }),
        tools.ls.execute({}),
        tools.write.execute({ path: 'new', content: '' }),
        tools.edit.execute({ path: 'a', edits: [{ old_text: 'one', new_text: 'x' }] }),
        tools.glob.execute({ pattern: '*' }),
        tools.grep.execute({ pattern: 'o' }),
        tools.rename.execute({ from: 'a', to: 'b' }),
        tools.delete.execute({ path: 'a' }),
      ];
      for (const { isError, details } of await Promise.all(calls)) {
        expect([isError, details]).toEqual([true, expect.objectContaining({ reason: 'ROOT_MOVED' })]);
      }
      await expect(cache.content.read('a')).rejects.toMatchObject({ code: 'ROOT_MOVED' });
      const { tree, metadata } = await cache.tree();
      expect(tree).toBe('');
      expect(metadata.error).toBeTypeOf('string');
      expect(metadata.errorCode).toBe(target === 'missing' ? undefined : 'ROOT_MOVED');
      expect(readFileSync(join(directory, 'one/a'), 'utf8')).toBe('one');
      expect(existsSync(join(directory, target, 'new'))).toBe(false);
    },
  );

  test('back again: everything goes on', async () => {
    const { cache, workspace, move } = setUp(make);
    const { read } = createCodingTools({ workspace });
    const before = await cache.tree();
    await read.execute({ path: 'a' });
    move('two');
    expect((await cache.tree()).metadata.errorCode).toBe('ROOT_MOVED');
    const { message, run } = await cache.init();
    expect(message).toMatch(/initialization failed/u);
    expect(run.data.metadata.error).toMatch(/^the root .*current led to .*one and now leads to .*two$/u);
    move('one');
    expect((await cache.tree()).tree).toBe(before.tree);
    expect((await read.execute({ path: 'a' })).isError).toBe(false);
    expect((await cache.init()).message).toBe('Workspace cache initialized');
  });

  test('the first directory by its own path stays usable', async () => {
    const { directory, workspace, move } = setUp(make);
    const { read } = createCodingTools({ workspace });
    await read.execute({ path: 'a' });
    move('two');
    expect((await read.execute({ path: join(directory, 'one/a') })).isError).toBe(false);
    expect((await read.execute({ path: join(directory, 'two/a') })).details).toMatchObject({ reason: 'OUTSIDE_ROOT' });
  });

  test('to another place before the first call stays there', async () => {
    const { root, cache, workspace, move } = setUp(make);
    rmSync(root);
    move('two');
    const { read } = createCodingTools({ workspace });
    expect((await read.execute({ path: 'a' })).isError).toBe(false);
    expect((await cache.tree()).metadata.error).toBeUndefined();
  });
});

test('a link in the root may move', async () => {
  const root = createTree({ 'one/a': 'one', 'two/a': 'two' });
  symlinkSync('one', join(root, 'current'));
  const { read } = createCodingTools({ workspace: createWorkspace({ root, stateDirectory: temporaryDirectory() }) });
  expect((await read.execute({ path: 'current/a' })).isError).toBe(false);
  rmSync(join(root, 'current'));
  symlinkSync('two', join(root, 'current'));
  expect(JSON.stringify(await read.execute({ path: 'current/a' }))).toContain('two');
});
