import type { CallTable } from '@cairn/tool/errors';
import { isObject } from '@cairn/tool/kernel';
import { MemoryError } from '../errors.ts';
import { callOptions, type CallOptions, type KeyInfo, type Row } from './backend.ts';
import { DOCUMENT_ID, readDocument, swapDocument, type Swap } from './documents.ts';
import { checkName, namespaceKey, namespacePrefix, parseNamespaceKey } from './keys.ts';
import { checkWhole } from './checks.ts';
import { appendRecords, removeRows, removeTable, type Draft, type ListRule } from './lists.ts';
import { checkSize, listRuleOf, type Limits } from './limits.ts';
import { readTable } from './pages.ts';
import type { Store } from './reader.ts';
import { parseFields } from './record.ts';
import { isTime, wholeTime } from './time.ts';

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** How long the lists of a namespace are kept. Both are unlimited by default. */
export interface NamespaceOptions {
  /** The newest records of each list that are kept. @default Infinity */
  readonly maxRecords?: number | undefined;
  /** In milliseconds, from the time of the record, or from the last change of a document. @default Infinity */
  readonly lifetimeMs?: number | undefined;
}

/** A stored record of a list. */
export interface NamespaceRecord extends Omit<Row, 'place' | 'text'> {
  readonly value: JsonObject;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly time: number;
}

/** Selects what changed in a list. */
interface NamespaceChangesQuery extends CallOptions {
  /** The result of an earlier call: only what was added after it. @default all records */
  readonly since?: Pick<NamespaceChanges, 'start' | 'sequence'> | undefined;
  /** About the maximum number of records, which are the first ones. @default Infinity */
  readonly limit?: number | undefined;
}

/** What changed in a list. */
export interface NamespaceChanges {
  /** Identifies the list: after it was removed, another one has a higher number. 0 for a list without records. */
  readonly start: number;
  /** The last sequence that was read. */
  readonly sequence: number;
  /** Whether the records are those that were added since. Otherwise they are all of the list, which was removed meanwhile. */
  readonly isContinued: boolean;
  /** By sequence, in the order in which they were written. An imported record may be older than those before it. */
  readonly records: readonly NamespaceRecord[];
  /** The texts of the new records that are not readable. They are also reported. */
  readonly unreadable: readonly string[];
}

/** A key of a namespace. */
export interface NamespaceKeyInfo extends Omit<KeyInfo, 'key'> {
  /** The key as the namespace knows it. */
  readonly key: string;
}

/**
 * A part of the store for data that memory does not know, such as the histories of a context. Its keys cannot collide with
 * keys of memory or of another namespace. Export, import, statistics and `forget` of the memory include it.
 *
 * A key has a list of JSON objects, newest first, or a document, which is text that is changed by compare and swap. Each call
 * is one atomic step, like the calls of {@link MemoryBackend}.
 */
export interface Namespace {
  readonly name: string;
  /** The largest value or document, in bytes of UTF-8. */
  readonly maxContentBytes: number;
  /** Returns the key in the store: `ai:namespace:{name}:{key}`. @throws {MemoryError} `INVALID_NAME`. */
  readonly storeKey: (key: string) => string;
  /**
   * Appends values to a list, in this order, the last one newest. The store sets their time.
   *
   * @throws {MemoryError} `INVALID_NAME`, `INVALID_INPUT` for a value that is not a JSON object or has a field `time`,
   *   `TOO_LARGE`.
   */
  readonly append: (key: string, values: readonly JsonObject[], options?: CallOptions) => Promise<NamespaceRecord[]>;
  /**
   * Returns the records of a list, newest first. Unreadable records are reported.
   *
   * @throws {MemoryError} `INVALID_INPUT` for a limit that is not a whole number from 0.
   */
  readonly list: (
    key: string,
    options?: CallOptions & { readonly limit?: number | undefined },
  ) => Promise<NamespaceRecord[]>;
  /**
   * Returns the records that were added to a list after an earlier call, or all when it was removed meanwhile. That a record was
   * removed is not among the changes.
   *
   * @throws {MemoryError} `INVALID_INPUT` for a limit that is not a whole number from 1.
   */
  readonly changes: (key: string, query?: NamespaceChangesQuery) => Promise<NamespaceChanges>;
  /** Removes records from a list. @returns the number of removed records. */
  readonly remove: (key: string, records: readonly NamespaceRecord[], options?: CallOptions) => Promise<number>;
  /** Returns the document under a key. */
  readonly read: (key: string, options?: CallOptions) => Promise<string | undefined>;
  /**
   * Changes a document if it is as expected; `next: undefined` removes it. @returns whether it was changed.
   *
   * @throws {MemoryError} `INVALID_INPUT` for a document that is not well-formed Unicode, `TOO_LARGE`.
   */
  readonly swap: (key: string, change: Pick<Swap, 'expected' | 'next'>, options?: CallOptions) => Promise<boolean>;
  /** Returns all keys, or those with a prefix, in alphabetical order. */
  readonly keys: (options?: CallOptions & { readonly prefix?: string | undefined }) => Promise<NamespaceKeyInfo[]>;
  /** Removes one key, the keys with a prefix, or all keys. @returns the number of removed records and documents. */
  readonly forget: (key?: string | { readonly prefix: string }, options?: CallOptions) => Promise<number>;
}

/** @throws {MemoryError} `INVALID_INPUT` when a value has no JSON form, or is not a plain object. */
function jsonOf(value: JsonObject): string {
  const refuse = (cause?: unknown): never => {
    const summary = 'A value of the namespace is not valid JSON';
    throw new MemoryError('INVALID_INPUT', [summary, 'Use strings, numbers, arrays and plain objects.'], { cause });
  };
  // Such as a date: it would be stored as another value than it is.
  if ('toJSON' in value) return refuse();
  try {
    const json = JSON.stringify(value);
    return json.includes('null') && hasNoForm(value) ? refuse() : json;
  } catch (error) {
    return refuse(error);
  }
}

/** Whether a value has a number that JSON writes as `null`: `NaN`, or an infinite one. */
function hasNoForm(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNoForm);
}

/** Checks a document. @throws {MemoryError} `INVALID_INPUT`, `TOO_LARGE`. */
export function checkDocument(document: unknown, limits: Limits): string {
  // With `u`, a surrogate is a separate code point only if its other half is missing.
  if (typeof document !== 'string' || /\p{Cs}/u.test(document)) {
    const problem = typeof document === 'string' ? 'not well-formed Unicode' : 'not a text';
    const hint = 'Remove unpaired surrogates; a store would change them.';
    throw new MemoryError('INVALID_INPUT', [`A document of the namespace is ${problem}`, hint]);
  }
  return checkSize(document, 'document', limits);
}

/** Returns the draft of a record. @throws {MemoryError} `INVALID_INPUT`, `TOO_LARGE`. */
export function namespaceDraft(value: JsonObject, limits: Limits, timeMs?: number): Draft {
  if (!isObject(value) || 'time' in value) {
    const problem = isObject(value) ? 'has a field "time", which the store sets' : 'is not an object';
    throw new MemoryError('INVALID_INPUT', [`A value of the namespace ${problem}`, 'Use another field or an object.']);
  }
  const fields = jsonOf(value);
  checkSize(fields, 'value', limits);
  const separator = fields === '{}' ? '' : ',';
  return { before: `${fields.slice(0, -1)}${separator}"time":`, after: '}', timeMs };
}

/** Parses the text of a record; `undefined` when it is not a JSON object with a time. */
export function parseNamespaceRecord(text: string): Pick<NamespaceRecord, 'value' | 'time'> | undefined {
  const { time, ...value } = parseFields(text) ?? {};
  return isTime(time) ? { value, time: wholeTime(time) } : undefined;
}

function recordOf({ text, place: _, ...row }: Row): NamespaceRecord | undefined {
  const parsed = parseNamespaceRecord(text);
  return parsed && { ...parsed, ...row };
}

async function changesOf(
  { backend, reader }: Pick<Store, 'backend' | 'reader'>,
  key: string,
  { since, limit = Infinity, signal }: NamespaceChangesQuery,
): Promise<NamespaceChanges> {
  checkWhole(limit, 'limit', { min: 1, isEndless: true });
  const changes = await readTable(backend, key, { after: since?.sequence, limit, signal });
  const { start, sequence } = changes;
  const isContinued = since !== undefined && since.start === start && since.sequence <= sequence;
  // Another list, or a copy of an earlier state that was put back.
  if (since !== undefined && !isContinued && since.sequence > 0) {
    return changesOf({ backend, reader }, key, { limit, signal });
  }
  const unreadable: string[] = [];
  const records = changes.rows.flatMap((row): NamespaceRecord[] => {
    const record = row.id === DOCUMENT_ID ? undefined : recordOf(row);
    if (record !== undefined) return [record];
    reader.report({ key, record: row.text });
    unreadable.push(row.text);
    return [];
  });
  return { start, sequence, isContinued, records, unreadable };
}

export const namespaceCalls: CallTable<Namespace> = {
  append: ['any', 'objects', callOptions],
  list: ['any', { ...callOptions, limit: 'optional' }],
  changes: ['any', { ...callOptions, since: 'optional', limit: 'optional' }],
  remove: ['any', 'objects', callOptions],
  read: ['any', callOptions],
  swap: ['any', { expected: 'required', next: 'required' }, callOptions],
  keys: [{ ...callOptions, prefix: 'optional' }],
  forget: ['any', callOptions],
};

/** @throws {MemoryError} `INVALID_NAME`, `INVALID_OPTION`. */
export function createNamespace(dependencies: Store, name: string, options: NamespaceOptions = {}): Namespace {
  const { backend, reader, limits } = dependencies;
  const prefix = namespacePrefix(checkName(name, 'namespace'));
  const rule: ListRule = listRuleOf(options);
  const storeKey = (key: string): string => namespaceKey(name, key);
  const storePrefix = (start: string): string => (start === '' ? prefix : namespaceKey(name, start));

  return {
    name,
    maxContentBytes: limits.maxContentBytes,
    storeKey,
    append: async (key, values, { signal } = {}) => {
      const drafts = values.map((value) => namespaceDraft(value, limits));
      const rows = await appendRecords(backend, storeKey(key), drafts, { rule, signal });
      return rows.flatMap((row) => recordOf(row) ?? []);
    },
    list: async (key, { limit, signal } = {}) => {
      const entries = await reader.read(storeKey(key), { limit, signal }, parseNamespaceRecord);
      return entries.flatMap(({ row }) => recordOf(row) ?? []);
    },
    changes: (key, query = {}) => changesOf(dependencies, storeKey(key), query),
    remove: (key, records, call) => {
      const ids = records.map(({ id }) => id);
      return removeRows(backend, storeKey(key), ids, call);
    },
    read: (key, call) => readDocument(backend, storeKey(key), call),
    swap: async (key, { expected, next }, call) => {
      if (next !== undefined) checkDocument(next, limits);
      return swapDocument(backend, storeKey(key), { expected, next, ttlMs: rule.lifetimeMs }, call);
    },
    keys: async ({ prefix: start = '', signal } = {}) => {
      const infos = await backend.keys(storePrefix(start), { signal });
      const own = infos.flatMap((info): NamespaceKeyInfo[] => {
        const place = parseNamespaceKey(info.key);
        return place === undefined ? [] : [{ ...info, key: place.key }];
      });
      return own.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    },
    forget: async (key, call = {}) => {
      if (typeof key === 'string') return removeTable(backend, storeKey(key), call);
      let removed = 0;
      for (const info of await backend.keys(storePrefix(key?.prefix ?? ''), call)) {
        removed += await removeTable(backend, info.key, call);
      }
      return removed;
    },
  };
}
