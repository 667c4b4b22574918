/** Access lists, extended attributes, owner and group of the files that the tools change or move. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { accessList, attributesOf, hasAttributes, setAttributes } from '../support/attributes.ts';
import { removeTree, temporaryDirectory } from '../support/tree.ts';
import { createBench, details, failure } from './support.ts';

const isRoot = process.getuid?.() === 0;

const probe = mkdtempSync(join(tmpdir(), 'cairn-test-'));
const isPossible = hasAttributes(probe);
removeTree(probe);

/** A directory that is not on the file system of the temporary directory. */
const otherFileSystem = ['/dev/shm', '/var/tmp'].find(
  (directory) => existsSync(directory) && statSync(directory).dev !== statSync(tmpdir()).dev,
);

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

describe.runIf(isPossible)('owner, permissions, access lists and extended attributes', () => {
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

  test('a move to a file system without them is refused, and changes nothing', async ({ skip }) => {
    const other = temporaryDirectory();
    if (spawnSync('mount', ['-t', 'ramfs', 'none', other]).status !== 0) return skip('mounting is not allowed here');
    onTestFinished(() => void spawnSync('umount', [other]));
    const { tools, root, paths } = createBench({ a: 'x', b: 'y' }, { allowedRoots: [other] });
    const before = adorn(join(root, 'a'));
    const moved = failure(await tools.rename.execute({ from: 'a', to: join(other, 'a') }));
    expect(moved).toMatch(
      /^PERMISSION: .*\/a cannot be moved to another file system without losing attributes: the extended attribute \S+ cannot be set.* Nothing was changed/u,
    );
    expect(kept(join(root, 'a'))).toEqual(before);
    details(await tools.rename.execute({ from: 'b', to: join(other, 'b') }));
    expect(paths()).toEqual(['a']);
    return undefined;
  });
});
