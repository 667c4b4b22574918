import type { CallOptions, MemoryBackend, Row } from '../records/backend.ts';
import { readDocument, swapDocument, type Swap } from '../records/documents.ts';
import { appendRecords, removeRows, removeTable, type Draft, type ListRule } from '../records/lists.ts';
import { newestRows } from '../records/pages.ts';

/** An empty store with a clock. */
export interface BackendHarness {
  readonly backend: MemoryBackend;
  /** Moves the clock of the store, forward or back. Otherwise the clock stands still. */
  readonly advance: (ms: number) => Promise<void>;
}

export interface ContractCase {
  readonly name: string;
  /** Rejects when the store fails the case. Closes the store. */
  readonly run: (open: () => Promise<BackendHarness>) => Promise<void>;
}

export const forever: ListRule = {
  maxRecords: Infinity,
  maxTemporaryRecords: Infinity,
  lifetimeMs: Infinity,
  temporaryLifetimeMs: Infinity,
};
export const HOUR = 3_600_000;
export const hourly: ListRule = { maxRecords: 5, maxTemporaryRecords: 5, lifetimeMs: HOUR, temporaryLifetimeMs: HOUR };
/** Permanent records live an hour, temporary ones a minute. */
export const notes: ListRule = { maxRecords: 5, maxTemporaryRecords: 5, lifetimeMs: HOUR, temporaryLifetimeMs: 60_000 };

export const draft = (text: string, timeMs?: number): Draft => ({
  before: `{"text":${JSON.stringify(text)},"time":`,
  after: '}',
  timeMs,
});
/** One draft for each character. */
export const drafts = (texts: string): Draft[] => Array.from(texts, (text) => draft(text));
export const note = (text: string, temporary: boolean): Draft => ({
  ...draft(text),
  after: `,"temporary":${temporary}}`,
  isTemporary: temporary,
});

async function newest(
  backend: MemoryBackend,
  key: string,
  { limit = Infinity, signal }: CallOptions & { readonly limit?: number | undefined } = {},
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of newestRows(backend, key, { signal, pageRows: limit })) {
    if (rows.length >= limit) break;
    rows.push(row);
  }
  return rows;
}

/** The lists and documents of a store, as memory keeps them. */
export interface Lists {
  readonly append: (
    key: string,
    drafts: readonly Draft[],
    options: CallOptions & { readonly rule: ListRule },
  ) => Promise<string[]>;
  readonly list: (key: string, options?: CallOptions & { readonly limit?: number | undefined }) => Promise<string[]>;
  /** Removes records by their texts, or all. */
  readonly remove: (key: string, records: readonly string[] | 'all', options?: CallOptions) => Promise<number>;
  readonly read: (key: string, options?: CallOptions) => Promise<string | undefined>;
  readonly swap: (key: string, change: Swap, options?: CallOptions) => Promise<boolean>;
}

export function listsOf(backend: MemoryBackend): Lists {
  return {
    append: async (key, drafts, options) =>
      (await appendRecords(backend, key, drafts, options)).map(({ text }) => text),
    list: async (key, options) => (await newest(backend, key, options)).map(({ text }) => text),
    remove: async (key, records, options) => {
      if (records === 'all') return removeTable(backend, key, options);
      const rows = await newest(backend, key, options);
      const ids = records.flatMap((record) => rows.splice(rows.findIndex(({ text }) => text === record) >>> 0, 1));
      const removed = ids.map(({ id }) => id);
      return removeRows(backend, key, removed, options);
    },
    read: (key, options) => readDocument(backend, key, options),
    swap: (key, change, options) => swapDocument(backend, key, change, options),
  };
}

export function textsOf(records: readonly string[]): unknown[] {
  return records.map((record) => (JSON.parse(record) as { text: unknown }).text);
}

export function timeOf(record: string | undefined): number {
  return (JSON.parse(record ?? '') as { time: number }).time;
}

export function contractCase(
  name: string,
  body: (harness: BackendHarness & { readonly lists: Lists }) => Promise<void>,
): ContractCase {
  return {
    name,
    run: async (open) => {
      const harness = await open();
      try {
        await body({ ...harness, lists: listsOf(harness.backend) });
      } finally {
        await harness.backend.close();
      }
    },
  };
}
