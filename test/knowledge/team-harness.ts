import { KnowledgeError } from '@cairn/knowledge';
import { createTeam, openLocalStore } from '@cairn/knowledge/internal';
import type { KnowledgeErrorCode, LocalStore, Team } from '@cairn/knowledge';
import type { TeamOptions } from '@cairn/knowledge/internal';
import { memory } from '@cairn/memory/memory';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { expect } from 'vitest';

/** Runs git and returns its output. */
export function git(directory: string, ...args: readonly string[]): string {
  return gitWith(directory, {}, ...args);
}

export function gitWith(directory: string, options: { readonly input?: string }, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Hand', '-c', 'user.email=hand@example.com', '-c', 'core.quotePath=false'];
  return execFileSync('git', [...identity, '-C', directory, ...args], {
    ...options,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Returns the Markdown file of an asset. */
export function fileOf(id: string, body: string, title = 'A title'): string {
  const end = id.lastIndexOf('/');
  const fields = [
    `name: ${id.slice(end + 1)}`,
    'type: pitfall',
    `product_line: ${id.slice(0, end)}`,
    `title: ${title}`,
  ];
  return `---\n${fields.join('\n')}\n---\n\n${body}\n`;
}

/** A member of a team, with a store and a bare clone. */
export interface Member {
  readonly name: string;
  readonly directory: string;
  readonly clone: string;
  readonly store: LocalStore;
  readonly team: Team;
  readonly add: (id: string, body: string) => Promise<void>;
  readonly change: (id: string, body: string) => Promise<void>;
  /** The texts of all assets by their ids. */
  readonly texts: () => Promise<Record<string, string>>;
}

/** A team: a bare repository and its members. */
export interface World {
  readonly root: string;
  readonly remote: string;
  readonly member: (name: string, options?: Partial<TeamOptions>) => Member;
  /** The files of the team's branch. */
  readonly files: (branch?: string) => Record<string, string>;
  /** Commits files to the team's branch, as another program does. */
  readonly commit: (files: Readonly<Record<string, string | Uint8Array | null>>) => string;
  /** Installs a hook of the bare repository. */
  readonly hook: (name: string, script: string) => void;
  readonly dispose: () => void;
}

/** The environment of a member: another user, with the tests' `PATH`. */
export function memberEnv(name: string): NodeJS.ProcessEnv {
  const identity = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: name };
  return {
    ...process.env,
    ...identity,
    GIT_CONFIG_KEY_1: 'user.email',
    GIT_CONFIG_VALUE_1: `${name}@example.com`,
  };
}

export function createWorld(): World {
  const root = mkdtempSync(join(tmpdir(), 'team-'));
  const remote = join(root, 'team.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  const member: World['member'] = (name, options = {}) => {
    const directory = join(root, name);
    const store = options.store ?? openLocalStore({ backend: memory() });
    const team = createTeam({ store, directory, env: memberEnv(name), ...options });
    const clone = join(directory, 'team.git');
    return {
      name,
      directory,
      clone,
      store,
      team,
      add: async (id, body) => void (await store.add({ text: fileOf(id, body) })),
      change: async (id, body) => void (await store.change(id, { body: `${body}\n` })),
      texts: async () => {
        const { changed } = await store.changes();
        const texts = changed.map(({ asset }) => [asset.id, asset.text] as const);
        return Object.fromEntries(texts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
      },
    };
  };
  const files: World['files'] = (branch = 'main') => {
    if (git(remote, 'branch', '--list', branch) === '') return {};
    const names = git(remote, 'ls-tree', '-r', '-z', '--name-only', branch).split('\0').filter(Boolean);
    return Object.fromEntries(names.map((name) => [name, git(remote, 'show', `${branch}:${name}`)]));
  };
  const commit: World['commit'] = (changes) => {
    const hand = join(root, 'hand');
    if (!existsSync(hand)) execFileSync('git', ['clone', '--quiet', remote, hand], { stdio: 'ignore' });
    git(hand, 'fetch', '--quiet', 'origin');
    if (git(hand, 'branch', '--remotes').includes('origin/main'))
      git(hand, 'reset', '--quiet', '--hard', 'origin/main');
    for (const [path, content] of Object.entries(changes)) {
      const full = join(hand, path);
      mkdirSync(dirname(full), { recursive: true });
      if (content === null) rmSync(full);
      else writeFileSync(full, content);
    }
    git(hand, 'add', '--all', '--force');
    git(hand, 'commit', '--quiet', '--allow-empty', '--message=by hand');
    git(hand, 'push', '--quiet', 'origin', 'HEAD:refs/heads/main');
    return git(hand, 'rev-parse', 'HEAD').trim();
  };
  const hook: World['hook'] = (name, script) => {
    const path = join(remote, 'hooks', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  };
  const dispose = (): void => rmSync(root, { recursive: true, force: true });
  return { root, remote, member, files, commit, hook, dispose };
}

/** Expects that a call fails with a code, and returns the error. */
export async function failure(call: Promise<unknown>, code: KnowledgeErrorCode): Promise<KnowledgeError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toSatisfy((one: unknown) => KnowledgeError.isInstance(one));
  expect(error).toMatchObject({ code });
  return error as KnowledgeError;
}
