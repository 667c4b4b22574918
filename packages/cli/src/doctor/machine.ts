/** Checks of Node and of the system. */
import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { userDirectories } from '@cairn/tool/paths';
import semver from 'semver';
import { countOf, formatBytes, formatCount } from '../terminal/text.ts';
import { fail, ok, reasonOf, skip, warn, type Check, type CheckResult } from './check.ts';

export const checkNode: Check = async ({ node, engines }) =>
  semver.satisfies(node, engines, { includePrerelease: true })
    ? ok(`${node} (needs ${engines})`)
    : fail(`Node ${node} is not supported; cairn needs ${engines}`, 'install a newer Node from https://nodejs.org');

async function nearest(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found ? path : nearest(dirname(path));
}

/** The directory of undo notes must be writable for this user and closed to others. */
export const checkStateDirectory: Check = async ({ env, home, platform }) => {
  const { state: directory } = userDirectories({ env, home, platform });
  const fix = 'set XDG_STATE_HOME to a directory that you can write to';
  try {
    const existing = await nearest(directory);
    const stats = await stat(existing);
    if (!stats.isDirectory()) return fail(`${existing} is not a directory`, fix);
    await access(existing, constants.W_OK | constants.X_OK);
    if (existing !== directory) return ok(`${directory} (does not exist yet)`);
    if (platform !== 'win32' && (stats.mode & 0o077) !== 0) {
      return warn(`other users can read ${directory}`, `chmod 700 ${directory}`);
    }
    return ok(directory);
  } catch (error) {
    return fail(`cannot use ${directory}: ${reasonOf(error)}`, fix);
  }
};

/** Older versions can lose data when several processes write. */
const MIN_SQLITE = '3.51.3';

const SQLITE_FIX = 'use Node ^22.22.3 or >=24.15.0; only memory needs it';

/** Checks whether a memory can use a version of SQLite; `undefined` means that this Node has none. */
export function judgeSqlite(version: string | undefined): CheckResult {
  if (version === undefined) return warn('this Node has no node:sqlite', SQLITE_FIX);
  if (!semver.gte(version, MIN_SQLITE)) return warn(`SQLite ${version} is older than ${MIN_SQLITE}`, SQLITE_FIX);
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

export const checkSqlite: Check = async () => {
  try {
    return judgeSqlite(readVersion());
  } catch (error) {
    return warn(`SQLite cannot open a database in memory: ${reasonOf(error)}`, SQLITE_FIX);
  }
};

/** Enough for a search with a few open files per thread, and for a server with several sessions. */
const MIN_OPEN_FILES = 1024;

export const checkOpenFiles: Check = async ({ platform, proc }) => {
  if (platform !== 'linux') return skip('not checked on this system');
  const limits = await readFile(join(proc, 'self', 'limits'), 'utf8').catch(() => '');
  const soft = /^Max open files\s+(\S+)/mu.exec(limits)?.[1];
  if (soft === undefined) return skip('the system does not report the limit');
  if (soft === 'unlimited') return ok('no limit');
  const message = `at most ${formatCount(Number(soft))}`;
  return Number(soft) < MIN_OPEN_FILES
    ? warn(message, `run 'ulimit -n 4096' in the shell, or raise nofile in /etc/security/limits.conf`)
    : ok(message);
};

/** This process has no index, so the check prints when another process gets one in the working directory. */
export const checkContentIndex: Check = async ({ platform, proc, cwd, home, env }) => {
  if (platform !== 'linux') return skip('not on this system: grep opens every file');
  const invalid = Object.keys(env).find(
    (name) => name.startsWith('FS_CONTENT_INDEX_') && !/^\s*\d{1,18}\s*$/u.test(env[name] ?? '0'),
  );
  if (invalid !== undefined) return warn(`${invalid} has no effect: it is not a whole number`, 'correct or unset it');
  const natives = await import('@cairn/natives/internal').catch(() => undefined);
  if (!natives) return warn('not checked, because the addon does not load', "follow the fix of 'addon' first");
  const { maxBytes, minFiles, settleMs, keepsTimes } = natives.contentIndexPolicy(cwd);
  if (maxBytes === 0) return skip('off: FS_CONTENT_INDEX_MAX_BYTES is 0');
  if (settleMs === undefined)
    return warn('off: dirty pages are never written back', 'set vm.dirty_writeback_centisecs');
  const realHome = await realpath(home).catch(() => home);
  if (join(realHome, '/').startsWith(join(cwd, '/')))
    return skip(`off here: ${cwd} is or contains your home directory`);
  const failure = await access(cwd, constants.R_OK).catch(reasonOf);
  if (failure !== undefined) return warn(`not checked: ${failure}`, 'run doctor in a directory that you can read');
  if (!keepsTimes) return skip(`off here: the file system of ${cwd} does not show every change by the times of a file`);
  const bounds = `from ${countOf(minFiles, 'file')} or 150 MB on, at the second grep of a process; at most ${formatBytes(maxBytes)}`;
  const watches = await readFile(join(proc, 'sys/fs/inotify/max_user_watches'), 'utf8').catch(() => '');
  const limit = watches === '' ? '' : `; --watch: fs.inotify.max_user_watches is ${formatCount(Number(watches))}`;
  return ok(`${bounds}; a file ${formatCount(settleMs / 1000)} s after its last change${limit}`);
};
