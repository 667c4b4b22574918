import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { MemoryError } from '../errors.ts';
import { randomName } from '../records/random-name.ts';
import { changedError, explainSqliteError, isCorrupt } from './sqlite-errors.ts';
import type { OpenFile } from './sqlite-open.ts';
import { runInWorker } from './sqlite-worker.ts';

/** What a copy must have as many of as the store. */
const COUNTS = `SELECT (SELECT count(*) FROM keys) AS keys, (SELECT count(*) FROM entries) AS entries,
  (SELECT count(*) FROM postings) AS postings, (SELECT coalesce(sum(bytes), 0) FROM keys) AS bytes`;
/** Keys that do not have the entries that they count. */
const WRONG_KEYS = `SELECT key FROM keys WHERE records <> (SELECT count(*) FROM entries WHERE key_id = keys.id) LIMIT 1`;

function damaged(source: string, problem: string): MemoryError {
  const summary = `[memory:sqlite] The copy of ${source} is damaged: ${problem}`;
  return new MemoryError('CORRUPT_STORE', [summary, 'No backup was written; the store itself may be damaged.'], {
    path: source,
  });
}

/** @throws {MemoryError} `CORRUPT_STORE` when a copy is damaged, or has other contents than the store had. */
async function verify(source: string, copy: string, counts: string): Promise<void> {
  const statements = ['PRAGMA integrity_check(1)', COUNTS, WRONG_KEYS];
  const [check, found, wrong] = await runInWorker(copy, { statements, timeoutMs: 0 });
  const problem = String(check?.[0]?.['integrity_check']);
  if (problem !== 'ok') throw damaged(source, problem);
  const copied = JSON.stringify(found?.[0]);
  if (copied !== counts) throw damaged(source, `it has ${copied} instead of ${counts}`);
  if (wrong?.[0]) throw damaged(source, `${String(wrong[0]['key'])} does not have all of its records`);
}

function existsError(path: string): MemoryError {
  const summary = `[memory:sqlite] ${path} exists`;
  return new MemoryError('INVALID_INPUT', [summary, 'Name a new file for the backup.'], { path });
}

/** Gives a finished copy its name, unless a file has it. A process that is killed before leaves no incomplete backup there. */
function publish(copy: string, path: string): void {
  const handle = openSync(copy, 'r+');
  fsyncSync(handle);
  closeSync(handle);
  try {
    linkSync(copy, path);
  } catch (error) {
    throw existsSync(path) ? existsError(path) : error;
  }
}

/**
 * Copies an open file, which is used for nothing else, as it is now. Other connections may write meanwhile.
 *
 * @returns the bytes of the copy.
 */
export async function backUp(
  { database, statements, isWritable, isCurrent }: OpenFile,
  {
    source,
    path,
    signal,
  }: { readonly source: string; readonly path: string; readonly signal: AbortSignal | undefined },
): Promise<number> {
  if (existsSync(path)) throw existsError(path);
  const { backup } = await import('node:sqlite');
  const copy = `${path}.${randomName()}.tmp`;
  try {
    closeSync(openSync(copy, 'wx', 0o600));
    // All steps copy the state that this transaction reads.
    database.exec('BEGIN');
    const counts = JSON.stringify(statements.get(COUNTS));
    await backup(database, copy, { progress: () => signal?.throwIfAborted() });
    if (!isWritable && !isCurrent()) throw changedError(source);
    await verify(source, copy, counts);
    signal?.throwIfAborted();
    publish(copy, path);
    return statSync(path).size;
  } catch (error) {
    throw explainSqliteError(error, { path: isCorrupt(error) ? source : path, signal });
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${copy}${suffix}`, { force: true });
  }
}
