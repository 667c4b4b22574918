/** The identity of a project, compared with git itself. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { projectOf } from '@cairn/memory';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { failureOf } from './facts-harness.ts';

/** An environment in which only the directory decides. */
const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

function git(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout.trimEnd();
}

/** The identity by git: its common directory, or the directory that `.git` is in. */
function oracle(cwd: string): string {
  const common = realpathSync(git(cwd, 'rev-parse', '--path-format=absolute', '--git-common-dir'));
  return basename(common) === '.git' ? dirname(common) : common;
}

function repository(name: string = 'repo'): string {
  const root = join(realpathSync(temporaryDirectory()), name);
  mkdirSync(root);
  git(root, 'init', '-q');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first');
  return root;
}

describe('the identity of a project', () => {
  test('is the repository, from its root, from below it, and by a link', async () => {
    const root = repository();
    mkdirSync(join(root, 'src/deep'), { recursive: true });
    symlinkSync(root, join(dirname(root), 'link'));
    for (const path of [root, join(root, 'src/deep'), join(dirname(root), 'link/src'), join(root, '.git/hooks')]) {
      expect(await projectOf(path)).toBe(root);
      expect(oracle(path)).toBe(root);
    }
  });

  test('is shared by the worktrees of a repository', async () => {
    const root = repository();
    const other = join(dirname(root), 'other');
    git(root, 'worktree', 'add', '-q', other);
    git(root, 'worktree', 'add', '-q', join(root, 'inner'));
    mkdirSync(join(other, 'src'));
    for (const path of [other, join(other, 'src'), join(root, 'inner')]) {
      expect(await projectOf(path)).toBe(root);
      expect(oracle(path)).toBe(root);
    }
  });

  test('is another one for a submodule, and for a repository inside another one', async () => {
    const [root, library] = [repository(), repository('library')];
    git(root, 'submodule', '--quiet', 'add', library, 'sub');
    mkdirSync(join(root, 'nested'));
    git(join(root, 'nested'), 'init', '-q');
    expect(await projectOf(join(root, 'sub'))).toBe(join(root, '.git/modules/sub'));
    expect(await projectOf(join(root, 'nested'))).toBe(join(root, 'nested'));
    for (const path of ['sub', 'nested']) expect(await projectOf(join(root, path))).toBe(oracle(join(root, path)));
  });

  test('is the bare repository of its worktrees', async () => {
    const root = repository();
    const bare = join(dirname(root), 'bare.git');
    git(root, 'clone', '-q', '--bare', root, bare);
    const tree = join(dirname(root), 'tree');
    git(bare, 'worktree', 'add', '-q', tree);
    for (const [path, identity] of [
      [bare, bare],
      [join(bare, 'refs'), bare],
      [tree, bare],
    ] as const) {
      expect(await projectOf(path)).toBe(identity);
      expect(oracle(path)).toBe(identity);
    }
  });

  test('is the real path elsewhere, and stays when the directory becomes a repository', async () => {
    const root = join(realpathSync(temporaryDirectory()), 'plain');
    mkdirSync(join(root, 'src'), { recursive: true });
    symlinkSync(root, `${root}-link`);
    expect(await projectOf(`${root}-link`)).toBe(root);
    expect(await projectOf(join(root, 'src'))).toBe(join(root, 'src'));
    git(root, 'init', '-q');
    expect(await projectOf(root)).toBe(root);
    expect(await projectOf(join(root, 'src'))).toBe(root);
  });

  test.each([
    ['an empty directory .git', (root: string) => mkdirSync(join(root, '.git'))],
    ['a file .git that names nothing', (root: string) => writeFileSync(join(root, '.git'), 'nonsense')],
    [
      'a worktree of a repository that is gone',
      (root: string) => writeFileSync(join(root, '.git'), 'gitdir: /gone/x\n'),
    ],
  ])('%s is not a repository', async (_, make) => {
    const root = join(realpathSync(temporaryDirectory()), 'plain');
    mkdirSync(root);
    make(root);
    expect(await projectOf(root)).toBe(root);
  });

  test('does not depend on git, its environment or its configuration', async () => {
    const root = repository();
    const before = { ...process.env };
    Object.assign(process.env, { PATH: '/nonexistent', GIT_DIR: '/gone', GIT_COMMON_DIR: '/gone' });
    try {
      expect(await projectOf(root)).toBe(root);
    } finally {
      process.env = before;
    }
  });

  test('is a name of a key, however long or odd the path is', async () => {
    const base = realpathSync(temporaryDirectory());
    const long = join(base, ...Array.from({ length: 4 }, (_, index) => `${index}`.repeat(200)));
    const odd = join(base, 'a\nb');
    for (const path of [long, odd]) {
      mkdirSync(path, { recursive: true });
      const identity = await projectOf(path);
      expect(identity).toMatch(/^[^\n]{1,200} sha256:[0-9a-f]{64}$/u);
      expect(await projectOf(path)).toBe(identity);
      expect(await projectOf(dirname(path))).not.toBe(identity);
    }
  });

  test('a directory that does not exist is rejected', async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'file'), '');
    for (const path of [join(root, 'none'), join(root, 'file')]) {
      expect(await failureOf(projectOf(path))).toMatchObject({ code: 'INVALID_INPUT' });
    }
    rmSync(join(root, 'file'));
  });
});
