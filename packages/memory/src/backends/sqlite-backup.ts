import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { MemoryError } from '../errors.ts';
import type { BackupResult, Damage } from '../records/backend.ts';
import { randomName } from '../records/random-name.ts';
import { checkFile } from './sqlite-check.ts';
import { changedError, explainSqliteError, isCorrupt } from './sqlite-errors.ts';
import type { OpenFile } from './sqlite-open.ts';
import { stateOf } from './sqlite-schema.ts';
import { runInWorker } from './sqlite-worker.ts';

/** What a copy must have as the store has it. Each key states what its rows are. */
const COUNTS = `SELECT count(*) AS keys, coalesce(sum(records), 0) AS records, coalesce(sum(bytes), 0) AS bytes,
  coalesce(max(sequence), 0) AS last FROM keys`;

function damaged(source: string, problem: string): MemoryError {
  const summary = `[memory:sqlite] The copy of ${source} is damaged: ${problem}`;
  return new MemoryError('CORRUPT_STORE', [summary, 'No backup was written; the disk may be failing.'], {
    path: source,
  });
}

/** @throws {MemoryError} `CORRUPT_STORE` when a copy is damaged, or has other contents than the store had. */
async function verify(source: string, copy: string, counts?: string): Promise<void> {
  const [problem] = await checkFile(copy, { name: copy, readOnly: false, timeoutMs: 0 });
  if (problem) throw damaged(source, problem.message);
  if (counts === undefined) return;
  const [found] = await runInWorker(copy, { statements: [COUNTS], timeoutMs: 0 });
  const copied = JSON.stringify(found?.[0]);
  if (copied !== counts) throw damaged(source, `it has ${copied} instead of ${counts}`);
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

/** Copies all pages of an open file to another one as they are, even damaged ones. */
export async function copyPages(
  database: DatabaseSync,
  to: string,
  { signal }: { readonly signal: AbortSignal | undefined },
): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600));
  const { backup } = await import('node:sqlite');
  await backup(database, to, { progress: () => signal?.throwIfAborted() });
}

/** Removes a file of SQLite that is not used. */
function remove(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
}

export interface BackUpOptions {
  readonly source: string;
  /** The new file. */
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}

/** Copies an open file, which is used for nothing else, as it is now. Other connections may write meanwhile. */
export async function backUp(
  { database, statements, isWritable, isCurrent }: OpenFile,
  { source, path, signal }: BackUpOptions,
): Promise<BackupResult> {
  if (existsSync(path)) throw existsError(path);
  const copy = `${path}.${randomName()}.tmp`;
  try {
    // All steps copy the state that this transaction reads.
    database.exec('BEGIN');
    const counts = JSON.stringify(statements.get(COUNTS));
    const isErasing = stateOf(statements)['erasure'] !== null;
    await copyPages(database, copy, { signal });
    // While other processes read, the pages still have parts of forgotten text.
    if (isErasing) await runInWorker(copy, { statements: ['PRAGMA secure_delete = ON', 'VACUUM'], timeoutMs: 0 });
    if (!isWritable && !isCurrent()) throw changedError(source);
    await verify(source, copy, counts);
    signal?.throwIfAborted();
    publish(copy, path);
    return { bytes: statSync(path).size, problems: [] };
  } catch (error) {
    throw explainSqliteError(error, { path: isCorrupt(error) ? source : path, signal });
  } finally {
    remove(copy);
  }
}

export interface SalvageBackupOptions {
  readonly path: string;
  /** The problems of the store. */
  readonly damage: readonly Damage[];
  /** Writes the readable records to a new file, and returns what is lost. */
  readonly salvage: (target: string) => Promise<Damage[]>;
}

/** Writes what is readable of a damaged file to a new one. */
export async function backUpDamaged({ path, damage, salvage }: SalvageBackupOptions): Promise<BackupResult> {
  if (existsSync(path)) throw existsError(path);
  const copy = `${path}.${randomName()}.tmp`;
  try {
    closeSync(openSync(copy, 'wx', 0o600));
    const lost = await salvage(copy);
    await verify(path, copy);
    publish(copy, path);
    return { bytes: statSync(path).size, problems: [...damage, ...lost] };
  } catch (error) {
    throw explainSqliteError(error, { path, signal: undefined });
  } finally {
    remove(copy);
  }
}
