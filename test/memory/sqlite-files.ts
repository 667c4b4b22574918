/** Files of the SQLite store, and processes that use them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { startScript } from './child-process.ts';
import type { RunningProcess } from './child-process.ts';

const child = fileURLToPath(new URL('sqlite-store-child.ts', import.meta.url));
const fixture = new URL('format-1.db.gz', import.meta.url);

/**
 * Writes a file of format 1, which an earlier Cairn wrote: messages with imported ones among them, notes, a workflow, a
 * graph, a namespace, an unreadable record, and `REMOVED-TEXT-n` in free pages.
 */
export function writeFormat1(path: string): void {
  writeFileSync(path, gunzipSync(readFileSync(fixture)), { mode: 0o600 });
}

/** Runs `sqlite-store-child.ts`. */
export function startProcess(task: string, path: string, ...args: readonly string[]): RunningProcess {
  return startAs({}, task, path, ...args);
}

/** Returns the lines of a process of another user, to whom permissions apply. */
export async function runAsOther(task: string, path: string): Promise<readonly string[]> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const running = startAs(user, task, path);
  await running.ended;
  return running.lines;
}

function startAs(
  user: { readonly uid?: number; readonly gid?: number },
  ...args: readonly [task: string, path: string, ...rest: string[]]
): RunningProcess {
  const running = startScript(child, args, user.uid === undefined ? {} : { env: { PATH: '' }, ...user });
  onTestFinished(() => {
    running.child.kill('SIGKILL');
  });
  return running;
}

/** Returns the files of a store that have a text. Another process reads them: to close a file here would end the locks of SQLite. */
export function filesWith(path: string, text: string): string[] {
  const files = ['', '-wal', '-shm'].map((suffix) => `${path}${suffix}`).filter((file) => existsSync(file));
  const script = `const { readFileSync } = require('node:fs');
    const [text, ...files] = process.argv.slice(1);
    process.stdout.write(JSON.stringify(files.filter((file) => readFileSync(file).includes(text))));`;
  const { stdout } = spawnSync(process.execPath, ['-e', script, text, ...files], { encoding: 'utf8' });
  return (JSON.parse(stdout) as string[]).map((file) => file.slice(path.length));
}

/** Returns the problem of a file: its structure, and counts that are not those of the entries. */
export function problemsOf(path: string): string[] {
  const database = new DatabaseSync(path);
  const texts = (sql: string): string[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]));
  const counted = (what: string): string => `(SELECT coalesce(${what}, 0) FROM entries WHERE key_id = keys.id)`;
  const problems = [
    ...texts('PRAGMA integrity_check').filter((line) => line !== 'ok'),
    ...texts('SELECT id FROM entries WHERE key_id NOT IN (SELECT id FROM keys)'),
    ...texts(`SELECT key FROM keys WHERE is_dropped = 0 AND (records <> ${counted('count(*)')} OR records = 0
      OR bytes <> ${counted('sum(octet_length(body))')} OR sequence < ${counted('max(sequence)')})`),
    // The terms of each row, and the rows of each posting.
    ...texts(`WITH terms AS (SELECT key_id, value AS term, sequence FROM entries, json_each(terms)),
        numbers AS (SELECT key_id, term, block * 512 + value % 512 AS sequence FROM postings,
          json_each('[' || substr(body, 2) || ']') WHERE key_id IN (SELECT id FROM keys WHERE is_dropped = 0))
      SELECT 'a term of ' || sequence || ' has no posting' FROM (SELECT * FROM terms EXCEPT SELECT * FROM numbers)
      UNION ALL SELECT 'a posting of ' || sequence || ' has no row' FROM (SELECT * FROM numbers EXCEPT SELECT * FROM terms)`),
  ];
  database.close();
  return problems;
}
