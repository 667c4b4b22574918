import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { isObject } from '@cairn/tool/kernel';
import { MemoryError } from '../errors.ts';
import type { CallOptions, Draft, KeyInfo, ListRule, MemoryBackend, Swap } from './backend.ts';
import { checkName, namespaceKey, namespacePrefix, parseNamespaceKey } from './keys.ts';
import { checkWhole } from './checks.ts';
import { checkSize, listRuleOf } from './limits.ts';
import type { Limits } from './limits.ts';
import { readChanges } from './read-changes.ts';
import type { Reader } from './reader.ts';
import { isLive, parseFields } from './record.ts';
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
export interface NamespaceRecord {
  readonly value: JsonObject;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly time: number;
  /** The stored text, which {@link Namespace.remove} identifies the record by. */
  readonly text: string;
}

/** Selects what changed in a list. */
export interface NamespaceChangesQuery extends CallOptions {
  /** The result of an earlier call: only what was added after it. @default all records */
  readonly since?: Pick<NamespaceChanges, 'epoch' | 'sequence'> | undefined;
  /** The maximum number of records. @default Infinity */
  readonly limit?: number | undefined;
}

/** A stored record of a list, with its sequence. */
export interface SequencedRecord extends NamespaceRecord {
  readonly sequence: number;
}

/** What changed in a list. */
export interface NamespaceChanges {
  /** The numbering of the list; empty when it has no records. */
  readonly epoch: string;
  /** The last sequence that was read. */
  readonly sequence: number;
  /** Whether the records are those that were added since. Otherwise they are all of the list: it was removed or numbered again. */
  readonly isContinued: boolean;
  /** By sequence, in the order in which they were written. An imported record may be older than those before it. */
  readonly records: readonly SequencedRecord[];
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
   *   `TOO_LARGE`, `CORRUPT_RECORD` when the key has a document.
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
   * Returns the records that were added to a list after an earlier call, or all when it was removed or numbered again meanwhile.
   * A list of more than 256 records keeps its epoch while records are added as its newest.
   *
   * @throws {MemoryError} `INVALID_INPUT` for a limit that is not a whole number from 1.
   */
  readonly changes: (key: string, query?: NamespaceChangesQuery) => Promise<NamespaceChanges>;
  /** Removes records from a list. @returns the number of removed records. */
  readonly remove: (key: string, records: readonly NamespaceRecord[], options?: CallOptions) => Promise<number>;
  /** Returns the document under a key. @throws {MemoryError} `CORRUPT_RECORD` when the key has a list. */
  readonly read: (key: string, options?: CallOptions) => Promise<string | undefined>;
  /**
   * Changes a document if it is as expected; `next: undefined` removes it. @returns whether it was changed.
   *
   * @throws {MemoryError} `INVALID_INPUT` for a document that is not well-formed Unicode, `TOO_LARGE`, `CORRUPT_RECORD` when
   *   the key has a list.
   */
  readonly swap: (key: string, change: Pick<Swap, 'expected' | 'next'>, options?: CallOptions) => Promise<boolean>;
  /** Returns all keys, or those with a prefix, in alphabetical order. */
  readonly keys: (options?: CallOptions & { readonly prefix?: string | undefined }) => Promise<NamespaceKeyInfo[]>;
  /** Removes one key, the keys with a prefix, or all keys. @returns the number of removed records and documents. */
  readonly forget: (key?: string | { readonly prefix: string }, options?: CallOptions) => Promise<number>;
}

export interface NamespaceDependencies {
  readonly backend: MemoryBackend;
  readonly reader: Reader;
  readonly limits: Limits;
}

/** @throws {MemoryError} `INVALID_INPUT` when a value has no JSON form, or one that is not that of a plain object. */
function jsonOf(value: JsonObject): string {
  const refuse = (cause?: unknown): never => {
    const summary = 'A value of the namespace is not valid JSON';
    throw new MemoryError('INVALID_INPUT', [summary, 'Use strings, numbers, arrays and plain objects.'], { cause });
  };
  // Such as a date: it would be stored as another value than it is.
  if ('toJSON' in value) return refuse();
  try {
    return JSON.stringify(value);
  } catch (error) {
    return refuse(error);
  }
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

/** Parses a record; `undefined` when it is not a JSON object with a time. */
export function parseNamespaceRecord(text: string): NamespaceRecord | undefined {
  const { time, ...value } = parseFields(text) ?? {};
  return isTime(time) ? { value, time: wholeTime(time), text } : undefined;
}

/** Removes one key of a namespace, or those with a prefix. @returns the number of removed records and documents. */
async function removeKeys(
  backend: MemoryBackend,
  selection: { readonly key: string } | { readonly prefix: string },
  options: CallOptions,
): Promise<number> {
  const infos = await backend.keys('key' in selection ? selection.key : selection.prefix, options);
  let removed = 0;
  for (const info of infos) {
    if ('prefix' in selection || info.key === selection.key) removed += await removeKey(backend, info, options);
  }
  return removed;
}

interface ListReading {
  readonly key: string;
  readonly rule: ListRule;
  readonly query: NamespaceChangesQuery;
}

async function changesOf(
  { backend, reader }: NamespaceDependencies,
  { key, rule, query: { since, limit = Infinity, signal } }: ListReading,
): Promise<NamespaceChanges> {
  checkWhole(limit, 'limit', { min: 1, isEndless: true });
  const from = since && { epoch: since.epoch, after: since.sequence };
  const { epoch, sequence, selected } = await readChanges(backend, key, (one) => one, { ...from, limit, signal });
  // The store may still have expired records.
  const nowMs = selected.length === 0 ? 0 : await backend.now({ signal });
  const unreadable: string[] = [];
  const records = selected.flatMap(({ sequence: place, record }): SequencedRecord[] => {
    if (!isLive(record, rule, nowMs)) return [];
    const parsed = parseNamespaceRecord(record);
    if (parsed !== undefined) return [{ ...parsed, sequence: place }];
    reader.report({ key, record });
    unreadable.push(record);
    return [];
  });
  return { epoch, sequence, isContinued: epoch === since?.epoch, records, unreadable };
}

/** Removes a key with all that it has. @returns the number of removed records and documents. */
export async function removeKey(
  backend: MemoryBackend,
  { key, kind }: Pick<KeyInfo, 'key' | 'kind'>,
  options: CallOptions,
): Promise<number> {
  if (kind !== 'document') return backend.remove(key, 'all', options);
  for (;;) {
    const document = await backend.read(key, options);
    if (document === undefined) return 0;
    if (await backend.swap(key, { expected: document, next: undefined, ttlMs: Infinity }, options)) return 1;
  }
}

const callOptions: OptionNames<CallOptions> = { signal: 'optional' };

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
export function createNamespace(
  dependencies: NamespaceDependencies,
  name: string,
  options: NamespaceOptions = {},
): Namespace {
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
      const texts = await backend.append(storeKey(key), drafts, { rule, signal });
      return texts.flatMap((text) => parseNamespaceRecord(text) ?? []);
    },
    list: async (key, { limit, signal } = {}) => {
      const entries = await reader.read(storeKey(key), { rule, limit, signal }, parseNamespaceRecord);
      return entries.map(({ value }) => value);
    },
    changes: (key, query = {}) => changesOf(dependencies, { key: storeKey(key), rule, query }),
    remove: (key, records, call) =>
      backend.remove(
        storeKey(key),
        records.map(({ text }) => text),
        call,
      ),
    read: (key, call) => backend.read(storeKey(key), call),
    swap: async (key, { expected, next }, call) => {
      if (next !== undefined) checkDocument(next, limits);
      return backend.swap(storeKey(key), { expected, next, ttlMs: rule.lifetimeMs }, call);
    },
    keys: async ({ prefix: start = '', signal } = {}) => {
      const infos = await backend.keys(storePrefix(start), { signal });
      const own = infos.flatMap((info): NamespaceKeyInfo[] => {
        const place = parseNamespaceKey(info.key);
        return place === undefined ? [] : [{ ...info, key: place.key }];
      });
      return own.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    },
    forget: (key, call = {}) => {
      const selection = typeof key === 'string' ? { key: storeKey(key) } : { prefix: storePrefix(key?.prefix ?? '') };
      return removeKeys(backend, selection, call);
    },
  };
}
