import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackingRef } from './repository.ts';
import { readState } from './state.ts';

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Returns the commit of a reference without running git: the start of a session has no time for it. */
function readRef(clone: string, ref: string): string | undefined {
  const own = read(join(clone, ref));
  if (own !== undefined) return own;
  const packed = (read(join(clone, 'packed-refs')) ?? '').split('\n');
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0];
}

/**
 * Returns whether the clone of the team store has commits that the local store lacks, such as those of an outside `git fetch`. Reads
 * two or three small files.
 *
 * @throws {KnowledgeError} `STORE_FAILED`.
 */
export async function hasLocalChanges(directory: string): Promise<boolean> {
  const state = await readState(directory);
  if (state === undefined) return false;
  const fetched = readRef(state.directory, trackingRef(state.branch));
  return fetched !== undefined && fetched !== state.synced;
}
