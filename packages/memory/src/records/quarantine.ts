import type { CallOptions, ListQuery, MemoryBackend } from './backend.ts';
import { MemoryError } from '../errors.ts';
import { QUARANTINE_KEY } from './keys.ts';
import type { Limits } from './limits.ts';

/** A record that could not be read. */
export interface QuarantinedRecord {
  /** The key that it was found under. */
  readonly key: string;
  /** What was found, exactly; empty for a workflow that an export leaves out. */
  readonly record: string;
  /** When, milliseconds since the epoch; `undefined` when it could not be set aside and is still where it was. */
  readonly time: number | undefined;
}

/** Told of each record that is found, once. */
export type QuarantineListener = (record: QuarantinedRecord) => void;

/** Reads lists so that one record that cannot be read does not hide the others. */
export interface Reader {
  /** The records of a list that can be read. The others are set aside, under `ai:quarantine`, for 30 days. */
  readonly read: <T>(
    key: string,
    query: ListQuery & CallOptions,
    parse: (record: string) => T | undefined,
  ) => Promise<Entry<T>[]>;
  /** What was set aside, newest first. */
  readonly quarantined: (options?: CallOptions) => Promise<QuarantinedRecord[]>;
}

/** A record and what it says. */
interface Entry<T> {
  readonly record: string;
  readonly value: T;
}

function parseQuarantined(record: string): QuarantinedRecord {
  const { key, record: found, time } = JSON.parse(record) as QuarantinedRecord;
  return { key, record: found, time };
}

export function createReader(backend: MemoryBackend, limits: Limits, onQuarantine: QuarantineListener): Reader {
  /** First kept in its new place, then removed from the old one: what is killed in between leaves it twice. */
  const setAside = async (key: string, record: string, { signal }: CallOptions): Promise<void> => {
    const fields = JSON.stringify({ key, record });
    const draft = { before: `${fields.slice(0, -1)},"time":`, after: '}' };
    let kept: string | undefined;
    try {
      const before = (await backend.list(QUARANTINE_KEY, { rule: limits.quarantine, signal })).map(parseQuarantined);
      if (before.some((one) => one.key === key && one.record === record)) {
        // A process that was killed in between left it, or the store cannot take it away.
        await backend.remove(key, [record], { signal });
        return;
      }
      [kept] = await backend.append(QUARANTINE_KEY, [draft], { rule: limits.quarantine, signal });
      await backend.remove(key, [record], { signal });
    } catch (error) {
      // A store that cannot be written now can still be read: the record stays where it is, and is told of all the same.
      if (!MemoryError.isInstance(error)) throw error;
    }
    onQuarantine(kept === undefined ? { key, record, time: undefined } : parseQuarantined(kept));
  };

  const read: Reader['read'] = async (key, query, parse) => {
    const records = await backend.list(key, query);
    const entries = records.map((record) => ({ record, value: parse(record) }));
    const good = entries.filter(
      (entry): entry is Entry<NonNullable<(typeof entry)['value']>> => entry.value !== undefined,
    );
    if (good.length === entries.length) return good;
    for (const { record, value } of entries) if (value === undefined) await setAside(key, record, query);
    // A limit counts records that can be read.
    if (query.limit === undefined || records.length < query.limit) return good;
    const all = await backend.list(key, { ...query, limit: undefined });
    const readable = all.map((record) => ({ record, value: parse(record) }));
    return readable
      .filter((entry): entry is Entry<NonNullable<(typeof entry)['value']>> => entry.value !== undefined)
      .slice(0, query.limit);
  };

  return {
    read,
    quarantined: async (options) => {
      const records = await backend.list(QUARANTINE_KEY, { rule: limits.quarantine, ...options });
      return records.map(parseQuarantined);
    },
  };
}
