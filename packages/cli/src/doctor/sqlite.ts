import process from 'node:process';
import semver from 'semver';
import { ok, reasonOf, warn, type Check, type CheckResult } from './check.ts';

/** Older versions can lose data when several processes write. */
const MIN_VERSION = '3.51.3';

const fix = 'use Node ^22.22.3 or >=24.15.0; only memory needs it';

/** Checks whether a memory can use a version of SQLite; `undefined` means that this Node has none. */
export function judgeSqlite(version: string | undefined): CheckResult {
  if (version === undefined) return warn('this Node has no node:sqlite', fix);
  if (!semver.gte(version, MIN_VERSION)) return warn(`SQLite ${version} is older than ${MIN_VERSION}`, fix);
  return ok(`SQLite ${version}`);
}

function readVersion(): string | undefined {
  const sqlite = process.getBuiltinModule('node:sqlite');
  if (!sqlite) return undefined;
  const database = new sqlite.DatabaseSync(':memory:');
  try {
    const row = database.prepare('SELECT sqlite_version() AS version').get();
    return String(row?.['version']);
  } finally {
    database.close();
  }
}

export const sqliteCheck: Check = {
  name: 'sqlite',
  run: async () => {
    try {
      return judgeSqlite(readVersion());
    } catch (error) {
      return warn(`SQLite cannot open a database in memory: ${reasonOf(error)}`, fix);
    }
  },
};
