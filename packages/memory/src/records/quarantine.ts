import { MemoryError } from '../errors.ts';
import type { CallOptions, ListQuery, MemoryBackend } from './backend.ts';
import { QUARANTINE_KEY } from './keys.ts';
import { checkLimit } from './limits.ts';
import type { Limits } from './limits.ts';

/** An unreadable record. */
export interface QuarantinedRecord {
  /** The key of its list. */
  readonly key: string;
  /** The text of the record; empty for a workflow that an export leaves out. */
  readonly record: string;
  /** When it was quarantined, milliseconds since the epoch; `undefined` when the record is still in its list. */
  readonly time: number | undefined;
}

/** Called once for each unreadable record, after it moved to quarantine. */
export type QuarantineListener = (record: QuarantinedRecord) => void;

/** Reads lists so that an unreadable record does not hide the others. */
export interface Reader {
  /** Returns the readable records. Unreadable ones move to `ai:quarantine`, where they stay for 30 days. */
  readonly read: <T>(
    key: string,
    query: ListQuery & CallOptions,
    parse: (record: string) => T | undefined,
  ) => Promise<Entry<T>[]>;
  /** Returns the quarantined records, newest first. */
  readonly quarantined: (options?: CallOptions) => Promise<QuarantinedRecord[]>;
}

/** A record with its parsed value. */
interface Entry<T> {
  readonly record: string;
  readonly value: T;
}

function parseQuarantined(text: string): QuarantinedRecord {
  const { key, record, time } = JSON.parse(text) as QuarantinedRecord;
  return { key, record, time };
}

/** Splits records into readable entries and the rest. */
function parseAll<T>(
  records: readonly string[],
  parse: (record: string) => T | undefined,
): { readonly readable: Entry<T>[]; readonly unreadable: string[] } {
  const readable: Entry<T>[] = [];
  const unreadable: string[] = [];
  for (const record of records) {
    const value = parse(record);
    if (value === undefined) unreadable.push(record);
    else readable.push({ record, value });
  }
  return { readable, unreadable };
}

export function createReader(backend: MemoryBackend, limits: Limits, onQuarantine: QuarantineListener): Reader {
  const rule = limits.quarantine;
  const list = async (options: CallOptions): Promise<QuarantinedRecord[]> =>
    (await backend.list(QUARANTINE_KEY, { rule, ...options })).map(parseQuarantined);

  /** Copies a record to quarantine, then removes it from its list. A kill in between leaves it in both. */
  const quarantine = async (key: string, record: string, { signal }: CallOptions): Promise<void> => {
    const fields = JSON.stringify({ key, record });
    const draft = { before: `${fields.slice(0, -1)},"time":`, after: '}' };
    let copy: string | undefined;
    try {
      const before = await list({ signal });
      if (before.some((one) => one.key === key && one.record === record)) {
        // A killed process left it in both lists, or the store cannot remove it.
        await backend.remove(key, [record], { signal });
        return;
      }
      [copy] = await backend.append(QUARANTINE_KEY, [draft], { rule, signal });
      await backend.remove(key, [record], { signal });
    } catch (error) {
      // A store that is not writable can still be read: the record stays in its list, and the listener is called.
      if (!MemoryError.isInstance(error)) throw error;
    }
    onQuarantine(copy === undefined ? { key, record, time: undefined } : parseQuarantined(copy));
  };

  const read: Reader['read'] = async (key, query, parse) => {
    checkLimit(query.limit);
    const records = await backend.list(key, query);
    const { readable, unreadable } = parseAll(records, parse);
    for (const record of unreadable) await quarantine(key, record, query);
    // A limit counts readable records.
    if (unreadable.length === 0 || query.limit === undefined || records.length < query.limit) return readable;
    const all = await backend.list(key, { ...query, limit: undefined });
    return parseAll(all, parse).readable.slice(0, query.limit);
  };

  return { read, quarantined: (options = {}) => list(options) };
}
