/** Options of every call. The signal ends a call that has not begun to write; a write that was sent is finished. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * A record of a list without its time: `before`, the time in milliseconds, and `after` make one JSON object. The store sets
 * the time in the step that writes, so that one clock orders all writers.
 */
export interface Draft {
  readonly before: string;
  readonly after: string;
  /** The time of an imported record, which is placed by it. A record without one is the newest. */
  readonly timeMs?: number | undefined;
  /**
   * The start of a record, such as its id. When the list has a record that starts with it, the draft is not written, and `append`
   * returns that record in its place: the newest one, if there are several.
   */
  readonly unlessStart?: string | undefined;
}

/**
 * How many records of a list are kept, and for how long. `Infinity` is unlimited. Records with `"temporary":true` are counted
 * apart, so that they never push out the others.
 */
export interface ListRule {
  /** The newest records that are kept, without the temporary ones. */
  readonly maxRecords: number;
  /** The newest temporary records that are kept. */
  readonly maxTemporaryRecords: number;
  /** Counted from the time of the record. */
  readonly lifetimeMs: number;
  /** The lifetime of records with `"temporary":true`. */
  readonly temporaryLifetimeMs: number;
  /**
   * Whether a list that has more records than the maximum keeps as many as it has, each kind counted apart, so that a write
   * with a smaller rule does not cut what a larger one kept. @default false
   */
  readonly keepsPresent?: boolean | undefined;
}

/** Selects records of a list. */
export interface ListQuery {
  readonly rule: ListRule;
  /** The maximum number of records, newest first. @default Infinity */
  readonly limit?: number | undefined;
}

/** A change of a document that is made only if the document is as expected. */
export interface Swap {
  /** The expected document; `undefined` for none. */
  readonly expected: string | undefined;
  /** The new document; `undefined` removes it. */
  readonly next: string | undefined;
  /** The lifetime of the new document, from now. */
  readonly ttlMs: number;
}

/**
 * Selects what changed under a key. Each record of a list and each row of a table has a sequence, a whole number above those of
 * all earlier writes to the key, wherever the record is placed; a changed row has a new one. The epoch identifies this numbering:
 * with another epoch, all sequences are new. In one epoch, a sequence never has two records. Each write may begin another epoch
 * of a list of up to 256 records; a longer list keeps its epoch while records are only added as its newest.
 */
export interface ChangesQuery {
  /** The epoch of `after` and `upTo`. When the key has another epoch, both are ignored. */
  readonly epoch?: string | undefined;
  /** Only records with a higher sequence. @default 0 */
  readonly after?: number | undefined;
  /** Only records with this sequence or a lower one. @default Infinity */
  readonly upTo?: number | undefined;
  /** The maximum number of records. @default 1_000 */
  readonly limit?: number | undefined;
}

/** A record of a list, or the text of a row, with its sequence. */
export interface Sequenced {
  readonly sequence: number;
  readonly record: string;
}

/** A record of a list, or the text of a row with its id. */
export interface Changed extends Sequenced {
  /** Absent for a record of a list. */
  readonly id?: string | undefined;
}

/** A page of what changed under a key. */
export interface Changes {
  /** Empty when the key has no records. */
  readonly epoch: string;
  /** The highest sequence given so far, also to a record that is gone; 0 when the key has no records. */
  readonly sequence: number;
  /** The number of records or rows, including expired records that were not yet removed. */
  readonly count: number;
  /** In ascending order of sequence. Expired records may be included. Fewer than the limit: these were the last. */
  readonly records: readonly Changed[];
}

/** A row of a table. */
export interface Row extends Sequenced {
  readonly id: string;
}

/** A change of one row. */
export interface RowChange {
  /** At most 1,024 bytes. */
  readonly id: string;
  /** The expected text; `undefined` when the row must not exist. */
  readonly expected: string | undefined;
  /** The new text; `undefined` removes the row. */
  readonly next: string | undefined;
  /**
   * A text that at most one row of the table may have, such as a hash of its content, of at most 200 bytes. It belongs to the row
   * until the row is changed again or removed.
   */
  readonly unique?: string | undefined;
}

/** A change of a table: all of its rows, or none. */
export interface TableChange {
  readonly rows: readonly RowChange[];
  /** The change is made only if this is the highest sequence of the table, 0 for an empty one. @default any */
  readonly sequence?: number | undefined;
  /** The document under the key, which the table replaces in the same step. @default none */
  readonly replaces?: string | undefined;
  /**
   * Whether the rows can be made again from other keys, as those of an index. Then a failure of the power may take the change back,
   * before any later one. @default false
   */
  readonly isDerived?: boolean | undefined;
}

/** Whether a table was changed. */
export type TableResult =
  | { readonly isDone: true; readonly sequence: number }
  /** `changed`: a row, the sequence or the document is not as expected. `taken`: the row `id` has the unique text. */
  | { readonly isDone: false; readonly reason: 'changed' | 'taken'; readonly id?: string | undefined };

/**
 * What became of removed text. `done`: it is in no file of the store. `pending`: another process reads, so that a later write or
 * the next opening finishes it. `log`: it is gone from the data, and a log or a backup of the server may keep it until it is
 * written again.
 */
export type Erasure = 'done' | 'pending' | 'log';

/** Information about a key. */
export interface KeyInfo {
  readonly key: string;
  /** `other`: a value that only another program can have written. */
  readonly kind: 'list' | 'document' | 'table' | 'other';
  /** The number of records of a list, including expired records that were not yet removed, or of rows; 1 for a document. */
  readonly records: number;
  /** About the bytes that the store uses; `undefined` when the store does not report it. */
  readonly bytes: number | undefined;
  /** Milliseconds until the whole key expires; `undefined` for never. */
  readonly expiresInMs: number | undefined;
}

/**
 * A store for lists of records, for tables of rows, and for documents, all text, under keys. Everything that can be derived
 * (streams, facts, notes, workflows, namespaces, the meaning of a record) is written once above it.
 *
 * Each call touches one key and is one atomic step, which includes the lifetime of the key: after a kill, the store has the
 * state before the call or after it. A write is durable once its call returned. Reading removes, moves and rewrites nothing.
 * Failures are `MemoryError`s with a message that starts with the name in brackets, such as `[memory:redis]`; nothing else is
 * thrown, except the reason of an aborted signal.
 *
 * `@cairn/memory/testing` exports the tests that every store must pass.
 */
export interface MemoryBackend {
  /** `memory`, `sqlite`, `redis`. */
  readonly name: string;
  /** Returns the time of the store, milliseconds since the epoch. */
  readonly now: (options?: CallOptions) => Promise<number>;
  /**
   * Returns the time up to which expired data may be deleted. A clock that jumps forward by more than an hour hides what it
   * would expire; it is deleted only when the clock still agrees 24 hours later. Redis trusts the clock of its server.
   */
  readonly trustedNow: (options?: CallOptions) => Promise<number>;
  /**
   * Adds records to a list, in this order, the last one newest. Then removes what the rule does not keep, and sets the expiry
   * of the key to that of its longest-lived record.
   *
   * @returns the records as they were written, one for each draft; for a draft that was not written, see
   *   {@link Draft.unlessStart}.
   */
  readonly append: (
    key: string,
    drafts: readonly Draft[],
    options: CallOptions & { readonly rule: ListRule },
  ) => Promise<string[]>;
  /** Returns the records that the rule keeps now, newest first. A record without a readable time is always included. */
  readonly list: (key: string, query: ListQuery & CallOptions) => Promise<string[]>;
  /**
   * Removes the records that are equal to these texts, or the whole list, or a whole table.
   *
   * @returns the number of removed records.
   */
  readonly remove: (key: string, records: readonly string[] | 'all', options?: CallOptions) => Promise<number>;
  /** Returns what changed in a list or a table. */
  readonly changes: (key: string, query?: ChangesQuery & CallOptions) => Promise<Changes>;
  /** Returns the records with these sequences, `undefined` for those that are gone; all are gone in another epoch. */
  readonly fetch: (
    key: string,
    epoch: string,
    sequences: readonly number[],
    options?: CallOptions,
  ) => Promise<(string | undefined)[]>;
  /** Returns the sequences of all records of a list or a table, ascending. Its time is linear in their number. */
  readonly sequences: (
    key: string,
    options?: CallOptions,
  ) => Promise<{ readonly epoch: string; readonly sequences: readonly number[] }>;
  /** Returns rows of a table by their ids; `undefined` for those that it lacks. */
  readonly rows: (key: string, ids: readonly string[], options?: CallOptions) => Promise<(Row | undefined)[]>;
  /** Changes a table if it is as expected. A table has no expiry. */
  readonly change: (key: string, change: TableChange, options?: CallOptions) => Promise<TableResult>;
  /** Returns the document under a key. */
  readonly read: (key: string, options?: CallOptions) => Promise<string | undefined>;
  /** Changes a document if it is as expected. @returns whether it was changed. */
  readonly swap: (key: string, change: Swap, options?: CallOptions) => Promise<boolean>;
  /** Returns the keys with a prefix, in no particular order. Keys that are written during the call may be missing. */
  readonly keys: (prefix: string, options?: CallOptions) => Promise<KeyInfo[]>;
  /** Makes sure that removed text is in no file of the store. */
  readonly erase: (options?: CallOptions) => Promise<Erasure>;
  /**
   * Copies the store to a new file while it is in use, and verifies the copy. Absent for a store without files.
   *
   * @returns the bytes of the copy.
   */
  readonly backup?: ((path: string, options?: CallOptions) => Promise<number>) | undefined;
  /** Closes the connection or file that the store opened. May be called twice. */
  readonly close: () => Promise<void>;
}

/** Returns milliseconds since the epoch. */
export type Clock = () => number;
