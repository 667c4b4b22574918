import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { KnowledgeError } from '../errors.ts';

const LOCK_FILE = 'team.lock';

/**
 * Runs a synchronization while no other process synchronizes. The system releases the lock of SQLite when a process ends in any way,
 * so that no stale lock remains.
 *
 * @throws {KnowledgeError} `SYNC_BUSY`.
 */
export async function withLock<T>(directory: string, action: () => Promise<T>): Promise<T> {
  const { DatabaseSync } = await import('node:sqlite');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, LOCK_FILE);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    try {
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if (!/locked|busy/iu.test(String(error))) throw error;
      const summary = 'Another process synchronizes with the team store';
      throw new KnowledgeError('SYNC_BUSY', [summary, 'Repeat the command when it has ended.'], { path, cause: error });
    }
    return await action();
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('ERR_SQLITE')) throw error;
    const summary = `The lock file of the team store cannot be used: ${String(error)}`;
    throw new KnowledgeError('STORE_FAILED', [summary, 'Check the directory and its disk.'], { path, cause: error });
  } finally {
    database.close();
  }
}
