import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

type Row = Record<string, SQLOutputValue>;

/** Statements on the open file, prepared once. */
export interface Statements {
  readonly all: (sql: string, ...values: SQLInputValue[]) => Row[];
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
    get: (sql, ...values) => prepared(sql).get(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
  };
}
