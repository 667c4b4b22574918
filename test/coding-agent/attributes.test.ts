/** Access lists, extended attributes, owner and group of the files that the tools change or move. */
import type { CodingTools } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { accessList, attributesOf, hasAttributes, setAttributes } from '../support/attributes.ts';
import { removeTree, temporaryDirectory } from '../support/tree.ts';
import { createBench, details, failure } from './support.ts';

const isRoot = process.getuid?.() === 0;

const probe = mkdtempSync(join(tmpdir(), 'cairn-test-'));
const isPossible = hasAttributes(probe);

/** A directory that is not on the file system of the temporary directory. */
const otherFileSystem = ['/dev/shm', '/var/tmp'].find(
  (directory) => existsSync(directory) && statSync(directory).dev !== statSync(tmpdir()).dev,
);

/** Whether this user may mount file systems. */
const canMount = spawnSync('mount', ['-t', 'ramfs', 'none', probe]).status === 0;
if (canMount) spawnSync('umount', [probe]);
removeTree(probe);

/** The attributes that must stay the same. */
function kept(path: string): unknown {
  const { uid, gid, mode } = statSync(path);
  return { uid, gid, mode, attributes: attributesOf(path) };
}

/** Gives a file everything that a change could lose. Returns it. */
function adorn(path: string): unknown {
  if (isRoot) chownSync(path, 4321, 1234);
  chmodSync(path, 0o640);
  setAttributes(path, {
    'system.posix_acl_access': accessList(7),
    'user.mark': '00ff',
    'user.empty': '',
    ...(isRoot ? { 'trusted.mark': '01', 'security.mark': '02' } : {}),
  });
  return kept(path);
}

const patchOf = (...lines: string[]): { patch: string } => ({
  patch: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n'),
});

/** A call, the path that it changes, and how it is made; `to` is the path on another file system. */
type Change = readonly [name: string, path: string, change: (tools: CodingTools, to: string) => Promise<ToolResult>];

const changes: readonly Change[] = [
  ['edit', 'd/a', (tools) => tools.edit.execute({ path: 'd/a', edits: [{ old_text: 'old', new_text: 'new' }] })],
  ['write', 'd/a', (tools) => tools.write.execute({ path: 'd/a', content: 'new\n' })],
  ['patch', 'd/a', (tools) => tools.patch.execute(patchOf('*** Update File: d/a', '@@', '-old', '+new'))],
  [
    'patch with a move',
    'm/b',
    (tools) => tools.patch.execute(patchOf('*** Update File: d/a', '*** Move to: m/b', '@@', '-old', '+new')),
  ],
  ['patch that only moves', 'm/b', (tools) => tools.patch.execute(patchOf('*** Update File: d/a', '*** Move to: m/b'))],
  ['rename', 'm/b', (tools) => tools.rename.execute({ from: 'd/a', to: 'm/b' })],
];

describe.runIf(isPossible)('owner, permissions, access lists and extended attributes', () => {
  test.each(changes)('are kept by %s', async (_name, to, change) => {
    const { tools, root } = createBench({ d: { a: 'old\n' } }, { staleGuard: 'off' });
    const before = adorn(join(root, 'd/a'));
    details(await change(tools, ''));
    expect(kept(join(root, to))).toEqual(before);
  });

  test.each(changes)('are kept by %s of a file with two names', async (_name, to, change) => {
    const { tools, root } = createBench({ d: { a: 'old\n' } }, { staleGuard: 'off' });
    const before = adorn(join(root, 'd/a'));
    expect(spawnSync('ln', [join(root, 'd/a'), join(root, 'd/other')]).status).toBe(0);
    details(await change(tools, ''));
    expect(kept(join(root, to))).toEqual(before);
  });

  test.each(changes)('are not inherited from the directory by %s', async (_name, to, change) => {
    const { tools, root } = createBench({ d: { a: 'old\n' }, m: {} }, { staleGuard: 'off' });
    const before = kept(join(root, 'd/a'));
    for (const directory of ['d', 'm']) {
      setAttributes(join(root, directory), { 'system.posix_acl_default': accessList(7) });
    }
    details(await change(tools, ''));
    expect(kept(join(root, to))).toEqual(before);
  });

  test.runIf(otherFileSystem !== undefined)(
    'are kept by a move to another file system, of directories too',
    async () => {
      const other = mkdtempSync(join(otherFileSystem ?? '', 'cairn-test-'));
      onTestFinished(() => removeTree(other));
      const tree = { d: { a: 'x', e: { b: 'y' } } };
      const { tools, root, paths } = createBench(tree, { allowedRoots: [other] });
      const before = ['d/a', 'd/e/b', 'd/e', 'd'].map((path) => adorn(join(root, path)));
      for (const directory of ['d/e', 'd']) chmodSync(join(root, directory), 0o750);
      const directories = ['d/e', 'd'].map((path) => kept(join(root, path)));
      details(await tools.rename.execute({ from: 'd', to: join(other, 'd') }));
      expect(['d/a', 'd/e/b'].map((path) => kept(join(other, path)))).toEqual(before.slice(0, 2));
      expect(['d/e', 'd'].map((path) => kept(join(other, path)))).toEqual(directories);
      expect(paths()).toEqual([]);
    },
  );

  const across: readonly Change[] = [
    [
      'patch with a move',
      '',
      (tools, to) => tools.patch.execute(patchOf('*** Update File: a', `*** Move to: ${to}`, '@@', '-old', '+new')),
    ],
    [
      'patch that only moves',
      '',
      (tools, to) => tools.patch.execute(patchOf('*** Update File: a', `*** Move to: ${to}`)),
    ],
    ['rename', '', (tools, to) => tools.rename.execute({ from: 'a', to })],
  ];

  test.runIf(otherFileSystem !== undefined).each(across)(
    'are kept by %s to another file system',
    async (_name, _to, change) => {
      const other = mkdtempSync(join(otherFileSystem ?? '', 'cairn-test-'));
      onTestFinished(() => removeTree(other));
      const { tools, root, paths } = createBench({ a: 'old\n' }, { allowedRoots: [other], staleGuard: 'off' });
      const before = adorn(join(root, 'a'));
      details(await change(tools, join(other, 'a')));
      expect(kept(join(other, 'a'))).toEqual(before);
      expect(paths()).toEqual([]);
    },
  );

  test.runIf(canMount).each(across)(
    'are never lost by %s to a file system without them',
    async (_name, _to, change) => {
      const other = temporaryDirectory();
      expect(spawnSync('mount', ['-t', 'ramfs', 'none', other]).status).toBe(0);
      onTestFinished(() => void spawnSync('umount', [other]));
      const { tools, root } = createBench({ a: 'old\n' }, { allowedRoots: [other], staleGuard: 'off' });
      const before = adorn(join(root, 'a'));
      const refused = failure(await change(tools, join(other, 'a')));
      expect(refused).toMatch(
        /^PERMISSION: .*cannot be moved to another file system without losing attributes: the extended attribute \S+ cannot be set.* Nothing was changed/u,
      );
      expect(kept(join(root, 'a'))).toEqual(before);
      expect(readdirSync(other)).toEqual([]);
    },
  );
});

test.runIf(isPossible && isRoot)(
  'capabilities, which a write takes away, are kept by an edit that moves the file',
  async () => {
    const tail = `${'x'.repeat(99)}\n`.repeat(10_000);
    const { tools, root } = createBench({ a: `old\n${tail}` });
    setAttributes(join(root, 'a'), { 'security.capability': '0100000200040000000000000000000000000000' });
    const before = kept(join(root, 'a'));
    const patch = '*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-old\n+new\n*** End Patch\n';
    details(await tools.patch.execute({ patch }));
    expect(kept(join(root, 'b'))).toEqual(before);
  },
);
