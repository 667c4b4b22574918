import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

type Row = Record<string, SQLOutputValue>;

/** Statements on the open file, prepared once. */
export interface Statements {
  readonly all: (sql: string, ...values: SQLInputValue[]) => Row[];
  /** Like `all`, but reads each row when it is asked for. */
  readonly each: (sql: string, ...values: SQLInputValue[]) => Iterable<Row>;
  readonly get: (sql: string, ...values: SQLInputValue[]) => Row | undefined;
  /** @returns the number of changed rows. */
  readonly run: (sql: string, ...values: SQLInputValue[]) => number;
}

export function statementsOf(database: DatabaseSync): Statements {
  const known = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
  return {
    all: (sql, ...values) => prepared(sql).all(...values),
    *each(sql, ...values) {
      try {
        yield* prepared(sql).iterate(...values);
      } catch (error) {
        // SQLite would report it again at the next use.
        known.delete(sql);
        throw error;
      }
    },
    get: (sql, ...values) => prepared(sql).get(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
  };
}

/**
 * Runs a task in one transaction: it sees one state, and all of its changes are kept, or none. Other work runs meanwhile only if the
 * task lets it, and nothing else may use the connection then.
 */
export function inTransaction<T>(
  { database, statements }: { readonly database: DatabaseSync; readonly statements: Statements },
  begin: string,
  task: (on: Statements) => T | Promise<T>,
): T | Promise<T> {
  const commit = (done: T): T => {
    statements.run('COMMIT');
    return done;
  };
  const rollBack = (error: unknown): never => {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  };
  statements.run(begin);
  try {
    const done = task(statements);
    return done instanceof Promise ? done.then(commit).catch(rollBack) : commit(done);
  } catch (error) {
    return rollBack(error);
  }
}
