/** The tables of knowledge in a store of `@cairn/memory`. All access to their rows is here. */
import type { CallOptions, MemoryBackend, Page, Row, RowChange } from '@cairn/memory';
import { setImmediate } from 'node:timers/promises';

export const ASSETS_KEY = 'ai:knowledge:assets';
export const GAPS_KEY = 'ai:knowledge:gaps';
export const IMPORTS_KEY = 'ai:knowledge:imports';
export const INDEX_KEY = 'ai:knowledge:index';

/** The rows of the saved index: the state of the assets' table that it covers, and what it knows of each asset. */
export const INDEX_ROWS: readonly string[] = ['state', 'heads'];

/** The rows of a page: one may have more than a megabyte. */
const ROWS_PER_PAGE = 256;

/** `changed`: the row `id` is not as expected. `taken`: the row `id` has the unique string. */
export type RowResult =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly reason: 'changed' | 'taken'; readonly id: string };

/** The state of a table: two equal states have the same rows. */
export type Position = Pick<Page, 'start' | 'sequence' | 'count'>;

/** Rows with the position of their table. */
export interface ReadRows extends Position {
  /** In ascending order of their sequences. */
  readonly rows: readonly Row[];
}

export class Rows {
  readonly #backend: MemoryBackend;
  readonly #key: string;

  constructor(backend: MemoryBackend, key: string) {
    this.#backend = backend;
    this.#key = key;
  }

  read(ids: readonly string[], options: CallOptions): Promise<(Row | undefined)[]> {
    return this.#backend.rows(this.#key, ids, options);
  }

  /** Returns the rows that changed after a sequence, or the first ones of them. Other work runs in between. */
  async changes(options: CallOptions & { readonly after: number; readonly limit?: number }): Promise<ReadRows> {
    const { after, limit = Infinity, signal } = options;
    const rows = new Map<string, Row>();
    for (let last = after; ;) {
      const query = { order: 'written', after: last, limit: Math.min(limit, ROWS_PER_PAGE) } as const;
      const { rows: found, hasMore, ...position } = await this.#backend.page(this.#key, query, { signal });
      for (const row of found) rows.set(row.id, row);
      last = found.at(-1)?.sequence ?? last;
      if (!hasMore || rows.size >= limit) return { ...position, rows: [...rows.values()] };
      await setImmediate();
    }
  }

  async position(options: CallOptions): Promise<Position> {
    const { start, sequence, count } = await this.#backend.page(this.#key, { order: 'newest', limit: 0 }, options);
    return { start, sequence, count };
  }

  async remove(ids: readonly string[], options: CallOptions): Promise<void> {
    await this.#backend.change(this.#key, { removes: ids }, options);
  }

  async change(rows: readonly RowChange[], options: CallOptions): Promise<RowResult> {
    const result = await this.#backend.change(this.#key, { rows }, options);
    return result.isDone ? { isDone: true } : { isDone: false, reason: result.reason, id: result.id ?? '' };
  }
}

export function isSamePosition(left: Position | undefined, right: Position | undefined): boolean {
  return left?.start === right?.start && left?.sequence === right?.sequence && left?.count === right?.count;
}
