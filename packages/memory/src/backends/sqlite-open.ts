import type { DatabaseSync } from 'node:sqlite';
import { loadDriver, type SqliteDriver } from './sqlite-driver.ts';
import { identityOf, makePrivate, modeToRead, nameOf, prepareFile, realStorePath, stateOf } from './sqlite-file.ts';
import { createTables, formatOf, setUp } from './sqlite-schema.ts';
import { statementsOf, type Statements } from './sqlite-statements.ts';

/** How long SQLite itself waits for a lock, which blocks the thread. The rest of the waiting does not. */
const BLOCKING_MS = 100;

export interface OpenFile {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly isWritable: boolean;
  /** What SQLite opened: the path, or a URI. */
  readonly name: string;
  /** Returns whether this is still the file at the path. A file that is read without locks must also have the same contents. */
  readonly isCurrent: () => boolean;
}

export interface Opening {
  readonly path: string;
  /** Whether nothing is written, not even where the user may write. @default false */
  readonly readOnly?: boolean | undefined;
  readonly driver: SqliteDriver;
  /** Repeats a task while other processes hold a lock. */
  readonly retry: <T>(task: () => T) => Promise<T>;
}

/** Opens a file, and creates its tables if it is empty. A file that cannot be written is read as it is. */
export async function openFile(opening: Opening): Promise<OpenFile> {
  const { driver, retry, readOnly = false } = opening;
  const path = realStorePath(opening.path);
  const Database = await loadDriver(driver);
  const mode = readOnly ? modeToRead(path) : prepareFile(path);
  const isWritable = mode === 'write';
  const [identity, state] = [identityOf(path), stateOf(path)];
  const name = nameOf(path, mode);
  let database = new Database(name, { timeout: BLOCKING_MS, readOnly: !isWritable });
  try {
    const isEmpty = await retry(() => {
      if (database.isTransaction) database.exec('ROLLBACK');
      const format = formatOf(database, path);
      // It waited for a process that put another file there. Their logs would have the same name.
      if (identityOf(path) !== identity) return undefined;
      if (isWritable) setUp(database, format);
      return !isWritable && format === 0;
    });
    if (isEmpty === undefined) {
      database.close();
      return await openFile(opening);
    }
    // Now it is known to be a store.
    if (isWritable) makePrivate(path);
    const isLocked = mode !== 'immutable' && !isEmpty;
    // When this process closes the file anywhere else, as a search of its contents does, POSIX drops SQLite's locks. Then another
    // process can remove the log, and whatever is written to the removed log is lost.
    const log = isWritable ? identityOf(`${path}-wal`) : undefined;
    const isSame = (): boolean =>
      identityOf(path) === identity && (log === undefined || identityOf(`${path}-wal`) === log);
    const isCurrent = (): boolean =>
      realStorePath(opening.path) === path && (isLocked ? isSame() : stateOf(path) === state);
    if (isEmpty) {
      database.close();
      database = new Database(':memory:');
      createTables(database);
    }
    return { database, statements: statementsOf(database), isWritable, name, isCurrent };
  } catch (error) {
    if (database.isOpen) database.close();
    throw error;
  }
}
