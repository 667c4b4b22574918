import process from 'node:process';
import semver from 'semver';
import { ok, reasonOf, warn, type Check, type CheckResult } from './check.ts';

/** Older versions can lose data when several processes write. */
const MIN_VERSION = '3.51.3';

const fix = 'use Node ^22.22.3 or >=24.15.0; only memory needs it';

/** The facts about the SQLite of a Node that decide whether a memory can use it. */
export interface SqliteFacts {
  readonly version: string;
  readonly hasFullText: boolean;
}

/** Checks the facts of SQLite; `undefined` means that this Node has no SQLite. */
export function judgeSqlite(facts: SqliteFacts | undefined): CheckResult {
  if (!facts) return warn('this Node has no node:sqlite', fix);
  const { version, hasFullText } = facts;
  if (!semver.gte(version, MIN_VERSION)) return warn(`SQLite ${version} is older than ${MIN_VERSION}`, fix);
  if (!hasFullText) return warn(`SQLite ${version} was built without FTS5`, fix);
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
    // The module fts5 is unknown.
    return false;
  }
}

export const sqliteCheck: Check = {
  name: 'sqlite',
  run: async () => {
    try {
      return judgeSqlite(readFacts());
    } catch (error) {
      return warn(`SQLite cannot open a database in memory: ${reasonOf(error)}`, fix);
    }
  },
};
