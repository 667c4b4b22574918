/** How the clone of the team store is made, adopted and opened. */
import { escapeControls } from '@cairn/tool/paths';
import type { CallOptions } from '@cairn/memory';
import { quoted } from '@cairn/tool/kernel';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import { KnowledgeError } from '../errors.ts';
import { Clone, type CloneOptions } from './clone.ts';
import { withoutCredentials } from './remote-failure.ts';
import { readState, writeState, type CloneState } from './state.ts';

export interface InitTeamOptions extends CallOptions {
  /** The address of the repository. @default the remote of the clone in the directory */
  readonly remote?: string | undefined;
  /** @default the branch that the remote names, otherwise `main` */
  readonly branch?: string | undefined;
  /** The directory of the bare clone. @default `team.git` in the knowledge directory */
  readonly clone?: string | undefined;
  /** The directory of relative paths. @default process.cwd() */
  readonly cwd?: string | undefined;
}

function invalid(summary: string, hint: string, path?: string): KnowledgeError {
  return new KnowledgeError('INVALID_INPUT', [summary, hint], { path });
}

/** @throws {KnowledgeError} `INVALID_INPUT`. */
function checkRemote(remote: string, cwd: string): string {
  const refuse = (problem: string): never => {
    const summary = `Invalid remote ${quoted(withoutCredentials(remote))}: ${problem}`;
    throw invalid(summary, 'Use a URL with https, ssh, git or file, host:path, or a path.');
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
function checkBranch(branch: string): string {
  const isValid =
    /^[\p{L}\p{N}._/+@-]+$/u.test(branch) &&
    !/^(?:HEAD$|refs\/)|^[-/.]|\/[./]|\.\.|@\{|[/.]$|\.lock(?:$|\/)/u.test(branch) &&
    branch !== '@' &&
    Buffer.byteLength(branch) <= 200;
  if (isValid) return branch;
  throw invalid(`Invalid branch ${quoted(branch)}`, 'Use a name such as main.');
}

/** Returns whether a directory has a clone. Git takes a directory for a bare repository only when it has `HEAD`. */
async function hasClone(directory: string): Promise<boolean> {
  const objects = await stat(join(directory, 'objects')).catch(() => undefined);
  const head = await lstat(join(directory, 'HEAD')).catch(() => undefined);
  return objects?.isDirectory() === true && head !== undefined;
}

/** Makes a bare clone. May be repeated after it was interrupted. Files may be in a directory that is the clone's own. */
async function createClone(
  clone: Clone,
  { remote, branch }: Pick<CloneState, 'remote' | 'branch'>,
  isOwn: boolean,
): Promise<void> {
  const { directory } = clone;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!isOwn && (await readdir(directory)).length > 0) {
    const hasWorkTree = existsSync(join(directory, '.git'));
    const problem = hasWorkTree ? 'is a clone with a work tree' : 'is not empty and not a clone';
    throw invalid(`The directory ${quoted(directory)} ${problem}`, 'Name a new directory, or a bare clone.', directory);
  }
  // A template of the user could have hooks.
  await clone.run(['init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`]);
  await clone.setOrigin(remote);
}

/** Settings of the clone that start a program when git uses them. */
const STARTS_PROGRAM =
  /^(?:core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(?:.*\.)?helper|gc\.recentobjectshook|hook\..*|remote\..*\.(?:uploadpack|receivepack|vcs))$/u;

/**
 * Rejects a clone whose own configuration starts programs: a directory that was copied from elsewhere could have it. Configuration of
 * the user and the system is the user's. @throws {KnowledgeError} `GIT_FAILED`.
 */
async function checkConfiguration(clone: Clone): Promise<void> {
  const { directory } = clone;
  const names = await clone.read(['config', '--list', '--null', '--show-scope', '--name-only']);
  const fields = names.split('\0');
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = '', name = ''] = fields.slice(index, index + 2);
    if (!/^(?:local|worktree)$/u.test(scope) || !STARTS_PROGRAM.test(name.toLowerCase())) continue;
    const summary = `The configuration of the clone ${directory} starts a program: ${escapeControls(name)}`;
    const hint = `Move the setting to your own: git config --global ${name}`;
    throw new KnowledgeError('GIT_FAILED', [summary, hint], { path: directory });
  }
}

/** Opens the clone, and makes it again when it was deleted: it has nothing that the remote and the local store lack. */
export async function openOrCreate(state: CloneState, options: CloneOptions): Promise<Clone> {
  const { directory } = state;
  const clone = new Clone({ directory, ...options });
  const isPresent = await hasClone(directory);
  if (isPresent) await checkConfiguration(clone);
  // Without a remote, the process that made the clone was ended.
  if (isPresent && (await clone.origin()) !== undefined) return clone;
  await createClone(clone, state, true);
  await checkConfiguration(clone);
  return clone;
}

/** Returns whether the remote has the commit that was synchronized last, as a repository that moved does. */
async function hasSynchronized(clone: Clone, before: CloneState | undefined): Promise<boolean> {
  const { branch = 'main', synced } = before ?? {};
  const commit = (await clone.readRemote(branch)).commits.get(branch);
  const head = commit && (await clone.fetchBranch(branch, commit));
  return head !== undefined && synced !== undefined && clone.isAncestor(synced, head);
}

/** Returns the remote of a clone that exists. @throws {KnowledgeError} `INVALID_INPUT` for the clone of another team. */
async function adopt(clone: Clone, remote: string | undefined, before: CloneState | undefined): Promise<string> {
  await checkConfiguration(clone);
  const { directory } = clone;
  const shown = quoted(directory);
  if ((await clone.read(['rev-parse', '--is-shallow-repository'])) === 'true') {
    throw invalid(`The clone ${shown} has only a part of the history`, `Run: git -C ${directory} fetch --unshallow`);
  }
  const origin = await clone.origin();
  const wanted = remote ?? origin ?? (before?.directory === directory ? before.remote : undefined);
  if (wanted === undefined) throw invalid(`The clone ${shown} has no remote`, 'Name the address of the team store.');
  await clone.setOrigin(wanted);
  if (origin === undefined || origin === wanted) return wanted;
  let isMoved = false;
  try {
    isMoved = await hasSynchronized(clone, before);
  } finally {
    if (!isMoved) await clone.setOrigin(origin);
  }
  if (isMoved) return wanted;
  const summary = `The directory ${shown} is a clone of another repository: ${withoutCredentials(origin)}`;
  throw invalid(summary, 'Move or delete the directory, or name another one with --clone.', directory);
}

/** Sets up the clone and its state. @returns the branch that the remote names as its own. */
export async function setUp(
  directory: string,
  { remote, branch, clone, cwd = process.cwd() }: InitTeamOptions,
  options: CloneOptions,
): Promise<string | undefined> {
  const before = await readState(directory);
  const own = join(directory, 'team.git');
  const place = clone === undefined ? (before?.directory ?? own) : resolve(cwd, clone);
  if (!isAbsolute(place)) throw invalid('The directory is not absolute', 'Name one.');
  const wanted = remote === undefined ? undefined : checkRemote(remote, cwd);
  if (branch !== undefined) checkBranch(branch);
  const git = new Clone({ directory: place, ...options });
  const isPresent = await hasClone(place);
  const address = isPresent ? await adopt(git, wanted, before) : (wanted ?? before?.remote);
  if (address === undefined) {
    throw invalid('The address of the team store is missing', 'Run "cairn knowledge team init <remote>".');
  }
  const wantedBranch = branch ?? 'main';
  if (!isPresent) await createClone(git, { remote: address, branch: wantedBranch }, before?.directory === place);
  try {
    const { defaultBranch } = await git.readRemote();
    const isSame = before?.remote === address;
    const chosen = checkBranch(branch ?? (isSame ? before?.branch : undefined) ?? defaultBranch ?? 'main');
    const synced = before?.branch === chosen ? before.synced : undefined;
    const state: CloneState = { version: 1, remote: address, branch: chosen, directory: place };
    // Another repository that has the commit is the same one at another address.
    const isKnown = synced !== undefined && (await git.commitOf(synced)) !== undefined;
    await writeState(directory, isSame || isKnown ? { ...before, ...state } : state);
    return defaultBranch;
  } catch (error) {
    if (before === undefined && !isPresent && place === own) await rm(place, { recursive: true, force: true });
    throw error;
  }
}
