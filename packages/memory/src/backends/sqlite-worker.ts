import { once } from 'node:events';
import type { SQLOutputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { MemoryError } from '../errors.ts';

/** CommonJS, because it is evaluated. An error keeps the code of SQLite. */
const program = `
const { parentPort, workerData: { path, timeoutMs, statements } } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
let database;
try {
  database = new DatabaseSync(path, { timeout: timeoutMs });
  parentPort.postMessage({ results: statements.map((sql) => database.prepare(sql).all()) });
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
  /** How long SQLite waits for a lock. */
  readonly timeoutMs: number;
}

/**
 * Runs statements that take long on a connection of another thread, so that they do not block this one.
 *
 * @returns the rows of each statement.
 */
export async function runInWorker(path: string, job: Job): Promise<Record<string, SQLOutputValue>[][]> {
  let answer: Answer = { error: { message: 'it ended without an answer' } };
  try {
    const workerData = { path, ...job };
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
