import type { DatabaseSync } from 'node:sqlite';
import { MemoryError } from '../errors.ts';

/** Older versions can corrupt a database in WAL mode that several connections write. */
const MIN_SQLITE = '3.51.3';

/** Loads SQLite. Tests replace it. */
export type SqliteDriver = () => Promise<{
  readonly DatabaseSync: typeof DatabaseSync;
  readonly version: string | undefined;
}>;

export const nodeSqlite: SqliteDriver = async () => {
  const { DatabaseSync: Database } = await import('node:sqlite');
  return { DatabaseSync: Database, version: process.versions['sqlite'] };
};

/** @throws {MemoryError} `STORE_UNSUPPORTED` without `node:sqlite`, or with a version that can corrupt the file. */
export async function loadDriver(driver: SqliteDriver): Promise<typeof DatabaseSync> {
  const hint = 'Use Node 22.22.3, 24.15.0 or newer, or the redis backend.';
  let loaded: Awaited<ReturnType<SqliteDriver>>;
  try {
    loaded = await driver();
  } catch (error) {
    const summary = `[memory:sqlite] Node ${process.versions.node} does not include node:sqlite`;
    throw new MemoryError('STORE_UNSUPPORTED', [summary, hint], { cause: error });
  }
  const { version } = loaded;
  if (version === undefined || version.localeCompare(MIN_SQLITE, 'en', { numeric: true }) < 0) {
    const found = `Node ${process.versions.node} includes SQLite ${version ?? 'of an unknown version'}`;
    const problem = `versions before ${MIN_SQLITE} can corrupt a file that several processes write`;
    throw new MemoryError('STORE_UNSUPPORTED', [`[memory:sqlite] ${found}, and ${problem}`, hint]);
  }
  return loaded.DatabaseSync;
}
