import { statSync } from 'node:fs';
import { hasLog, immutableName, stateOf } from './sqlite-file.ts';
import { SCHEMA_VERSION } from './sqlite-schema.ts';

/** How far a key of a store is: see `ChangesQuery`. A key without records has the epoch `''` and the sequence 0. */
export interface KeyState {
  readonly epoch: string;
  readonly sequence: number;
}

/**
 * Reads how far keys of a SQLite store are, for a program that has no time to open it. It changes no file, does not wait for locks
 * and loads little.
 *
 * @returns `undefined` when this cannot be read now, for any reason: the file is missing, locked, being written, of another format or
 *   not a store. Then open the store, which reports the reason.
 */
export async function peekSqlite(path: string, keys: readonly string[]): Promise<readonly KeyState[] | undefined> {
  // Opening a pipe would wait for a writer.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  // Without a log all data is in the file, and SQLite need not create one.
  const isLogged = hasLog(path);
  const state = stateOf(path);
  try {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(isLogged ? path : immutableName(path), { readOnly: true, timeout: 0 });
    try {
      const read = database.prepare(
        `SELECT (SELECT user_version FROM pragma_user_version) AS format, keys.epoch, keys.sequence
         FROM json_each(?) AS wanted LEFT JOIN keys ON keys.key = wanted.value ORDER BY wanted.key`,
      );
      // One statement reads one state.
      const rows = read.all(JSON.stringify(keys));
      if (rows.some(({ format }) => format !== SCHEMA_VERSION)) return undefined;
      if (!isLogged && stateOf(path) !== state) return undefined;
      return rows.map(({ epoch, sequence }) => ({ epoch: String(epoch ?? ''), sequence: Number(sequence ?? 0) }));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}
