/** A project that has no facts, and other projects with facts of its repository. All repositories are real ones. */
import { createMemory, projectOf, type Memory } from '@cairn/memory';
import { findTwins, twinNotice, unconfirmedLink } from '@cairn/memory/internal';
import { sqlite } from '@cairn/memory/sqlite';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

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
  const given = ['-c', 'protocol.file.allow=always', ...args];
  const { status, stdout, stderr } = spawnSync('git', given, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout.trimEnd();
}

/** Two repositories never have an equal first commit. */
let commits = 0;

function commit(root: string): void {
  commits += 1;
  git(root, 'commit', '-q', '--allow-empty', '-m', `commit ${commits}`);
}

function repository(parent: string, { name = 'repo', remote = '' } = {}): string {
  const root = join(parent, name);
  mkdirSync(root, { recursive: true });
  git(root, 'init', '-q');
  commit(root);
  if (remote !== '') git(root, 'remote', 'add', 'origin', remote);
  return root;
}

interface Place {
  readonly parent: string;
  readonly store: string;
  readonly open: (directory: string) => Promise<Memory>;
  /** Stores a fact for the project of a directory, as one process. */
  readonly remember: (directory: string, text?: string) => Promise<string>;
  readonly twinsOf: (directory: string) => Promise<string[]>;
}

function place(): Place {
  const parent = realpathSync(temporaryDirectory());
  const store = join(parent, 'store', 'memory.db');
  const open = async (directory: string): Promise<Memory> =>
    createMemory({ backend: sqlite({ path: store }), project: await projectOf(directory) });
  return {
    parent,
    store,
    open,
    remember: async (directory, text = 'Deploy on Fridays.') => {
      await using memory = await open(directory);
      await memory.facts.remember(text);
      return memory.project ?? '';
    },
    twinsOf: async (directory) => {
      await using memory = await open(directory);
      const twins = await findTwins(memory.backend, memory.project);
      return twins.map(({ project, match, isGone }) => `${basename(project)} ${match}${isGone ? ' gone' : ''}`);
    },
  };
}

const REMOTE = 'https://example.com/acme/app.git';

describe('the facts of a repository are found under another path', () => {
  test('after its directory was moved, by its history', async () => {
    const { parent, remember, twinsOf } = place();
    const root = repository(parent);
    await remember(root);
    expect(await twinsOf(root)).toEqual([]);
    renameSync(root, join(parent, 'moved'));
    expect(await twinsOf(join(parent, 'moved'))).toEqual(['repo history gone']);
    expect(await twinsOf(repository(parent, { name: 'other' }))).toEqual([]);
  });

  test.each([
    ['git@example.com:acme/app.git', 'remote'],
    ['ssh://git@example.com:2222/acme/app', 'remote'],
    ['https://ann:t0ken@example.com/acme/app.git/#c', 'remote'],
    ['HTTPS://EXAMPLE.com/acme/app', 'remote'],
    ['https://example.com/acme/app2', undefined],
    ['https://example.com/Acme/app', undefined],
    ['https://example.com:8443/acme/app', undefined],
    ['../acme/app', undefined],
    ['not a url: at all', undefined],
  ])('by the remote %s', async (remote, match) => {
    const { parent, remember, twinsOf } = place();
    await remember(repository(parent, { remote: REMOTE }));
    const other = repository(parent, { name: 'other', remote });
    expect(await twinsOf(other)).toEqual(match === undefined ? [] : [`repo ${match}`]);
  });

  test('of a fork, as what may be one', async () => {
    const { parent, remember, twinsOf, open } = place();
    const root = repository(parent, { remote: REMOTE });
    await remember(root);
    git(parent, 'clone', '-q', root, 'fork');
    git(join(parent, 'fork'), 'remote', 'set-url', 'origin', 'https://example.com/ann/app.git');
    expect(await twinsOf(join(parent, 'fork'))).toEqual(['repo fork']);
    await using memory = await open(join(parent, 'fork'));
    expect(await twinNotice(memory.backend, memory.project)).toContain('so it may be a fork');
  });

  test('both of two twins are named, the likelier one first, each with its command', async () => {
    const { parent, remember, open, store } = place();
    const root = repository(parent, { remote: REMOTE });
    const copy = join(parent, "Ann's copy");
    cpSync(root, copy, { recursive: true });
    git(copy, 'remote', 'remove', 'origin');
    for (const directory of [copy, root]) await remember(directory);
    const third = join(parent, 'third');
    cpSync(root, third, { recursive: true });
    await using memory = await open(third);
    expect(await twinNotice(memory.backend, third)).toBe(
      [
        `The project ${third} has no facts, but memory has facts of another directory that may belong to it.`,
        'If they belong here, move them:',
        `- ${root} (1 fact; the same remote; its directory still exists and would have no facts then)`,
        `  cairn memory project move ${root} ${third} --store ${store}`,
        `- ${copy} (1 fact; the same history of commits; its directory still exists and would have no facts then)`,
        `  cairn memory project move '${parent}/Ann'\\''s copy' ${third} --store ${store}`,
      ].join('\n'),
    );
  });

  test.each([
    [
      'a shallow clone',
      (root: string, to: string) => git(dirname(to), 'clone', '-q', '--depth=1', `file://${root}`, to),
    ],
    ['a bare clone', (root: string, to: string) => git(dirname(to), 'clone', '-q', '--bare', root, to)],
    ['a clone', (root: string, to: string) => git(dirname(to), 'clone', '-q', root, to)],
  ])('whose facts were stored in %s', async (_, clone) => {
    const { parent, remember, twinsOf } = place();
    const root = repository(parent);
    commit(root);
    const to = join(parent, 'clone');
    clone(root, to);
    git(to, 'remote', 'remove', 'origin');
    await remember(to);
    expect(await twinsOf(root)).toEqual(['clone history']);
  });

  test('of a history with several first commits', async () => {
    const { parent, remember, twinsOf } = place();
    const [root, library] = [repository(parent), repository(parent, { name: 'library' })];
    git(root, 'pull', '-q', '--allow-unrelated-histories', '--no-rebase', '--no-edit', library);
    await remember(root);
    expect(await twinsOf(library)).toEqual(['repo history']);
  });

  test.each([
    ['a directory without git', (root: string) => mkdirSync(root)],
    ['a repository without commits', (root: string) => (mkdirSync(root), git(root, 'init', '-q'))],
    [
      'a damaged repository',
      (root: string) => (repository(dirname(root)), rmSync(join(root, '.git/objects'), { recursive: true })),
    ],
  ])('not of %s, which has neither', async (_, make) => {
    const { parent, remember, twinsOf } = place();
    const root = join(parent, 'repo');
    make(root);
    await remember(root);
    renameSync(root, join(parent, 'moved'));
    expect(await twinsOf(join(parent, 'moved'))).toEqual([]);
    expect(await twinsOf(repository(parent, { name: 'other' }))).toEqual([]);
  });

  test.each([
    ['the same remote', 'https://example.com/git?repository=app', ['repo remote']],
    ['a remote of the same path and another query', 'https://example.com/git?repository=docs', []],
  ])('or not, by %s', async (_, remote, twins) => {
    const { parent, remember, twinsOf } = place();
    await remember(repository(parent, { remote: 'https://example.com/git?repository=app' }));
    expect(await twinsOf(repository(parent, { name: 'other', remote }))).toEqual(twins);
  });

  test('by what its directory is now, after that was reused for another project', async () => {
    const { parent, remember, twinsOf } = place();
    const root = repository(parent);
    await remember(root);
    const first = join(parent, 'first');
    renameSync(root, first);
    repository(parent);
    await remember(root, 'Deploy on Mondays.');
    const second = join(parent, 'second');
    renameSync(root, second);
    expect(await twinsOf(second)).toEqual(['repo history gone']);
    expect(await twinsOf(first)).toEqual([]);
  });

  test('not when it has facts, and not after the facts were moved or forgotten', async () => {
    const { parent, remember, twinsOf, open } = place();
    const root = repository(parent);
    await remember(root);
    const moved = join(parent, 'moved');
    renameSync(root, moved);
    const memory = await open(moved);
    expect((await memory.facts.moveProject(root, moved)).moved).toBe(1);
    await memory.close();
    expect(await twinsOf(moved)).toEqual([]);
    const again = join(parent, 'again');
    renameSync(moved, again);
    expect(await twinsOf(again)).toEqual(['moved history gone']);
    await using last = await open(again);
    await last.forget({ scope: 'project', project: moved });
    expect(await twinsOf(again)).toEqual([]);
    // Nothing is left of the project.
    expect(await last.backend.keys('ai:')).toEqual([]);
  });
});

test('the store has no URL, no user and no token of a remote', async () => {
  const { parent, remember, store } = place();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  await remember(repository(parent, { remote: `https://ann:${token}@example.com/acme/app.git` }));
  for (const file of [store, `${store}-wal`].filter((path) => existsSync(path))) {
    const bytes = readFileSync(file).toString('latin1');
    for (const secret of [token, 'example.com', 'acme/app']) expect(bytes).not.toContain(secret);
  }
});

describe('the start block', () => {
  test('of an empty project names its twin and the command, also next to facts of the user', async () => {
    const { parent, remember, open, store } = place();
    const root = repository(parent);
    await remember(root);
    const moved = join(parent, 'moved');
    renameSync(root, moved);
    const memory = await open(moved);
    const block = await memory.facts.startBlock();
    expect(block).toContain('ask the user, then move them');
    expect(block).toContain(`cairn memory project move ${root} ${moved} --store ${store}\n`.trimEnd());
    expect(await memory.facts.startBlock()).toBe(block);
    expect(await memory.facts.startBlock({ language: 'zh' })).toContain('请先询问用户');
    await memory.facts.remember('Answer in English.', { scope: 'user' });
    const both = await memory.facts.startBlock();
    expect(both).toContain('Answer in English.');
    expect(both).toContain('cairn memory project move');
    for (const maxCharacters of [200, 600, 900]) {
      expect((await memory.facts.startBlock({ maxCharacters })).length).toBeLessThanOrEqual(maxCharacters);
    }
    expect(await memory.facts.startBlock({ scope: 'user' })).not.toContain('project move');
    // Another process moves them.
    await using other = await open(moved);
    await other.facts.moveProject(root, moved);
    expect(await memory.facts.startBlock()).not.toContain('project move');
    expect(await memory.facts.startBlock()).toContain('Deploy on Fridays.');
    await memory.close();
  });
});

test('what is started stores the marks once, with two processes at a time', async () => {
  const { parent, store, twinsOf } = place();
  const root = repository(parent);
  const child = fileURLToPath(new URL('twin-child.ts', import.meta.url));
  const processes = ['one', 'two', 'three'].map((text) =>
    spawn(process.execPath, [child, store, root, `The build needs ${text}.`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  onTestFinished(() => processes.forEach((one) => one.kill('SIGKILL')));
  expect(await Promise.all(processes.map((one) => once(one, 'exit')))).toEqual([
    [0, null],
    [0, null],
    [0, null],
  ]);
  renameSync(root, join(parent, 'moved'));
  expect(await twinsOf(join(parent, 'moved'))).toEqual(['repo history gone']);
});

test('the search for twins runs no program of the repository and fetches nothing', async () => {
  const { parent, remember, twinsOf } = place();
  const root = repository(parent);
  await remember(root);
  // A partial clone, whose git asks its remote for a commit that it does not have.
  const clone = repository(parent, { name: 'clone' });
  const proof = join(parent, 'proof');
  const command = `touch ${proof}`;
  for (const [name, value] of [
    ['core.repositoryformatversion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialclonefilter', 'blob:none'],
    ['remote.origin.url', `ext::${command}`],
    ['protocol.ext.allow', 'always'],
    ['core.fsmonitor', command],
    ['core.sshCommand', command],
    ['core.alternateRefsCommand', command],
  ] as const) {
    git(clone, 'config', name, value);
  }
  mkdirSync(join(clone, '.git/hooks'), { recursive: true });
  for (const hook of ['post-checkout', 'reference-transaction', 'pre-auto-gc']) {
    writeFileSync(join(clone, '.git/hooks', hook), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  }
  expect(await twinsOf(clone)).toEqual([]);
  await remember(clone);
  expect(existsSync(proof)).toBe(false);
  // git itself would have run it.
  const first = git(root, 'rev-parse', 'HEAD');
  spawnSync('git', ['cat-file', '--batch-check'], { cwd: clone, env, input: `${first}\n`, stdio: 'pipe' });
  expect(existsSync(proof)).toBe(true);
});

describe('a directory gets the memory of a repository only if the repository names the directory', () => {
  const forgeries: readonly (readonly [why: string, forge: (victim: string, evil: string) => void])[] = [
    [
      'a .git file with its git directory',
      (victim, evil) => writeFileSync(join(evil, '.git'), `gitdir: ${victim}/.git\n`),
    ],
    [
      'a .git file with the git directory of its worktree',
      (victim, evil) => {
        git(victim, 'worktree', 'add', '-q', join(dirname(victim), 'tree'));
        writeFileSync(join(evil, '.git'), `gitdir: ${victim}/.git/worktrees/tree\n`);
      },
    ],
    ['a symbolic link to its git directory', (victim, evil) => symlinkSync(join(victim, '.git'), join(evil, '.git'))],
    [
      'a git directory whose commondir names it, and which names the directory',
      (victim, evil) => {
        mkdirSync(join(evil, 'fake'));
        writeFileSync(join(evil, '.git'), 'gitdir: fake\n');
        writeFileSync(join(evil, 'fake/HEAD'), 'ref: refs/heads/master\n');
        writeFileSync(join(evil, 'fake/commondir'), `${victim}/.git\n`);
        writeFileSync(join(evil, 'fake/gitdir'), `${evil}/.git\n`);
      },
    ],
    [
      'a directory .git whose commondir names it',
      (victim, evil) => {
        mkdirSync(join(evil, '.git'));
        writeFileSync(join(evil, '.git/HEAD'), 'ref: refs/heads/master\n');
        writeFileSync(join(evil, '.git/commondir'), `${victim}/.git\n`);
      },
    ],
    [
      'a commondir in a directory that looks like a bare repository',
      (victim, evil) => {
        writeFileSync(join(evil, 'HEAD'), 'ref: refs/heads/master\n');
        writeFileSync(join(evil, 'commondir'), `${victim}/.git\n`);
      },
    ],
  ];

  test.each(forgeries)('%s', async (_, forge) => {
    const { parent, remember, open } = place();
    const victim = repository(parent, { name: 'victim' });
    await remember(victim, 'The vault is under the stairs.');
    const evil = join(parent, 'evil');
    mkdirSync(join(evil, 'src'), { recursive: true });
    forge(victim, evil);
    expect(await projectOf(evil)).toBe(evil);
    expect(await projectOf(join(evil, 'src'))).not.toBe(victim);
    await using memory = await open(evil);
    expect((await memory.facts.recall({ query: 'vault' })).facts).toEqual([]);
    expect(await memory.facts.startBlock()).not.toMatch(/vault|project move/u);
  });

  test('a worktree that was moved is not one until git repairs it, and that is reported', async () => {
    const { parent, remember, open } = place();
    const root = repository(parent);
    git(root, 'worktree', 'add', '-q', join(parent, 'tree'));
    const moved = join(parent, 'moved');
    renameSync(join(parent, 'tree'), moved);
    expect(await projectOf(moved)).toBe(moved);
    expect(await unconfirmedLink(moved)).toBe(join(root, '.git/worktrees/tree'));
    await remember(root);
    await using memory = await open(moved);
    expect(await memory.facts.startBlock()).toContain('names a repository that does not name this directory');
    git(root, 'worktree', 'repair', moved);
    expect(await projectOf(moved)).toBe(root);
    expect(await unconfirmedLink(moved)).toBeUndefined();
  });

  test('a submodule, its worktree, and a worktree with relative paths are what they name', async () => {
    const { parent } = place();
    const [root, library] = [repository(parent), repository(parent, { name: 'library' })];
    git(root, 'submodule', '--quiet', 'add', library, 'sub');
    const modules = join(root, '.git/modules/sub');
    expect(await projectOf(join(root, 'sub'))).toBe(modules);
    git(join(root, 'sub'), 'worktree', 'add', '-q', join(parent, 'sub-tree'));
    expect(await projectOf(join(parent, 'sub-tree'))).toBe(modules);
    git(root, 'worktree', 'add', '-q', join(parent, 'tree'));
    writeFileSync(join(root, '.git/worktrees/tree/gitdir'), '../../../../tree/.git\n');
    writeFileSync(join(parent, 'tree/.git'), 'gitdir: ../repo/.git/worktrees/tree\n');
    expect(await projectOf(join(parent, 'tree'))).toBe(root);
    // The whole of it is moved: the submodule has relative paths.
    renameSync(root, join(parent, 'moved'));
    expect(await projectOf(join(parent, 'moved/sub'))).toBe(join(parent, 'moved/.git/modules/sub'));
  });

  test('a separate git directory counts if it names the directory', async () => {
    const { parent } = place();
    const [separate, elsewhere] = [join(parent, 'separate'), join(parent, 'elsewhere')];
    git(parent, 'init', '-q', '--separate-git-dir', elsewhere, separate);
    expect(await projectOf(separate)).toBe(separate);
    git(separate, 'config', 'core.worktree', separate);
    expect(await projectOf(separate)).toBe(elsewhere);
  });
});
