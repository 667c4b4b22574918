/**
 * How removed text leaves the files. `secure_delete` overwrites an entry when it is removed, but copies of it can remain in the
 * free space of pages that SQLite divided or joined before, and in the log. So the file is written again, and the log is
 * truncated, which is not possible while another process reads an older state. The mark in `state` has what is left to do:
 * `text` or `log`, with a name, so that a process ends only what it began.
 */
import { randomName } from '../records/random-name.ts';
import type { OpenFile, Statements } from './sqlite-database.ts';

/** Returns the mark of a file. */
export function markOf(on: Statements): string | undefined {
  const mark = on.get('SELECT erasure FROM state')?.['erasure'] ?? null;
  return mark === null ? undefined : String(mark);
}

/** Marks the file as one with removed text. */
export function markErasure(on: Statements): void {
  on.run('UPDATE state SET erasure = ?', `text ${randomName()}`);
}

/** Changes the mark if it is as expected. */
function changeMark(on: Statements, expected: string, next: string | null): void {
  on.run('UPDATE state SET erasure = ? WHERE erasure = ?', next, expected);
}

/** Does what the mark states. @returns whether all is done. */
export async function eraseNow(
  { database, statements }: OpenFile,
  retry: <T>(task: () => T) => Promise<T>,
): Promise<boolean> {
  let mark = markOf(statements);
  if (mark?.startsWith('text') === true) {
    const text = mark;
    await retry(() => database.exec('VACUUM'));
    mark = `log ${randomName()}`;
    const log = mark;
    await retry(() => changeMark(statements, text, log));
  }
  if (mark === undefined) return true;
  const log = mark;
  if (Number(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']) !== 0) return false;
  await retry(() => changeMark(statements, log, null));
  return true;
}
