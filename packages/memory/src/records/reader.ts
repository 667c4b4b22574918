import type { CallOptions, MemoryBackend, Row } from './backend.ts';
import { checkWhole } from './checks.ts';
import type { Limits } from './limits.ts';
import { newestRows } from './pages.ts';

/** A record that this version cannot read. It stays where it is. */
export interface UnreadableRecord {
  /** The key that has it. */
  readonly key: string;
  /** Of a row of a table, such as the id of a fact. */
  readonly id?: string | undefined;
  /** The raw text; empty when the whole value under the key is of another type. */
  readonly record: string;
  /** Why it is not readable, when that is not just its text. */
  readonly reason?: string | undefined;
}

/** Called for each unreadable record, once in each call that meets it. */
export type UnreadableListener = (record: UnreadableRecord) => void;

interface Entry<T> {
  readonly row: Row;
  readonly value: T;
}

/** Reads records so that an unreadable one does not hide the others. Reading removes, moves and rewrites nothing. */
export interface Reader {
  /** Returns the readable records, newest first, and reports the others. A limit counts readable records. */
  readonly read: <T>(
    key: string,
    options: CallOptions & { readonly limit?: number | undefined },
    parse: (record: string) => T | undefined,
  ) => Promise<Entry<T>[]>;
  /** Reports a record that is not in a list. */
  readonly report: UnreadableListener;
}

/** What the parts of a memory work on. */
export interface Store {
  readonly backend: MemoryBackend;
  readonly reader: Reader;
  readonly limits: Limits;
}

/** A reader that knows what it could not read. */
export interface CountingReader extends Reader {
  /** Returns how many records were unreadable, each counted once. */
  readonly unreadable: () => number;
}

/** Creates a reader for one call, whose answer tells what it lacks. Everything is also reported to the other reader. */
export function countingReader({ backend, reader }: Pick<Store, 'backend' | 'reader'>): CountingReader {
  const seen = new Set<string>();
  const report: UnreadableListener = (unreadable) => {
    const { key, id, record } = unreadable;
    const name = JSON.stringify([key, id ?? record]);
    if (seen.has(name)) return;
    seen.add(name);
    reader.report(unreadable);
  };
  return { ...createReader(backend, report), unreadable: () => seen.size };
}

export function createReader(backend: MemoryBackend, onUnreadable: UnreadableListener): Reader {
  return {
    read: async <T>(
      key: string,
      { limit = Infinity, signal }: CallOptions & { readonly limit?: number | undefined },
      parse: (record: string) => T | undefined,
    ) => {
      checkWhole(limit, 'limit', { min: 0, isEndless: true });
      const readable: Entry<T>[] = [];
      const unreadable: Row[] = [];
      // The rows of the pages before are not read again when some of them are unreadable.
      for await (const row of newestRows(backend, key, { signal, pageRows: limit })) {
        if (readable.length >= limit) break;
        const value = parse(row.text);
        if (value === undefined) unreadable.push(row);
        else readable.push({ row, value });
      }
      for (const { text } of unreadable) onUnreadable({ key, record: text });
      return readable;
    },
    report: onUnreadable,
  };
}
