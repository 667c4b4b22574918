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
}

/** How many records of a list are kept, and for how long. `Infinity` is unlimited. */
export interface ListRule {
  /** The newest records that are kept. */
  readonly maxRecords: number;
  /** Counted from the time of the record. */
  readonly lifetimeMs: number;
  /** The lifetime of records with `"temporary":true`. */
  readonly temporaryLifetimeMs: number;
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

/** Information about a key. */
export interface KeyInfo {
  readonly key: string;
  /** `other`: a value that only another program can have written. */
  readonly kind: 'list' | 'document' | 'other';
  /** The number of records of a list, including expired records that were not yet removed; 1 for a document. */
  readonly records: number;
  /** About the bytes that the store uses; `undefined` when the store does not report it. */
  readonly bytes: number | undefined;
  /** Milliseconds until the whole key expires; `undefined` for never. */
  readonly expiresInMs: number | undefined;
}

/**
 * A store for lists of records and for documents, both text, under keys. Everything that can be derived (streams, notes,
 * workflows, namespaces, the meaning of a record) is written once above it.
 *
 * Each call touches one key and is one atomic step, which includes the lifetime of the key: after a kill, the store has the
 * state before the call or after it. A write is durable once its call returned. Failures are `MemoryError`s with a message
 * that starts with the name in brackets, such as `[memory:redis]`.
 *
 * `@cairn/memory/testing` exports the tests that every store must pass.
 */
export interface MemoryBackend {
  /** `memory`, `sqlite`, `redis`. */
  readonly name: string;
  /** Returns the time of the store, milliseconds since the epoch. */
  readonly now: (options?: CallOptions) => Promise<number>;
  /**
   * Adds records to a list, in this order, the last one newest. Then removes what the rule does not keep, and sets the expiry
   * of the key to that of its longest-lived record.
   *
   * @returns the records as they were written.
   */
  readonly append: (
    key: string,
    drafts: readonly Draft[],
    options: CallOptions & { readonly rule: ListRule },
  ) => Promise<string[]>;
  /** Returns the records that the rule keeps now, newest first. A record without a readable time is always included. */
  readonly list: (key: string, query: ListQuery & CallOptions) => Promise<string[]>;
  /** Removes the records that are equal to these texts, or the whole list. @returns the number of removed records. */
  readonly remove: (key: string, records: readonly string[] | 'all', options?: CallOptions) => Promise<number>;
  /** Returns the document under a key. */
  readonly read: (key: string, options?: CallOptions) => Promise<string | undefined>;
  /** Changes a document if it is as expected. @returns whether it was changed. */
  readonly swap: (key: string, change: Swap, options?: CallOptions) => Promise<boolean>;
  /** Returns the keys with a prefix, in no particular order. Keys that are written during the call may be missing. */
  readonly keys: (prefix: string, options?: CallOptions) => Promise<KeyInfo[]>;
  /** Closes the connection or file that the store opened. May be called twice. */
  readonly close: () => Promise<void>;
}

/** Returns milliseconds since the epoch. */
export type Clock = () => number;
