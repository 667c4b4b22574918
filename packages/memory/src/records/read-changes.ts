import { setImmediate } from 'node:timers/promises';
import type { CallOptions, Changed, MemoryBackend } from './backend.ts';

/** A page that has a short list whole. */
export const FIRST_PAGE = 64;
const MAX_PAGE = 1000;
/** The UTF-16 code units of a page. */
const UNITS_PER_PAGE = 1024 * 1024;

/** Returns the limit of the next page from the size of the last one. */
export function nextPageLimit(limit: number, records: readonly Changed[]): number {
  const units = records.reduce((sum, { record }) => sum + record.length, 1);
  return Math.max(FIRST_PAGE / 4, Math.min(MAX_PAGE, Math.floor((limit * UNITS_PER_PAGE) / units)));
}

/** Reads all records of a list or a table in pages, and returns what `select` returns. Other work runs between the pages. */
export async function readChanges<T>(
  backend: MemoryBackend,
  key: string,
  select: (changed: Changed) => T | undefined,
  { signal }: CallOptions,
): Promise<{ readonly epoch: string; readonly selected: T[] }> {
  let selected: T[] = [];
  let limit = FIRST_PAGE;
  let after = 0;
  for (let epoch: string | undefined; ;) {
    const page = await backend.changes(key, { epoch, after, limit, signal });
    // All sequences are new.
    if (page.epoch !== epoch) selected = [];
    ({ epoch } = page);
    for (const changed of page.records) {
      after = changed.sequence;
      const value = select(changed);
      if (value !== undefined) selected.push(value);
    }
    if (page.records.length < limit) return { epoch, selected };
    limit = nextPageLimit(limit, page.records);
    await setImmediate();
    signal?.throwIfAborted();
  }
}
