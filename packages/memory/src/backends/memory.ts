import type {
  CallOptions,
  Clock,
  Draft,
  KeyInfo,
  ListQuery,
  ListRule,
  MemoryBackend,
  Swap,
} from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { arrange, isLive, lastExpiryOf, recordOf } from '../records/record.ts';

export interface MemoryBackendOptions {
  /** @default Date.now */
  readonly clock?: Clock | undefined;
}

/** The value under a key: a list, newest first, or a document. */
interface Slot {
  content: string[] | string;
  /** `Infinity` for never. */
  expiresMs: number;
}

/** The calls between two sweeps, which remove all expired keys. */
const CALLS_BETWEEN_SWEEPS = 1000;

/** Creates a backend in this process, for tests and for data that need not survive. */
export function memory(options: MemoryBackendOptions = {}): MemoryBackend {
  const { clock = Date.now } = options;
  const slots = new Map<string, Slot>();
  let isClosed = false;
  let calls = 0;

  const sweep = (nowMs: number): void => {
    for (const [key, { expiresMs }] of slots) if (expiresMs <= nowMs) slots.delete(key);
  };
  const begin = (call: CallOptions = {}): number => {
    call.signal?.throwIfAborted();
    if (isClosed) throw new MemoryError('STORE_CLOSED', ['[memory:memory] The memory was closed', 'Create a new one.']);
    const nowMs = clock();
    calls += 1;
    if (calls % CALLS_BETWEEN_SWEEPS === 0) sweep(nowMs);
    return nowMs;
  };
  const wrongType = (key: string): MemoryError =>
    new MemoryError(
      'CORRUPT_RECORD',
      [
        `[memory:memory] ${key} has a value of another type`,
        'The value was not changed; delete it or use another name.',
      ],
      { key },
    );
  const slotAt = (key: string, nowMs: number): Slot | undefined => {
    const slot = slots.get(key);
    return slot && slot.expiresMs > nowMs ? slot : undefined;
  };
  const listAt = (key: string, nowMs: number): string[] => {
    const content = slotAt(key, nowMs)?.content ?? [];
    if (typeof content === 'string') throw wrongType(key);
    return content;
  };
  const documentAt = (key: string, nowMs: number): string | undefined => {
    const content = slotAt(key, nowMs)?.content;
    if (Array.isArray(content)) throw wrongType(key);
    return content;
  };

  return {
    name: 'memory',
    now: async (call?: CallOptions) => begin(call),
    append: async (key: string, drafts: readonly Draft[], call: CallOptions & { readonly rule: ListRule }) => {
      const nowMs = begin(call);
      const { rule } = call;
      const added = drafts.map((draft) => ({ draft, record: recordOf(draft, nowMs) }));
      const content = arrange(listAt(key, nowMs), added, rule, nowMs);
      const expiresMs = lastExpiryOf(content, rule) ?? slotAt(key, nowMs)?.expiresMs ?? Infinity;
      if (content.length === 0) slots.delete(key);
      else slots.set(key, { content, expiresMs });
      return added.map(({ record }) => record);
    },
    list: async (key: string, { rule, limit = Infinity, signal }: ListQuery & CallOptions) => {
      const nowMs = begin({ signal });
      return listAt(key, nowMs)
        .filter((record) => isLive(record, rule, nowMs))
        .slice(0, limit);
    },
    remove: async (key: string, records: readonly string[] | 'all', call?: CallOptions) => {
      const nowMs = begin(call);
      const content = listAt(key, nowMs);
      const rest = [...content];
      for (const record of records === 'all' ? content : records) {
        const index = rest.indexOf(record);
        if (index !== -1) rest.splice(index, 1);
      }
      const slot = slots.get(key);
      if (rest.length === 0) slots.delete(key);
      else if (slot) slot.content = rest;
      return content.length - rest.length;
    },
    read: async (key: string, call?: CallOptions) => {
      const nowMs = begin(call);
      return documentAt(key, nowMs);
    },
    swap: async (key: string, { expected, next, ttlMs }: Swap, call?: CallOptions) => {
      const nowMs = begin(call);
      if (documentAt(key, nowMs) !== expected) return false;
      if (next === undefined) slots.delete(key);
      else slots.set(key, { content: next, expiresMs: nowMs + ttlMs });
      return true;
    },
    keys: async (prefix: string, call?: CallOptions) => {
      const nowMs = begin(call);
      sweep(nowMs);
      const found = [...slots].filter(([key]) => key.startsWith(prefix));
      return found.map(([key, { content, expiresMs }]): KeyInfo => {
        const texts = typeof content === 'string' ? [content] : content;
        return {
          key,
          kind: typeof content === 'string' ? 'document' : 'list',
          records: texts.length,
          bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
          expiresInMs: expiresMs === Infinity ? undefined : expiresMs - nowMs,
        };
      });
    },
    close: async () => {
      isClosed = true;
      slots.clear();
    },
  };
}
