/** What the clone and the last synchronization are, in `team-store.json` of the knowledge directory. */
import { writeAtomically } from '@cairn/tool/kernel';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { TEAM_FILE } from '../directory.ts';
import { KnowledgeError } from '../errors.ts';

const VERSION = 1;

export interface CloneState {
  readonly version: number;
  /** The address of the team's repository, as git takes it. */
  readonly remote: string;
  readonly branch: string;
  /** The bare clone, absolute. */
  readonly directory: string;
  /** The commit of the branch up to which the local store is synchronized. */
  readonly synced?: string | undefined;
  /** A commit that was made to be pushed; the process may have ended before it knew the result. */
  readonly pushing?: string | undefined;
  /** The branch of this user, pushed because the team's branch is protected. */
  readonly review?:
    | {
        readonly branch: string;
        readonly commit: string;
        /** What the branch had before this commit, in case that the push did not arrive. */
        readonly previous?: string | undefined;
      }
    | undefined;
}

function isState(value: unknown): value is CloneState {
  if (typeof value !== 'object' || value === null) return false;
  const { version, remote, branch, directory } = value as Partial<Record<keyof CloneState, unknown>>;
  if (version !== VERSION || typeof remote !== 'string' || typeof branch !== 'string') return false;
  return typeof directory === 'string' && isAbsolute(directory);
}

/** Returns the state; `undefined` when no team store is set up. @throws {KnowledgeError} `STORE_FAILED`. */
export async function readState(directory: string): Promise<CloneState | undefined> {
  const path = join(directory, TEAM_FILE);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const summary = `${path} cannot be read: ${String(error)}`;
    const facts = { path, cause: error };
    // Without a code the text is not JSON.
    if (code !== undefined) throw new KnowledgeError('STORE_FAILED', [summary, 'Check its permissions.'], facts);
  }
  if (isState(value)) return value;
  const hint = 'Update Cairn; or delete the file and run "cairn knowledge team init <remote>" again. No asset is lost.';
  throw new KnowledgeError('STORE_FAILED', [`${path} is not readable by this version`, hint], { path });
}

/** Replaces the file in one step. @throws {KnowledgeError} `STORE_FAILED`. */
export async function writeState(directory: string, state: CloneState): Promise<void> {
  const path = join(directory, TEAM_FILE);
  try {
    await writeAtomically(path, `${JSON.stringify(state, undefined, 2)}\n`);
  } catch (error) {
    const summary = `${path} cannot be written: ${String(error)}`;
    const hint = 'Free space, or check the permissions.';
    throw new KnowledgeError('STORE_FAILED', [summary, hint], { path, cause: error });
  }
}

export const trackingRef = (branch: string): string => `refs/remotes/origin/${branch}`;

/**
 * Returns whether the clone of the team store has commits that the local store lacks, such as after an outside `git fetch`. Reads
 * two or three small files and runs no git: the start of a session has no time for it. @throws {KnowledgeError} `STORE_FAILED`.
 */
export async function hasLocalChanges(directory: string): Promise<boolean> {
  const state = await readState(directory);
  if (state === undefined) return false;
  const ref = trackingRef(state.branch);
  const read = (path: string): Promise<string> => readFile(join(state.directory, path), 'utf8').catch(() => '');
  const own = (await read(ref)).trim();
  const line = own === '' ? (await read('packed-refs')).split('\n').find((one) => one.endsWith(` ${ref}`)) : own;
  const fetched = line?.split(' ')[0];
  return fetched !== undefined && fetched !== state.synced;
}
