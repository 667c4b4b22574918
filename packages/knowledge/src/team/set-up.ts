/** How the clone of the team store is made, adopted and opened. */
import { quoted } from '@cairn/tool/kernel';
import { rm } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import { KnowledgeError } from '../errors.ts';
import { Git } from './git.ts';
import { withoutCredentials } from './remote-failure.ts';
import {
  checkBranch,
  checkRemote,
  commitOf,
  createClone,
  fetchBranch,
  hasClone,
  isAncestor,
  openClone,
  originOf,
  readRemote,
  setRemote,
} from './repository.ts';
import type { CloneOptions } from './repository.ts';
import { readState, writeState } from './state.ts';
import type { CloneState } from './state.ts';
import type { InitTeamOptions } from './team-api.ts';

/** Opens the clone, and makes it again when it was deleted: it has nothing that the remote and the local store lack. */
export async function openOrCreate({ directory, remote, branch }: CloneState, options: CloneOptions): Promise<Git> {
  if (await hasClone(directory)) {
    const git = await openClone(directory, options);
    // Without a remote, the process that made the clone was ended.
    if ((await originOf(git)) !== undefined) return git;
  }
  await createClone(directory, { ...options, remote, branch, isOwn: true });
  return openClone(directory, options);
}

interface AdoptOptions extends CloneOptions {
  readonly remote: string | undefined;
  readonly before: CloneState | undefined;
}

/** Returns the remote of a clone that exists. @throws {KnowledgeError} `INVALID_INPUT` for the clone of another team. */
async function adopt(directory: string, { remote, before, ...options }: AdoptOptions): Promise<string> {
  const git = await openClone(directory, options);
  if ((await git.read(['rev-parse', '--is-shallow-repository'])) === 'true') {
    const summary = `The clone ${quoted(directory)} has only a part of the history`;
    throw new KnowledgeError('INVALID_INPUT', [summary, `Run: git -C ${directory} fetch --unshallow`]);
  }
  const origin = await originOf(git);
  const wanted = remote ?? origin ?? (before?.directory === directory ? before.remote : undefined);
  if (wanted === undefined) {
    const summary = `The clone ${quoted(directory)} has no remote`;
    throw new KnowledgeError('INVALID_INPUT', [summary, 'Name the address of the team store.']);
  }
  await setRemote(git, wanted);
  if (origin === undefined || origin === wanted) return wanted;
  try {
    if (await hasSynchronized(git, before)) return wanted;
  } catch (error) {
    await setRemote(git, origin);
    throw error;
  }
  await setRemote(git, origin);
  const summary = `The directory ${quoted(directory)} is a clone of another repository: ${withoutCredentials(origin)}`;
  const hint = 'Move or delete the directory, or name another one with --clone.';
  throw new KnowledgeError('INVALID_INPUT', [summary, hint], { path: directory });
}

/** Returns whether the remote has the commit that was synchronized last, as a repository that moved does. */
async function hasSynchronized(git: Git, before: CloneState | undefined): Promise<boolean> {
  const { branch = 'main', synced } = before ?? {};
  const commit = (await readRemote(git, branch)).commits.get(branch);
  const head = commit && (await fetchBranch(git, branch, commit));
  return head !== undefined && synced !== undefined && isAncestor(git, synced, head);
}

/** @throws {KnowledgeError} `INVALID_INPUT`. */
function checkPlace(clone: string | undefined, cwd: string, otherwise: string): string {
  const place = clone === undefined ? otherwise : resolve(cwd, clone);
  if (isAbsolute(place)) return place;
  throw new KnowledgeError('INVALID_INPUT', ['The directory is not absolute', 'Name one.']);
}

/** Sets up the clone and its state. @returns the branch that the remote names as its own. */
export async function setUp(
  directory: string,
  { remote, branch, clone, cwd = process.cwd() }: InitTeamOptions,
  options: CloneOptions,
): Promise<string | undefined> {
  const before = await readState(directory);
  const own = join(directory, 'team.git');
  const place = checkPlace(clone, cwd, before?.directory ?? own);
  const wanted = remote === undefined ? undefined : checkRemote(remote, cwd);
  if (branch !== undefined) checkBranch(branch);
  const isPresent = await hasClone(place);
  let address = wanted ?? before?.remote;
  if (isPresent) {
    address = await adopt(place, { remote: wanted, before, ...options });
  } else if (address === undefined) {
    const summary = 'The address of the team store is missing';
    throw new KnowledgeError('INVALID_INPUT', [summary, 'Run "cairn knowledge team init <remote>".']);
  } else {
    const isOwn = before?.directory === place;
    await createClone(place, { ...options, remote: address, branch: branch ?? 'main', isOwn });
  }
  const git = new Git({ directory: place, ...options });
  try {
    const { defaultBranch } = await readRemote(git);
    const isSame = before?.remote === address;
    const chosen = checkBranch(branch ?? (isSame ? before?.branch : undefined) ?? defaultBranch ?? 'main');
    const synced = before?.branch === chosen ? before.synced : undefined;
    const state: CloneState = { version: 1, remote: address, branch: chosen, directory: place };
    // Another repository that has the commit is the same one at another address.
    const isKnown = synced !== undefined && (await commitOf(git, synced)) !== undefined;
    await writeState(directory, isSame || isKnown ? { ...before, ...state } : state);
    return defaultBranch;
  } catch (error) {
    if (before === undefined && !isPresent && place === own) await rm(place, { recursive: true, force: true });
    throw error;
  }
}
