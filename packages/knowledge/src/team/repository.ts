/** The clone of the team store, and what it asks of the remote. */
import { quoted } from '@cairn/tool/kernel';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { KnowledgeError } from '../errors.ts';
import { checkConfiguration, Git, reasonOf } from './git.ts';
import type { GitOptions } from './git.ts';
import { remoteFailure, withoutCredentials } from './remote-failure.ts';

/** How git runs, in whatever directory. */
export type CloneOptions = Omit<GitOptions, 'directory'>;

/** @throws {KnowledgeError} `INVALID_INPUT`. */
export function checkRemote(remote: string, cwd: string): string {
  const hint = 'Use a URL with https, ssh, git or file, host:path, or a path.';
  const refuse = (problem: string): never => {
    throw new KnowledgeError('INVALID_INPUT', [
      `Invalid remote ${quoted(withoutCredentials(remote))}: ${problem}`,
      hint,
    ]);
  };
  if (remote.trim() === '') return refuse('it is empty');
  if (remote.startsWith('-')) return refuse('it starts with "-"');
  if (/\p{Cc}/u.test(remote)) return refuse('it has control characters');
  if (/^(?:https?|ssh|git|file):\/\/[^-]/u.test(remote)) return remote;
  if (/^[a-z0-9+.-]+::?\/\/|^[a-z0-9+.-]+::/iu.test(remote)) return refuse('its protocol is not allowed');
  // `host:path` of SSH; `C:\path` is a path.
  if (/^[^/\\:]{2,}:/u.test(remote)) return remote;
  return isAbsolute(remote) ? remote : resolve(cwd, remote);
}

/** @throws {KnowledgeError} `INVALID_INPUT`. */
export function checkBranch(branch: string): string {
  const isValid =
    /^[\p{L}\p{N}._/+@-]+$/u.test(branch) &&
    !/^(?:HEAD$|refs\/)|^[-/.]|\/[./]|\.\.|@\{|[/.]$|\.lock(?:$|\/)/u.test(branch) &&
    branch !== '@' &&
    Buffer.byteLength(branch) <= 200;
  if (isValid) return branch;
  throw new KnowledgeError('INVALID_INPUT', [`Invalid branch ${quoted(branch)}`, 'Use a name such as main.']);
}

/** Returns whether a directory has a clone. Git takes a directory for a bare repository only when it has `HEAD`. */
export async function hasClone(directory: string): Promise<boolean> {
  const objects = await stat(join(directory, 'objects')).catch(() => undefined);
  const head = await lstat(join(directory, 'HEAD')).catch(() => undefined);
  return objects?.isDirectory() === true && head !== undefined;
}

/** Makes a bare clone. May be repeated after it was interrupted. @throws {KnowledgeError} `INVALID_INPUT`, `GIT_FAILED`. */
export async function createClone(
  directory: string,
  {
    remote,
    branch,
    isOwn,
    ...options
  }: CloneOptions & {
    readonly remote: string;
    readonly branch: string;
    /** Whether the directory is the clone's own, so that files may be in it. */
    readonly isOwn: boolean;
  },
): Promise<Git> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!isOwn && !(await hasClone(directory)) && (await readdir(directory)).length > 0) {
    const hasWorkTree = existsSync(join(directory, '.git'));
    const problem = hasWorkTree ? 'is a clone with a work tree' : 'is not empty and not a clone';
    const summary = `The directory ${quoted(directory)} ${problem}`;
    const hint = 'Name a new directory, or a bare clone.';
    throw new KnowledgeError('INVALID_INPUT', [summary, hint], { path: directory });
  }
  const git = new Git({ directory, ...options });
  // A template of the user could have hooks.
  await git.run(['init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`]);
  await setRemote(git, remote);
  return git;
}

export async function setRemote(git: Git, remote: string): Promise<void> {
  await git.run(['config', 'remote.origin.url', remote]);
  // What a person set in a clone of his own stays.
  const { status } = await git.run(['config', '--get-all', 'remote.origin.fetch'], { accepts: [0, 1] });
  if (status !== 0) await git.run(['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*']);
}

export async function originOf(git: Git): Promise<string | undefined> {
  return (await git.read(['config', '--get', 'remote.origin.url'], [0, 1])) || undefined;
}

/** Opens the clone in a directory. @throws {KnowledgeError} `GIT_FAILED`. */
export async function openClone(directory: string, options: CloneOptions): Promise<Git> {
  const git = new Git({ directory, ...options });
  await checkConfiguration(git);
  return git;
}

/** The heads of the remote's branches. */
export interface RemoteHeads {
  /** The branch that the remote names as its own. */
  readonly defaultBranch: string | undefined;
  readonly commits: ReadonlyMap<string, string>;
}

/** The branches on which members offer changes when the team's branch is protected. */
const REVIEW_PREFIX = 'knowledge/';

/** Asks the remote for its branches. @throws {KnowledgeError} `REMOTE_FAILED`. */
export async function readRemote(git: Git, branch?: string): Promise<RemoteHeads> {
  const patterns = branch === undefined ? ['HEAD'] : [`refs/heads/${branch}`, `refs/heads/${REVIEW_PREFIX}*`];
  const args = ['ls-remote', '--quiet', '--symref', 'origin', ...patterns];
  const { stdout } = await git.run(args, { isRemote: true });
  const commits = new Map<string, string>();
  let defaultBranch: string | undefined;
  for (const line of stdout.toString().split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (value.startsWith('ref: refs/heads/')) defaultBranch = value.slice('ref: refs/heads/'.length);
    else if (name.startsWith('refs/heads/')) commits.set(name.slice('refs/heads/'.length), value);
  }
  return { defaultBranch, commits };
}

/** The reference of a branch of the remote in the clone. */
export const trackingRef = (branch: string): string => `refs/remotes/origin/${branch}`;

/** Returns the commit that a name stands for. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`];
  return (await git.read(args, [0, 1, 128])) || undefined;
}

/** Records what a push made of the team's branch, as a fetch does. */
export async function recordFetched(git: Git, branch: string, commit: string): Promise<void> {
  await git.run(['update-ref', trackingRef(branch), commit]);
}

/** Returns the commit of the team's branch as it was fetched last. */
export function fetchedCommit(git: Git, branch: string): Promise<string | undefined> {
  return commitOf(git, trackingRef(branch));
}

/** Fetches a branch when the remote has another commit than the clone. @throws {KnowledgeError} `REMOTE_FAILED`. */
export async function fetchBranch(git: Git, branch: string, commit: string): Promise<string> {
  if ((await fetchedCommit(git, branch)) === commit) return commit;
  const refspec = `+refs/heads/${branch}:${trackingRef(branch)}`;
  await git.run(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', 'origin', refspec], { isRemote: true });
  return (await fetchedCommit(git, branch)) ?? commit;
}

/** Returns whether `ancestor` is `commit` or in its history. */
export async function isAncestor(git: Git, ancestor: string, commit: string): Promise<boolean> {
  if (ancestor === commit) return true;
  const { status } = await git.run(['merge-base', '--is-ancestor', ancestor, commit], { accepts: [0, 1, 128] });
  return status === 0;
}

/** `moved`: the branch has other commits now. Otherwise the remote's reason. */
export type PushResult = 'pushed' | 'moved' | { readonly refused: string };

/** A rejection that a concurrent push causes. */
const RACE = /cannot lock ref|failed to update ref|incorrect old value|reference already exists|is at .* but expected/u;

/**
 * Pushes a commit to a branch, only as a continuation of it, or in place of `replaces`, the commit that it must have.
 *
 * @throws {KnowledgeError} `REMOTE_FAILED`.
 */
export async function push(
  git: Git,
  {
    commit,
    branch,
    replaces,
  }: {
    readonly commit: string;
    readonly branch: string;
    /** An empty text: the branch must not exist. */
    readonly replaces?: string | undefined;
  },
): Promise<PushResult> {
  const lease = replaces === undefined ? [] : [`--force-with-lease=refs/heads/${branch}:${replaces}`];
  const args = ['push', '--porcelain', '--no-verify', '--recurse-submodules=no', ...lease, 'origin'];
  const output = await git.run([...args, `${commit}:refs/heads/${branch}`], { accepts: [0, 1], isRemote: true });
  if (output.status === 0) return 'pushed';
  const refusal = output.stdout
    .toString()
    .split('\n')
    .find((line) => line.startsWith('!'));
  if (refusal === undefined) throw remoteFailure(output.stderr, reasonOf(output));
  const summary = refusal.split('\t')[2] ?? '';
  // A branch `knowledge` leaves no place for `knowledge/ann`, however often the push is repeated.
  const hasPlace = !/' exists; cannot create '/u.test(output.stderr);
  if (hasPlace && (!summary.startsWith('[remote rejected]') || RACE.test(summary))) return 'moved';
  return { refused: `${summary.replace(/^\[remote rejected\]\s*/u, '')} ${reasonOf(output)}` };
}

/** The name of a person as git records it. */
export interface Author {
  readonly name: string;
  readonly email: string;
}

/** Returns the author of commits: as git is configured, otherwise the user of the system. */
export async function authorOf(git: Git): Promise<Author> {
  const configured = async (key: string): Promise<string> =>
    (await git.read(['config', '--get', key], [0, 1])).replaceAll(/[<>\p{Cc}]/gu, '').trim();
  const account = accountName();
  const name = (await configured('user.name')) || account;
  return { name, email: (await configured('user.email')) || `${account}@${hostname()}` };
}

function accountName(): string {
  try {
    return userInfo().username || 'cairn';
  } catch {
    // A container may run with a user that the system does not know.
    return 'cairn';
  }
}

/** Returns the branch of a user for review: `knowledge/<user>`. */
export function reviewBranch({ name, email }: Author): string {
  const user = [email.split('@')[0] ?? '', name, accountName()]
    .map((text) =>
      text
        .normalize('NFC')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
        .replaceAll(/^-+|-+$/gu, '')
        .slice(0, 60),
    )
    .find((text) => text !== '');
  return `${REVIEW_PREFIX}${user ?? 'user'}`;
}
