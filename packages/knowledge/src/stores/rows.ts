/** The tables of knowledge in a store of `@cairn/memory`. All access to their rows is here. */
import type { CallOptions, MemoryBackend } from '@cairn/memory';

/** The keys of the tables. The term index of memory is kept for keys with this prefix only. */
export const ASSETS_KEY = 'ai:knowledge:assets';
export const GAPS_KEY = 'ai:knowledge:gaps';
export const IMPORTS_KEY = 'ai:knowledge:imports';
export const INDEX_KEY = 'ai:knowledge:index';

/** The rows of the saved index: the state of the assets' table that it covers, and what it knows of each asset. */
export const INDEX_ROWS: readonly string[] = ['state', 'heads'];

export interface Row {
  readonly id: string;
  /** Higher than the sequences of all earlier changes of the table. */
  readonly sequence: number;
  readonly text: string;
}

export interface RowChange {
  readonly id: string;
  /** The row as it was read; `undefined` when there was none. */
  readonly expected: string | undefined;
  /** `undefined` removes the row. */
  readonly next: string | undefined;
  /** A string that at most one row has. */
  readonly unique?: string | undefined;
}

/** `changed`: the row `id` is not as expected. `taken`: the row `id` has the unique string. */
export type RowResult =
  | { readonly isDone: true }
  | { readonly isDone: false; readonly reason: 'changed' | 'taken'; readonly id: string };

/** The state of a table. */
export interface Position {
  /** Identifies the numbering; empty when the table has no rows. */
  readonly epoch: string;
  /** The sequence of the last change. */
  readonly sequence: number;
}

export interface RowPage extends Position {
  /** In ascending order of their sequences. Fewer than the limit: these were the last. */
  readonly rows: readonly Row[];
}

export class Rows {
  readonly #backend: MemoryBackend;
  readonly #key: string;

  constructor(backend: MemoryBackend, key: string) {
    this.#backend = backend;
    this.#key = key;
  }

  async read(ids: readonly string[], options: CallOptions): Promise<(Row | undefined)[]> {
    const rows = await this.#backend.rows(this.#key, ids, options);
    return rows.map((row) => row && { id: row.id, sequence: row.sequence, text: row.record });
  }

  /** Returns the rows that changed after a sequence; all rows when the table has another epoch. */
  async changes(
    query: CallOptions & { readonly epoch?: string | undefined; readonly after: number; readonly limit: number },
  ): Promise<RowPage> {
    const { epoch, sequence, records } = await this.#backend.changes(this.#key, query);
    return {
      epoch,
      sequence,
      rows: records.map(({ id = '', record, ...rest }) => ({ id, text: record, sequence: rest.sequence })),
    };
  }

  async position(options: CallOptions): Promise<Position> {
    const last = { after: Number.MAX_SAFE_INTEGER, limit: 1, ...options };
    const { epoch, sequence } = await this.#backend.changes(this.#key, last);
    return { epoch, sequence };
  }

  /** Returns the sequences of all rows. Its time is linear in their number. */
  async sequences(options: CallOptions): Promise<ReadonlySet<number>> {
    return new Set((await this.#backend.sequences(this.#key, options)).sequences);
  }

  /** Removes rows, unless another process changes them concurrently. */
  async remove(ids: readonly string[], options: CallOptions): Promise<void> {
    const rows = (await this.read(ids, options)).filter((row) => row !== undefined);
    if (rows.length === 0) return;
    await this.change(
      rows.map(({ id, text }) => ({ id, expected: text, next: undefined })),
      options,
    );
  }

  /** Makes all changes, or none. */
  async change(rows: readonly RowChange[], options: CallOptions): Promise<RowResult> {
    const result = await this.#backend.change(this.#key, { rows }, options);
    return result.isDone ? { isDone: true } : { isDone: false, reason: result.reason, id: result.id ?? '' };
  }
}
