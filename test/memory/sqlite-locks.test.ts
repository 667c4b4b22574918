/** On POSIX, closing a file anywhere in a process ends the locks of SQLite on it, as a search of the contents of files does. */
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { sqlite } from '@cairn/memory/sqlite';
import { listsOf } from '@cairn/memory/testing';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { draft, forever as rule } from './records.ts';
import { filesWith, problemsOf, startProcess } from './sqlite-files.ts';

function endLocks(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) closeSync(openSync(`${path}${suffix}`, 'r'));
}

/** Another process writes. It is the only one with a lock, so that it removes the log at its end. */
async function writeElsewhere(path: string): Promise<void> {
  const other = startProcess('list', path);
  await other.ended;
  expect(other.lines.at(-1)).toBe('written');
}

test.skipIf(process.platform === 'win32')(
  'no write is lost after another process removed the log of a process whose locks ended',
  async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const backend = sqlite({ path, clock: () => 1_703_123_600_000 });
    onTestFinished(() => backend.close());
    const lists = listsOf(backend);
    await lists.append('ai:here', [draft('first')], { rule });
    endLocks(path);
    await writeElsewhere(path);
    expect(await lists.list('ai:new'), 'the write of the other process is read').toHaveLength(1);
    endLocks(path);
    await writeElsewhere(path);
    await lists.append('ai:here', [draft('second')], { rule });
    await backend.close();
    const again = sqlite({ path, clock: () => 1_703_123_600_000 });
    onTestFinished(() => again.close());
    expect(await listsOf(again).list('ai:new')).toHaveLength(2);
    expect(await listsOf(again).list('ai:here')).toHaveLength(2);
    await again.close();
    expect(problemsOf(path)).toEqual([]);
  },
);

/** Returns the number of locks that this process has on a file. */
function locksOn(path: string): number {
  const { ino } = statSync(path);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
}

test.skipIf(process.platform !== 'linux')(
  'a worker thread that forgets leaves the locks of other threads',
  async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const backend = sqlite({ path, clock: () => 1_703_123_600_000 });
    onTestFinished(() => backend.close());
    await listsOf(backend).append('ai:here', [draft('first')], { rule });
    const before = locksOn(path);
    expect(before).toBeGreaterThan(0);
    const text = 'the tests need redis-server';
    const worker = new Worker(new URL('forget-worker.ts', import.meta.url), { workerData: { path, text } });
    const [[erased]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
    expect(erased).toBe('done');
    expect(locksOn(path)).toBe(before);
    expect(filesWith(path, 'redis-server')).toEqual([]);
  },
);
