/** What may end a call before it began. A write that was sent is finished. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * A record of a list before its time is known: `before`, the time in milliseconds, and `after` are one JSON object. The
 * store fills in the time in the step that writes, so that one clock orders all writers.
 */
export interface Draft {
  readonly before: string;
  readonly after: string;
  /** A time of its own, as an import has. The record is placed by it; without one it is the newest. */
  readonly timeMs?: number | undefined;
}

/** How long the records of a list live, and how many of them. `Infinity` is without a bound. */
export interface ListRule {
  /** The newest so many are kept. */
  readonly maxRecords: number;
  /** Counted from the time of the record. */
  readonly lifetimeMs: number;
  /** The lifetime of records that say `"temporary":true`. */
  readonly temporaryLifetimeMs: number;
}

/** What to read of a list. */
export interface ListQuery {
  readonly rule: ListRule;
  /** The newest so many; all by default. */
  readonly limit?: number | undefined;
}

/** A change of a document that is made only when nobody else changed it. */
export interface Swap {
  /** What must be there; `undefined` for nothing. */
  readonly expected: string | undefined;
  /** What is to be there; `undefined` removes it. */
  readonly next: string | undefined;
  /** The lifetime of what is then there, from now. */
  readonly ttlMs: number;
}

/** What a store says of a key. */
export interface KeyInfo {
  readonly key: string;
  /** Records of a list; 1 for a document. Expired ones that were not yet removed count. */
  readonly records: number;
  /** Bytes that the store uses for it, about; `undefined` when it does not say. */
  readonly bytes: number | undefined;
  /** Milliseconds until the whole key is gone; `undefined` for never. */
  readonly expiresInMs: number | undefined;
}

/**
 * A store. It keeps lists of records and documents, both text, under keys. All that can be derived (streams, notes,
 * workflows, what a record means) is written once above it.
 *
 * Each call touches one key and is one atomic step, the lifetime of the key included: a process that is killed leaves what
 * was there before the call, or all of it. What a call has answered is kept. Failures are `MemoryError`s whose message
 * starts with the name in brackets, such as `[memory:redis]`.
 *
 * `./testing` exports the tests that every store has to pass.
 */
export interface MemoryBackend {
  /** `memory`, `sqlite`, `redis`. */
  readonly name: string;
  /** The clock of the store, milliseconds since the epoch. */
  readonly now: (options?: CallOptions) => Promise<number>;
  /**
   * Adds records to a list, in this order, the last of them newest; then removes what the rule does not keep and sets the
   * lifetime of the key to that of its longest-lived record.
   *
   * @returns the records as they were written.
   */
  readonly append: (
    key: string,
    drafts: readonly Draft[],
    options: CallOptions & { readonly rule: ListRule },
  ) => Promise<string[]>;
  /** The records of a list that the rule keeps now, newest first. A record without a readable time is never left out. */
  readonly list: (key: string, query: ListQuery & CallOptions) => Promise<string[]>;
  /** Removes records that are exactly these, or the whole list. @returns how many were removed. */
  readonly remove: (key: string, records: readonly string[] | 'all', options?: CallOptions) => Promise<number>;
  /** The document under a key. */
  readonly read: (key: string, options?: CallOptions) => Promise<string | undefined>;
  /** Changes a document. @returns whether it was as expected, and so was changed. */
  readonly swap: (key: string, change: Swap, options?: CallOptions) => Promise<boolean>;
  /** The keys that begin so, in no order. Keys that come or go meanwhile may be in it or not. */
  readonly keys: (prefix: string, options?: CallOptions) => Promise<KeyInfo[]>;
  /** Closes what the store opened itself. Closing twice is fine. */
  readonly close: () => Promise<void>;
}

/** Milliseconds since the epoch. */
export type Clock = () => number;
