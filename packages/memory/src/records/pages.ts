/** Reading of whole tables, page by page. Other work runs between the pages. */
import { setImmediate } from 'node:timers/promises';
import type { CallOptions, MemoryBackend, Page, Row } from './backend.ts';

/** The rows of a page: each is parsed before other work runs. */
const ROWS_PER_PAGE = 256;

/** A table as it was when the last page was read. */
export interface ReadTable {
  readonly start: Page['start'];
  /** The highest sequence, or the last one that was read. */
  readonly sequence: number;
  /** The number of rows, including expired rows that were not yet removed. */
  readonly count: number;
  /** The last state of each row, by sequence. A row that changed meanwhile is as it was or as it is. */
  readonly rows: Row[];
}

/** Reads the rows that were written after a sequence, or the first ones of them. */
export async function readTable(
  backend: MemoryBackend,
  key: string,
  {
    after = 0,
    limit = Infinity,
    signal,
  }: CallOptions & { readonly after?: number | undefined; readonly limit?: number | undefined },
): Promise<ReadTable> {
  const rows = new Map<string, Row>();
  for (let last = after; ;) {
    const query = { order: 'written', after: last, limit: Math.min(limit, ROWS_PER_PAGE) } as const;
    const page = await backend.page(key, query, { signal });
    for (const row of page.rows) {
      // A row that changed comes again, as the last one.
      rows.delete(row.id);
      rows.set(row.id, row);
      last = row.sequence;
    }
    if (!page.hasMore || rows.size >= limit) {
      const { start, count, hasMore } = page;
      return { start, sequence: hasMore ? last : page.sequence, count, rows: [...rows.values()] };
    }
    await setImmediate();
    signal?.throwIfAborted();
  }
}

/** Reads rows, newest first, until the caller has enough: about `pageRows`. */
export async function* newestRows(
  backend: MemoryBackend,
  key: string,
  { pageRows = ROWS_PER_PAGE, signal }: CallOptions & { readonly pageRows?: number | undefined } = {},
): AsyncGenerator<Row, void, undefined> {
  const limit = Math.max(1, Math.min(pageRows + 1, ROWS_PER_PAGE));
  for (let before: Row | undefined; ;) {
    const page = await backend.page(key, { order: 'newest', before, limit }, { signal });
    yield* page.rows;
    before = page.rows.at(-1);
    if (!page.hasMore || before === undefined) return;
    await setImmediate();
    signal?.throwIfAborted();
  }
}
