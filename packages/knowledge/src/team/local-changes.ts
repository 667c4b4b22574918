import { readTeamHead } from './head.ts';
import { hasClone, openClone } from './repository.ts';
import { readState } from './state.ts';
import { keyOfPath, oidOf } from './tree.ts';
import { changedPaths, readWorkFile } from './work-tree.ts';

export interface LocalChangesOptions {
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns whether the clone of the team store has changes that the local store lacks: commits of an outside `git pull`, or files that
 * somebody edited by hand. Asks no remote.
 *
 * @throws {KnowledgeError} `GIT_FAILED`, `STORE_FAILED`.
 */
export async function hasLocalChanges(
  directory: string,
  { env = process.env, signal }: LocalChangesOptions = {},
): Promise<boolean> {
  const state = await readState(directory);
  if (state === undefined || !(await hasClone(state.directory))) return false;
  const { directory: clone, synced, edited = {} } = state;
  if (readTeamHead(clone) !== synced) return true;
  const git = await openClone(clone, { env, remoteTimeoutMs: 0, signal });
  for (const path of new Set([...(await changedPaths(git, { signal })), ...Object.keys(edited)])) {
    if (keyOfPath(path) === undefined) continue;
    const content = await readWorkFile(clone, path);
    if (content === undefined) continue;
    const taken = edited[path];
    const oid = content === null ? null : oidOf(content, synced ?? '');
    if (taken === undefined || oid !== taken) return true;
  }
  return false;
}
