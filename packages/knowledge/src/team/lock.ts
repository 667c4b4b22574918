import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { KnowledgeError } from '../errors.ts';

function lockFailure(path: string, cause: unknown): KnowledgeError {
  const facts = { path, cause };
  const reason = String(cause);
  if (/no such built-in module/iu.test(reason)) {
    const summary = `The team store cannot be locked: Node ${process.versions.node} does not include node:sqlite`;
    return new KnowledgeError('STORE_FAILED', [summary, 'Use Node 22.22.3, 24.15.0 or newer.'], facts);
  }
  if (/database is locked/iu.test(reason)) {
    const summary = 'Another process synchronizes with the team store';
    return new KnowledgeError('SYNC_BUSY', [summary, 'Repeat the command when it has ended.'], facts);
  }
  const summary = `The lock file ${path} cannot be used: ${reason}`;
  return new KnowledgeError('STORE_FAILED', [summary, 'Check the directory and its disk.'], facts);
}

/**
 * Runs a synchronization while no other process synchronizes. The system releases the lock of SQLite when a process ends in any way,
 * so that no stale lock remains. @throws {KnowledgeError} `SYNC_BUSY`, `STORE_FAILED`.
 */
export async function withLock<T>(directory: string, action: () => Promise<T>): Promise<T> {
  const path = join(directory, 'team.lock');
  let database: DatabaseSync | undefined;
  try {
    const { DatabaseSync: Database } = await import('node:sqlite');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await (await open(path, 'a', 0o600)).close();
    database = new Database(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw lockFailure(path, error);
  }
  try {
    return await action();
  } finally {
    database.close();
  }
}
