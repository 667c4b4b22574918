import { statSync } from 'node:fs';

/** A file that was written this recently may be written again within the same time stamp. */
const RECENT_MS = 100;

/**
 * Returns the state of a database of SQLite, which differs after every write. `null` without the file, or when a later write may
 * have the same state.
 */
export function databaseState(path: string, nowMs: number = Date.now()): string | null {
  const states: string[] = [];
  for (const suffix of ['', '-wal']) {
    const stats = statSync(`${path}${suffix}`, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined && suffix === '') return null;
    // An empty log is the same as none: opening and closing the database creates and removes it.
    if (stats === undefined || stats.size === 0n) continue;
    if (Math.abs(nowMs - Number(stats.mtimeMs)) < RECENT_MS) return null;
    states.push(`${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`);
  }
  return states.join(', ');
}
