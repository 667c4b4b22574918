import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { loadDriver } from './sqlite-driver.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import { identityOf, immutableName, prepareFile, stateOf } from './sqlite-file.ts';
import { copyOldFile, formatOf, SCHEMA_VERSION, setUp } from './sqlite-schema.ts';

/** How long SQLite itself waits for a lock, which blocks the thread. The rest of the waiting does not. */
const BLOCKING_MS = 100;

type Row = Record<string, SQLOutputValue>;

/** Statements on the open file, prepared once. */
export interface Statements {
  readonly all: (sql: string, ...values: SQLInputValue[]) => Row[];
  readonly get: (sql: string, ...values: SQLInputValue[]) => Row | undefined;
  /** @returns the number of changed rows. */
  readonly run: (sql: string, ...values: SQLInputValue[]) => number;
}

function statementsOf(database: DatabaseSync): Statements {
  const known = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  return {
    all: (sql, ...values) => prepared(sql).all(...values),
    get: (sql, ...values) => prepared(sql).get(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
  };
}

/** An open file. */
export interface OpenFile {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly isWritable: boolean;
  /** Returns whether this is still the file at the path. A file that is only read must also have the same contents. */
  readonly isCurrent: () => boolean;
}

export interface Opening {
  readonly path: string;
  readonly driver: SqliteDriver;
  /** Repeats a task while other processes hold a lock. */
  readonly retry: <T>(task: () => T) => Promise<T>;
}

/** Opens a file: creates it, or brings it to the current format. A file that cannot be written is read as it is. */
export async function openFile({ path, driver, retry }: Opening): Promise<OpenFile> {
  const Database = await loadDriver(driver);
  const mode = prepareFile(path);
  const isWritable = mode === 'write';
  const identify = isWritable ? identityOf : stateOf;
  const identity = identify(path);
  const isCurrent = (): boolean => identify(path) === identity;
  const name = mode === 'immutable' ? immutableName(path) : path;
  let database = new Database(name, { timeout: BLOCKING_MS, readOnly: !isWritable });
  try {
    const format = await retry(() => {
      if (database.isTransaction) database.exec('ROLLBACK');
      return isWritable ? setUp(database, path) : formatOf(database, path);
    });
    if (format !== SCHEMA_VERSION) {
      database.close();
      database = new Database(':memory:');
      await retry(() => copyOldFile(database, { name, format }));
    }
  } catch (error) {
    if (database.isOpen) database.close();
    throw error;
  }
  return { database, statements: statementsOf(database), isWritable, isCurrent };
}
