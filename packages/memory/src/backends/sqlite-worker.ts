import { once } from 'node:events';
import type { SQLOutputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { MemoryError } from '../errors.ts';

/** CommonJS, because it is evaluated. An error keeps the code of SQLite. The checksum is the one of `sqlite-table.ts`. */
const program = `
const { parentPort, workerData: { path, timeoutMs, readOnly, statements, checked } } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const { crc32 } = require('node:zlib');
const isDamaged = ({ id, checksum, body }) =>
  checksum !== null && (typeof body !== 'string' || checksum !== crc32(body, crc32(id)));
let database;
try {
  database = new DatabaseSync(path, { timeout: timeoutMs, readOnly });
  const results = statements.map((sql) => database.prepare(sql).all());
  if (checked !== undefined) {
    const damaged = [];
    for (const row of database.prepare(checked).iterate()) if (isDamaged(row)) damaged.push({ key: row.key, id: row.id });
    results.push(damaged);
  }
  parentPort.postMessage({ results });
} catch ({ message, errcode }) {
  parentPort.postMessage({ error: { message, errcode } });
} finally {
  database?.close();
}
`;

interface Answer {
  readonly results?: Record<string, SQLOutputValue>[][];
  readonly error?: { readonly message: string; readonly errcode?: number };
}

interface Job {
  readonly statements: readonly string[];
  /** Selects the key, the id, the checksum and the body of rows. The last result is the rows with a wrong checksum. */
  readonly checked?: string | undefined;
  /** How long SQLite waits for a lock. */
  readonly timeoutMs: number;
  /** @default false */
  readonly readOnly?: boolean | undefined;
}

/**
 * Runs statements that take long on a connection of another thread, so that they do not block this one.
 *
 * @returns the rows of each statement.
 */
export async function runInWorker(path: string, job: Job): Promise<Record<string, SQLOutputValue>[][]> {
  let answer: Answer = { error: { message: 'it ended without an answer' } };
  try {
    const workerData = { path, readOnly: false, ...job };
    const worker = new Worker(program, { eval: true, workerData, execArgv: ['--no-warnings'] });
    worker.once('message', (message: Answer) => {
      answer = message;
    });
    // The connection is closed when the thread has ended.
    await once(worker, 'exit');
  } catch (cause) {
    answer = { error: { message: cause instanceof Error ? cause.message : String(cause) } };
  }
  const { results, error: { message, errcode } = { message: '' } } = answer;
  if (results) return results;
  if (errcode !== undefined) throw Object.assign(new Error(message), { errcode });
  const summary = `[memory:sqlite] ${path}: the thread for long statements failed (${message})`;
  throw new MemoryError('STORE_FAILED', [summary, 'Allow this process to start threads.'], { path });
}
