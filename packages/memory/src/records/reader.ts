import type { CallOptions, ListQuery, MemoryBackend } from './backend.ts';
import { checkWhole } from './checks.ts';
import { visitRecords } from './turns.ts';

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

/** A record with its parsed value. */
interface Entry<T> {
  readonly record: string;
  readonly value: T;
}

/** Reads records so that an unreadable one does not hide the others. Reading removes, moves and rewrites nothing. */
export interface Reader {
  /** Returns the readable records, newest first, and reports the others. A limit counts readable records. */
  readonly read: <T>(
    key: string,
    query: ListQuery & CallOptions,
    parse: (record: string) => T | undefined,
  ) => Promise<Entry<T>[]>;
  /** Reports a record that is not in a list. */
  readonly report: UnreadableListener;
}

/** How many more records are read when unreadable ones left too few. */
const GROWTH = 4;

export function createReader(backend: MemoryBackend, onUnreadable: UnreadableListener): Reader {
  return {
    read: async <T>(
      key: string,
      { limit = Infinity, ...query }: ListQuery & CallOptions,
      parse: (record: string) => T | undefined,
    ) => {
      // Each store would treat an invalid one differently.
      checkWhole(limit, 'limit', { min: 0, isEndless: true });
      for (let count = limit; ; count *= GROWTH) {
        const records = await backend.list(key, { ...query, limit: count });
        const readable: Entry<T>[] = [];
        const unreadable: string[] = [];
        const visit = (record: string): boolean => {
          if (readable.length === limit) return true;
          const value = parse(record);
          if (value === undefined) unreadable.push(record);
          else readable.push({ record, value });
          return false;
        };
        await visitRecords(records, visit, query);
        if (readable.length < limit && records.length >= count) continue;
        for (const record of unreadable) onUnreadable({ key, record });
        return readable;
      }
    },
    report: onUnreadable,
  };
}
