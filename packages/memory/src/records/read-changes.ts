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

/** Where reading begins and ends. */
export interface ReadChangesOptions extends CallOptions {
  /** The epoch of `after`. @default all records */
  readonly epoch?: string | undefined;
  /** Only records with a higher sequence. */
  readonly after?: number | undefined;
  /** The maximum number of selected records. @default Infinity */
  readonly limit?: number | undefined;
}

/**
 * Reads the records of a list or a table in pages, and returns what `select` returns. Other work runs between the pages. In another
 * epoch than the given one it reads all of them. `sequence` is the last one that was read: later records have higher ones.
 */
export async function readChanges<T>(
  backend: MemoryBackend,
  key: string,
  select: (changed: Changed) => T | undefined,
  options: ReadChangesOptions,
): Promise<{ readonly epoch: string; readonly sequence: number; readonly selected: T[] }> {
  const { limit: most = Infinity, signal } = options;
  let selected: T[] = [];
  let limit = Math.min(most, FIRST_PAGE);
  let { epoch, after = 0 } = options;
  for (;;) {
    const page = await backend.changes(key, { epoch, after, limit, signal });
    // All sequences are new.
    if (page.epoch !== epoch) selected = [];
    ({ epoch } = page);
    for (const changed of page.records) {
      after = changed.sequence;
      const value = select(changed);
      if (value !== undefined) selected.push(value);
      if (selected.length === most) return { epoch, sequence: after, selected };
    }
    if (page.records.length < limit) return { epoch, sequence: page.sequence, selected };
    limit = nextPageLimit(limit, page.records);
    await setImmediate();
    signal?.throwIfAborted();
  }
}
