import { detectPhase, formatPhase } from '@cairn/knowledge';
import type { Phase } from '@cairn/knowledge/internal';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

/** A work tree with one commit on `main`. */
interface WorkTree {
  readonly root: string;
  readonly git: (...args: readonly string[]) => string;
  readonly tryGit: (...args: readonly string[]) => void;
  readonly put: (path: string, text: string) => void;
  readonly commit: (path: string, text: string) => void;
}

function workTreeAt(root: string): WorkTree {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const put = (path: string, text: string): void => writeFileSync(join(root, path), text);
  return {
    root,
    git,
    tryGit: (...args) => {
      try {
        git(...args);
      } catch {
        // A conflict ends git with a failure.
      }
    },
    put,
    commit: (path, text) => {
      put(path, text);
      git('add', '.');
      git('commit', '-qm', path);
    },
  };
}

function workTree(): WorkTree {
  const tree = workTreeAt(temporaryDirectory());
  tree.git('init', '-q', '-b', 'main');
  tree.commit('a', '1\n');
  return tree;
}

/** Makes two branches that change the same line: the second one is checked out. */
function diverge({ git, commit }: WorkTree): void {
  git('checkout', '-qb', 'topic');
  commit('a', 'topic\n');
  git('checkout', '-q', 'main');
  commit('a', 'main\n');
}

/** A clone whose `origin/HEAD` is `main`. */
function cloneOf(tree: WorkTree): WorkTree {
  const root = temporaryDirectory();
  tree.git('clone', '-q', tree.root, root);
  return workTreeAt(root);
}

const states: readonly (readonly [
  state: string,
  make: (tree: WorkTree) => WorkTree | undefined | void,
  phase: Phase,
  evidence: readonly string[],
])[] = [
  ['a clean branch', () => undefined, 'planning', ['no changes, and no commits of its own']],
  [
    'a new branch without commits of its own',
    ({ git }) => void git('checkout', '-qb', 'topic'),
    'planning',
    ['no changes, and no commits of its own'],
  ],
  ['a changed file', ({ put }) => put('a', '2\n'), 'implementing', ['1 changed file']],
  ['a deleted file', ({ root }) => rmSync(join(root, 'a')), 'implementing', ['1 changed file']],
  [
    'staged, changed and untracked files',
    ({ git, put }) => {
      put('b', '');
      put('c', '');
      git('add', 'b');
      put('a', '2\n');
    },
    'implementing',
    ['1 changed file', '1 untracked path', '1 staged file'],
  ],
  [
    'staged changes, a file with a new name among them',
    ({ root, git, put }) => {
      git('mv', 'a', '? a');
      git('commit', '-qm', 'a name like a line of the status');
      renameSync(join(root, '? a'), join(root, 'b'));
      put('c', '');
      git('add', '-A');
    },
    'committing',
    ['2 staged files'],
  ],
  [
    'an ignored file',
    ({ commit, put }) => {
      commit('.gitignore', 'x\n');
      put('x', '');
    },
    'planning',
    ['no changes, and no commits of its own'],
  ],
  [
    'commits on a branch',
    ({ git, commit }) => {
      git('checkout', '-qb', 'topic');
      commit('b', '1');
      commit('c', '1');
    },
    'reviewing',
    ['2 commits that main does not have'],
  ],
  [
    'commits on main that are not pushed',
    (tree) => {
      const clone = cloneOf(tree);
      clone.commit('b', '1');
      return clone;
    },
    'reviewing',
    ['1 commit that the upstream does not have'],
  ],
  [
    'a pushed branch that is not merged',
    (tree) => {
      const clone = cloneOf(tree);
      clone.git('checkout', '-qb', 'topic');
      clone.commit('b', '1');
      clone.git('push', '-qu', 'origin', 'topic');
      return clone;
    },
    'reviewing',
    ['1 commit that origin/main does not have'],
  ],
  ['a fresh clone', cloneOf, 'planning', ['no changes, and no commits of its own']],
  ['a tag at the commit', ({ git }) => void git('tag', 'v1'), 'releasing', ['the tag v1 at this commit']],
  ['no branch', ({ git }) => void git('checkout', '-q', '--detach'), 'inspecting', ['no branch is checked out']],
  [
    'a merge with a conflict',
    (tree) => {
      diverge(tree);
      tree.tryGit('merge', 'topic');
    },
    'resolving',
    ['a merge in progress', '1 path with conflicts'],
  ],
  [
    'a merge that is resolved and not committed',
    (tree) => {
      diverge(tree);
      tree.tryGit('merge', 'topic');
      tree.put('a', 'both\n');
      tree.git('add', 'a');
    },
    'resolving',
    ['a merge in progress'],
  ],
  [
    'a rebase',
    (tree) => {
      diverge(tree);
      tree.tryGit('rebase', 'topic');
    },
    'resolving',
    ['a rebase in progress', '1 path with conflicts'],
  ],
  [
    'a cherry-pick in a linked work tree',
    (tree) => {
      diverge(tree);
      const linked = join(temporaryDirectory(), 'linked');
      tree.git('worktree', 'add', '-q', '-b', 'linked', linked);
      const other = workTreeAt(linked);
      other.tryGit('cherry-pick', 'topic');
      return other;
    },
    'resolving',
    ['a cherry-pick in progress', '1 path with conflicts'],
  ],
  [
    'a revert',
    (tree) => {
      tree.commit('a', '2\n');
      tree.commit('a', '3\n');
      tree.tryGit('revert', '--no-edit', 'HEAD~1');
    },
    'resolving',
    ['a revert in progress', '1 path with conflicts'],
  ],
  [
    'conflicts of a stash',
    (tree) => {
      tree.put('a', 'stashed\n');
      tree.git('stash', '-q');
      tree.commit('a', '2\n');
      tree.tryGit('stash', 'pop');
    },
    'resolving',
    ['1 path with conflicts'],
  ],
  [
    'a bisection',
    ({ git, commit }) => {
      commit('b', '1');
      commit('c', '1');
      git('bisect', 'start', '-q', 'HEAD', 'HEAD~2');
    },
    'debugging',
    ['a bisection in progress'],
  ],
];

test.each(states)('%s', async (_, make, phase, evidence) => {
  const tree = workTree();
  const { root } = make(tree) ?? tree;
  const detected = await detectPhase(root);
  expect(detected.phase).toBe(phase);
  const [, line] = formatPhase(detected).split('\n');
  expect(line).toBe(`Evidence: ${evidence.join(', ')}`);
});

test('a phase is shown in two languages', () => {
  const detected = {
    phase: 'reviewing',
    branch: 'topic',
    evidence: [
      { kind: 'unmerged', commits: 2, base: 'origin/main' },
      { kind: 'unpushed', commits: 1 },
    ],
  } as const;
  expect(formatPhase(detected)).toMatchInlineSnapshot(`
    "Phase: reviewing (branch topic)
    Evidence: 2 commits that origin/main does not have, 1 commit that the upstream does not have
    Check them against the best-practice assets, and sink what was learned."
  `);
  expect(formatPhase(detected, 'zh')).toMatchInlineSnapshot(`
    "阶段：reviewing（分支 topic）
    依据：2 个提交不在 origin/main 中，1 个提交尚未推送
    对照 best-practice 资产检查；沉淀学到的经验。"
  `);
  expect(formatPhase({ phase: 'unknown', evidence: [] })).toMatchInlineSnapshot(`
    "Phase: unknown
    Evidence: this is not a git work tree
    Ask the user which phase the work is in."
  `);
  expect(formatPhase({ phase: 'unknown', evidence: [] }, 'zh')).toMatchInlineSnapshot(`
    "阶段：unknown
    依据：这里不是 git 工作区
    询问用户工作处于哪个阶段。"
  `);
});

test.each([
  [{ kind: 'operation', operation: 'cherry-pick' }, '拣选进行中'],
  [{ kind: 'conflicts', paths: 1 }, '1 个路径有冲突'],
  [{ kind: 'changed', paths: 2 }, '2 个文件有改动'],
  [{ kind: 'untracked', paths: 2 }, '2 个路径未跟踪'],
  [{ kind: 'staged', paths: 2 }, '2 个文件已暂存'],
  [{ kind: 'tag', tag: 'v1' }, '当前提交有标签 v1'],
  [{ kind: 'detached' }, '没有检出分支'],
  [{ kind: 'no-commits' }, '还没有提交'],
  [{ kind: 'unchanged' }, '没有改动，也没有自己的提交'],
] as const)('%j is shown in Chinese', (fact, text) => {
  expect(formatPhase({ phase: 'planning', branch: 'main', evidence: [fact] }, 'zh').split('\n')[1]).toBe(
    `依据：${text}`,
  );
});

test('control characters in names are shown as escapes', () => {
  const text = formatPhase({ phase: 'planning', branch: 'a\nb\u001b[2J', evidence: [{ kind: 'unchanged' }] });
  expect(text.split('\n').length).toBe(3);
  expect(text).not.toContain('\u001b');
});

test('a repository without commits is in planning, on its branch', async () => {
  const { root, git } = workTreeAt(temporaryDirectory());
  git('init', '-q', '-b', 'trunk');
  expect(await detectPhase(root)).toEqual({ phase: 'planning', branch: 'trunk', evidence: [{ kind: 'no-commits' }] });
});

test('a directory below the root has the phase of the work tree', async () => {
  const { root, put } = workTree();
  mkdirSync(join(root, 'sub'));
  put('b', '');
  expect(await detectPhase(join(root, 'sub'))).toMatchObject({ phase: 'implementing', branch: 'main' });
});

describe('outside of a work tree the phase is unknown', () => {
  test('a plain directory', async () => {
    expect(await detectPhase(temporaryDirectory())).toEqual({ phase: 'unknown', evidence: [] });
  });
  test('a bare repository', async () => {
    const { root, git } = workTreeAt(temporaryDirectory());
    git('init', '-q', '--bare');
    expect(await detectPhase(root)).toEqual({ phase: 'unknown', evidence: [] });
  });
});

test('variables of git that name another repository do not count', async () => {
  const [here, other] = [workTree(), workTree()];
  other.put('a', '2\n');
  const env = { ...process.env, GIT_DIR: join(other.root, '.git'), GIT_WORK_TREE: other.root };
  expect(await detectPhase(here.root, { env })).toMatchObject({ phase: 'planning' });
});

test('the program that a repository names as its file system monitor is not run', async () => {
  const { root, git, put } = workTree();
  const monitor = join(temporaryDirectory(), 'monitor');
  writeFileSync(monitor, `#!/bin/sh\ntouch '${monitor}.ran'\n`);
  chmodSync(monitor, 0o755);
  git('config', 'core.fsmonitor', monitor);
  put('a', '2\n');
  expect(await detectPhase(root)).toMatchObject({ phase: 'implementing' });
  expect(existsSync(`${monitor}.ran`)).toBe(false);
});

test('git changes nothing: the index stays as it is', async () => {
  const { root, put, git } = workTree();
  put('a', '1\n');
  const locked = join(root, '.git', 'index.lock');
  writeFileSync(locked, '');
  expect(await detectPhase(root)).toMatchObject({ phase: 'planning' });
  rmSync(locked);
  expect(git('status', '--porcelain')).toBe('');
});

test.each([
  ['git is missing', async (root: string) => detectPhase(root, { env: { PATH: '/nonexistent' } })],
  ['the directory is missing', async (root: string) => detectPhase(join(root, 'missing'))],
  [
    'the index is damaged',
    async (root: string) => {
      writeFileSync(join(root, '.git', 'index'), 'damaged');
      return detectPhase(root);
    },
  ],
])('%s: the failure is reported', async (_, run) => {
  await expect(run(workTree().root)).rejects.toMatchObject({ name: 'KnowledgeError', code: 'GIT_FAILED' });
});

test('an aborted signal ends the call with its reason', async () => {
  const signal = AbortSignal.abort(new Error('stop'));
  await expect(detectPhase(workTree().root, { signal })).rejects.toThrow('stop');
});
