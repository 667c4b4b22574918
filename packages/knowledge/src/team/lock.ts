import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { KnowledgeError } from '../errors.ts';

const LOCK_FILE = 'team.lock';

/** @throws {KnowledgeError} `STORE_FAILED` in a Node without SQLite. */
async function loadSqlite(path: string): Promise<typeof DatabaseSync> {
  try {
    return (await import('node:sqlite')).DatabaseSync;
  } catch (error) {
    const summary = `The team store cannot be locked: Node ${process.versions.node} does not include node:sqlite`;
    const hint = 'Use Node 22.22.3, 24.15.0 or newer.';
    throw new KnowledgeError('STORE_FAILED', [summary, hint], { path, cause: error });
  }
}

/** @throws {KnowledgeError} `SYNC_BUSY`, `STORE_FAILED`. */
async function lock(directory: string): Promise<DatabaseSync> {
  const path = join(directory, LOCK_FILE);
  const Database = await loadSqlite(path);
  let database: DatabaseSync | undefined;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await (await open(path, 'a', 0o600)).close();
    database = new Database(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (/database is locked/iu.test(String(error))) {
      const summary = 'Another process synchronizes with the team store';
      throw new KnowledgeError('SYNC_BUSY', [summary, 'Repeat the command when it has ended.'], { path, cause: error });
    }
    const summary = `The lock file ${path} cannot be used: ${String(error)}`;
    throw new KnowledgeError('STORE_FAILED', [summary, 'Check the directory and its disk.'], { path, cause: error });
  }
}

/**
 * Runs a synchronization while no other process synchronizes. The system releases the lock of SQLite when a process ends in any way,
 * so that no stale lock remains.
 *
 * @throws {KnowledgeError} `SYNC_BUSY`, `STORE_FAILED`.
 */
export async function withLock<T>(directory: string, action: () => Promise<T>): Promise<T> {
  const database = await lock(directory);
  try {
    return await action();
  } finally {
    database.close();
  }
}
