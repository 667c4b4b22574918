import process from 'node:process';
import semver from 'semver';
import { ok, reasonOf, warn, type Check, type CheckResult } from './check.ts';

/** Older ones can lose data when several processes write. */
const OLDEST = '3.51.3';

const mend = 'only memory and knowledge need it: use Node ^22.22.3 or >=24.15.0 for them';

/** What the SQLite of a Node can do. */
export interface SqliteFacts {
  readonly version: string;
  readonly hasFullText: boolean;
}

/** What is to be said of a SQLite; `undefined` when there is none. */
export function judgeSqlite(facts: SqliteFacts | undefined): CheckResult {
  if (!facts) return warn('this Node has no node:sqlite', mend);
  const { version, hasFullText } = facts;
  if (!semver.gte(version, OLDEST)) return warn(`SQLite ${version} is older than ${OLDEST}`, mend);
  if (!hasFullText) return warn(`SQLite ${version} was built without FTS5`, mend);
  return ok(`SQLite ${version} with FTS5`);
}

function readFacts(): SqliteFacts | undefined {
  const sqlite = process.getBuiltinModule('node:sqlite');
  if (!sqlite) return undefined;
  const database = new sqlite.DatabaseSync(':memory:');
  try {
    const row = database.prepare('SELECT sqlite_version() AS version').get();
    return { version: String(row?.['version']), hasFullText: canSearchText(database) };
  } finally {
    database.close();
  }
}

function canSearchText(database: { exec(sql: string): void }): boolean {
  try {
    database.exec('CREATE VIRTUAL TABLE probe USING fts5(text)');
    return true;
  } catch {
    // It says which module is unknown to it; that is the answer.
    return false;
  }
}

export const sqliteCheck: Check = {
  name: 'sqlite',
  run: async () => {
    try {
      return judgeSqlite(readFacts());
    } catch (error) {
      return warn(`SQLite does not open a database in memory: ${reasonOf(error)}`, mend);
    }
  },
};
