import type { OptionNames } from '@cairn/tool/errors';

/** Options of every call. The signal ends a call that has not begun to write; a write that was sent is finished. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

/** The terms that a row is found by, with a whole number from 0 for each: how often it has the term. */
export type Terms = ReadonlyMap<string, number>;

/** A row of a table. */
export interface Row {
  /** Unique in its table, at most 1,024 bytes. */
  readonly id: string;
  /**
   * A whole number above the sequences of all earlier writes to the key, even if the table was removed in between. A changed row has
   * a new one. No sequence is ever given twice.
   */
  readonly sequence: number;
  /** Where the row is among the others: a later row has a higher place, or the same place and a higher sequence. */
  readonly place: number;
  /** Milliseconds since the epoch; absent for a row that does not expire. */
  readonly expiresAt?: number | undefined;
  readonly text: string;
  /** Whether the text is not what was written. Then it is not valid JSON. */
  readonly isDamaged?: boolean | undefined;
}

/** What a store lost, or a problem of its files. */
export interface Damage {
  /** The key that lost records; empty for a problem of the whole store. */
  readonly key: string;
  /** The problem, and what to do next. */
  readonly message: string;
}

/** Something that every answer from a store must say. */
export interface StoreNotice {
  /** `DAMAGED`: answers may lack records. `BACKUP_FAILED`: the daily backup was not made. */
  readonly code: 'DAMAGED' | 'BACKUP_FAILED';
  readonly message: string;
}

/** The readable records of a damaged store, in a store of their own. */
interface Salvage {
  /** Closing it removes it. */
  readonly backend: MemoryBackend;
  /** Every record that is known to be lost, by key. */
  readonly lost: readonly Damage[];
}

/** A backup of a store, or a salvaged copy. */
export interface BackupResult {
  readonly bytes: number;
  /** The damage of the store, and the records that are lost and not in the copy. Empty for a sound store. */
  readonly problems: readonly Damage[];
}

/** A change of one row. */
export interface RowChange {
  readonly id: string;
  /** The expected text; `undefined` when the row must not exist. */
  readonly expected?: string | undefined;
  /**
   * The new text; `undefined` removes the row. Between two parts the store puts the time of the row in milliseconds, so that one
   * clock orders all writers.
   */
  readonly next: string | readonly [before: string, after: string] | undefined;
  /** The time of an imported row, which is placed by it. @default the time of the store: the row is the newest */
  readonly timeMs?: number | undefined;
  /** How long the row is kept, from its time. @default Infinity */
  readonly lifetimeMs?: number | undefined;
  /**
   * A string that at most one row of the table may have, such as a hash of its content, of at most 200 bytes. It belongs to the row
   * until the row is changed again or removed.
   */
  readonly unique?: string | undefined;
  /** What {@link MemoryBackend.postings} finds the row by. @default nothing */
  readonly terms?: Terms | undefined;
  /** The labels by which {@link MemoryBackend.page} lists the row, each once. @default none */
  readonly labels?: readonly string[] | undefined;
}

/** How many rows of a table are kept. */
export interface Keep {
  /** Only rows whose id starts with it count, and only they are removed. */
  readonly idPrefix: string;
  /** The newest rows that are kept. */
  readonly maxRows: number;
  /**
   * Whether a table that has more rows than the maximum keeps as many as it has, so that a write with a smaller maximum does not cut
   * what a larger one kept. @default false
   */
  readonly keepsPresent?: boolean | undefined;
}

/** A change of a table: all of it, or nothing. */
export interface TableChange {
  /** Each id once. @default [] */
  readonly rows?: readonly RowChange[] | undefined;
  /** The ids of rows to remove whatever their text, before the rows are written; `all` removes the table. @default [] */
  readonly removes?: readonly string[] | 'all' | undefined;
  /** The rows that stay. The oldest of the other rows are removed. @default all rows */
  readonly keep?: readonly Keep[] | undefined;
  /** The change is made only if this is the highest sequence of the table, 0 for a missing one. @default any */
  readonly sequence?: number | undefined;
}

/** Whether a table was changed. */
export type TableResult =
  | {
      readonly isDone: true;
      /** The highest sequence of the table. */
      readonly sequence: number;
      /** The rows with a new text, in the order of the changes. */
      readonly rows: readonly Row[];
      /** How many rows `removes` removed. */
      readonly removed: number;
    }
  /** `changed`: a row or the sequence is not as expected. `taken`: the row `id` has the unique string. */
  | { readonly isDone: false; readonly reason: 'changed' | 'taken'; readonly id?: string | undefined };

/** Selects rows of a table in one of two orders. */
export type PageQuery = {
  /** The maximum number of rows. A page ends earlier after about a mebibyte of text. @default 1_000 */
  readonly limit?: number | undefined;
} & (
  | {
      readonly order: 'newest';
      /** Only rows with this label. No other row is read. @default all */
      readonly label?: string | undefined;
      /** Only rows before this one in time, the last one of the page before. @default all */
      readonly before?: Pick<Row, 'place' | 'sequence'> | undefined;
    }
  | {
      /** By sequence, ascending. */
      readonly order: 'written';
      /** Only rows with a higher sequence. @default 0 */
      readonly after?: number | undefined;
    }
);

/** A page of a table. */
export interface Page {
  /** Identifies the table: after it was removed, another one under the key has a higher number. 0 for a missing one. */
  readonly start: number;
  /** The highest sequence of the table; 0 for a missing one. */
  readonly sequence: number;
  /**
   * The number of rows, including expired rows that were not yet removed; with a label, of the rows that have it. In a table whose rows do not expire, a reader that has all
   * rows up to a sequence, reads the rows after it, and then has as many rows as this, has all rows: none of them was removed.
   */
  readonly count: number;
  readonly rows: readonly Row[];
  /** Whether there are rows after these. */
  readonly hasMore: boolean;
}

/** The rows of a block that have a term: the block of the sequence `n` is `floor(n / POSTINGS_BLOCK)`. */
export interface PostingsOfBlock {
  readonly block: number;
  readonly numbers: string;
}

/** Which rows of a table have some terms. Expired rows that were not yet removed are included. */
export interface Postings {
  /** The highest sequence of the table. */
  readonly sequence: number;
  /** Changes when a row with terms was removed or changed, or the table was removed. */
  readonly version: string;
  /**
   * For each term the blocks with rows that have it, ascending, with a number for each row, by sequence: `,<number>`, which is the
   * count times {@link POSTINGS_BLOCK} plus the place of the row in the block. See `records/postings.ts`.
   */
  readonly postings: readonly (readonly PostingsOfBlock[])[];
}

/**
 * What became of removed text. `done`: it is in no file of the store. `pending`: another process reads, or the
 * disk is full, so that a later write or the next opening finishes it. `log`: it is gone from the data, and a log or a backup of the server may keep it until it is
 * written again.
 */
export type Erasure = 'done' | 'pending' | 'log';

/** Information about a key. */
export interface KeyInfo {
  readonly key: string;
  /** The number of rows, including expired rows that were not yet removed; 0 for a value of another program. */
  readonly records: number;
  /** About the bytes that the store uses; `undefined` when the store does not report it. */
  readonly bytes: number | undefined;
  /** Milliseconds until the last row expires; `undefined` for never. */
  readonly expiresInMs: number | undefined;
}

/**
 * A store of tables, each under a key, whose rows have an id and text. Everything that can be derived (streams, facts, notes,
 * workflows, namespaces, the meaning of text) is written once above it.
 *
 * Each call touches one key and is one atomic step, which includes the terms of rows and what expires: after a kill, the store has
 * the state before the call or after it. A write is durable once its call returned. Reading removes, moves and rewrites nothing. A
 * row that has expired is not read, and removed by later writes. Failures are `MemoryError`s with a message that starts with the
 * name in brackets, such as `[memory:redis]`; nothing else is thrown, except the reason of an aborted signal.
 *
 * `@cairn/memory/testing` exports the tests that every store must pass.
 */
export interface MemoryBackend {
  /** `memory`, `sqlite`, `redis`. */
  readonly name: string;
  /** The file of the store, if it is in one. */
  readonly path?: string | undefined;
  /**
   * Returns the time of the store, milliseconds since the epoch; with `trusted` the time up to which expired data may be deleted. A
   * clock that jumps forward by more than an hour hides what it would expire; it is deleted only when the clock still agrees 24 hours
   * later. Redis trusts the clock of its server.
   */
  readonly now: (options?: CallOptions & { readonly trusted?: boolean | undefined }) => Promise<number>;
  /** Changes a table if it is as expected. A row that would have expired already is not kept. */
  readonly change: (key: string, change: TableChange, options?: CallOptions) => Promise<TableResult>;
  /** Returns rows by their ids or sequences; `undefined` for those that the table lacks. */
  readonly rows: (
    key: string,
    ids: readonly (string | number)[],
    options?: CallOptions,
  ) => Promise<(Row | undefined)[]>;
  /** Returns a page of a table. */
  readonly page: (key: string, query: PageQuery, options?: CallOptions) => Promise<Page>;
  /**
   * Returns the rows that have terms.
   *
   * @param options `after`: for each term a sequence. The blocks before its block are left out, which a caller that knows the
   *   version has.
   */
  readonly postings: (
    key: string,
    terms: readonly string[],
    options?: CallOptions & { readonly after?: readonly number[] | undefined },
  ) => Promise<Postings>;
  /** Returns all terms of a table in pages. A term may come more than once. */
  readonly terms: (key: string, options?: CallOptions) => AsyncIterable<readonly string[]>;
  /** Returns the keys with a prefix, in no particular order. Keys that are written during the call may be missing. */
  readonly keys: (prefix: string, options?: CallOptions) => Promise<KeyInfo[]>;
  /** Makes sure that removed text is in no file of the store. */
  readonly erase: (options?: CallOptions) => Promise<Erasure>;
  /**
   * Copies the store to a new file while it is in use, and verifies the copy. The copy of a damaged store has every readable record.
   * Absent for a store without files.
   */
  readonly backup?: ((path: string, options?: CallOptions) => Promise<BackupResult>) | undefined;
  /** Reads everything and returns what is damaged; nothing for a sound store. Absent for a store without files. */
  readonly check?: ((options?: CallOptions) => Promise<readonly Damage[]>) | undefined;
  /** Copies every readable record of a damaged store to a store of its own. Absent for a store without files. */
  readonly salvage?: ((options?: CallOptions) => Promise<Salvage>) | undefined;
  /** Returns what an answer must say about the store, from what earlier calls met. Damage is returned each time, a failed backup once. */
  readonly notices?: (() => readonly StoreNotice[]) | undefined;
  /**
   * Returns how long the store's own backups keep text that was forgotten, such as `until 2026-12-06`; `undefined` when none does. The
   * first use of the store from that day on removes them.
   */
  readonly keptUntil?: ((options?: CallOptions) => Promise<string | undefined>) | undefined;
  /** Closes the connection or file that the store opened. May be called twice. */
  readonly close: () => Promise<void>;
}

/** Returns milliseconds since the epoch. */
export type Clock = () => number;
