import { checkArguments, MemoryError } from '../errors.ts';
import type {
  CallOptions,
  Changed,
  Changes,
  ChangesQuery,
  Clock,
  Draft,
  KeyInfo,
  ListQuery,
  ListRule,
  MemoryBackend,
  RowChange,
  Swap,
  TableChange,
  TableResult,
} from '../records/backend.ts';
import { deletableTime, readClock } from '../records/clock-guard.ts';
import type { ClockState } from '../records/clock-guard.ts';
import { isWithinLifetime, lastExpiryOf, lifeOf, recordOf, ruleOfWrite, withinCount } from '../records/record.ts';
import type { Life } from '../records/record.ts';
import { randomName } from '../records/random-name.ts';

export interface MemoryBackendOptions {
  /** @default Date.now */
  readonly clock?: Clock | undefined;
}

/** Newest first. */
interface List {
  readonly kind: 'list';
  items: Item[];
}

/** A record, with its life, which is parsed once. */
interface Item {
  readonly sequence: number;
  readonly record: string;
  readonly life: Life | undefined;
}

interface Table {
  readonly kind: 'table';
  readonly rows: Map<string, Changed & { readonly unique: string | undefined }>;
  /** The ids of the rows by their unique texts. */
  readonly owners: Map<string, string>;
}

interface Document {
  readonly kind: 'document';
  readonly text: string;
}

/** The value under a key. */
interface Slot<Value extends List | Table | Document = List | Table | Document> {
  readonly value: Value;
  /** `Infinity` for never. */
  expiresMs: number;
  readonly epoch: string;
  /** The highest sequence so far. */
  sequence: number;
}

/** The calls between two sweeps, which remove all expired keys. */
const CALLS_BETWEEN_SWEEPS = 1000;
const CHANGES_LIMIT = 1000;

function newSlot<Value extends List | Table | Document>(value: Value): Slot<Value> {
  return { value, expiresMs: Infinity, epoch: randomName(), sequence: 0 };
}

function itemsOf({ value }: Slot): readonly Changed[] {
  if (value.kind === 'document') return [];
  if (value.kind === 'list') return value.items.map(({ sequence, record }) => ({ sequence, record }));
  return Array.from(value.rows, ([id, { sequence, record }]) => ({ sequence, record, id }));
}

function countOf({ value }: Slot): number {
  if (value.kind === 'document') return 0;
  return value.kind === 'list' ? value.items.length : value.rows.size;
}

/** Returns the place of a time among the times of records, newest first: before the first one that is not later. */
function placeOf(times: readonly number[], timeMs: number): number {
  const place = times.findIndex((time) => time <= timeMs);
  return place === -1 ? times.length : place;
}

/** Finds why a change cannot be made. */
function conflictOf(table: Table, rows: readonly RowChange[]): Extract<TableResult, { isDone: false }> | undefined {
  for (const { id, expected } of rows) {
    if (table.rows.get(id)?.record !== expected) return { isDone: false, reason: 'changed', id };
  }
  const taken = new Map<string, string>();
  for (const { unique, id, next } of rows) {
    if (unique === undefined || next === undefined) continue;
    const known = table.owners.get(unique);
    // A row that the same change rewrites gives its unique text up.
    const owner = taken.get(unique) ?? (rows.some((row) => row.id === known) ? undefined : known);
    if (owner !== undefined) return { isDone: false, reason: 'taken', id: owner };
    taken.set(unique, id);
  }
  return undefined;
}

/** Creates a backend in this process, for tests and for data that need not survive. */
export function memory(options: MemoryBackendOptions = {}): MemoryBackend {
  checkArguments.options('memory', options, { clock: 'optional' });
  const { clock = Date.now } = options;
  const slots = new Map<string, Slot>();
  let isClosed = false;
  let calls = 0;
  let clockState: ClockState | undefined;

  let trustedMs = -Infinity;

  const sweep = (): void => {
    for (const [key, { expiresMs }] of slots) if (expiresMs <= trustedMs) slots.delete(key);
  };
  const begin = ({ signal }: CallOptions = {}): number => {
    signal?.throwIfAborted();
    if (isClosed) throw new MemoryError('STORE_CLOSED', ['[memory:memory] The memory was closed', 'Create a new one.']);
    const nowMs = clock();
    clockState = readClock(clockState, nowMs);
    trustedMs = deletableTime(clockState, nowMs);
    calls += 1;
    if (calls % CALLS_BETWEEN_SWEEPS === 0) sweep();
    return nowMs;
  };
  /** The time up to which expired data is deleted: `begin` has read the clock. */
  const trusted = (): number => trustedMs;
  const wrongType = (key: string): MemoryError =>
    new MemoryError(
      'CORRUPT_RECORD',
      [
        `[memory:memory] ${key} has a value of another type`,
        'The value was not changed; delete it or use another name.',
      ],
      { key },
    );
  const slotAt = <Kind extends Slot['value']['kind']>(
    key: string,
    kind: Kind,
    nowMs: number,
  ): Slot<Extract<Slot['value'], { kind: Kind }>> | undefined => {
    const slot = slots.get(key);
    if (slot === undefined || slot.expiresMs <= nowMs) return undefined;
    if (slot.value.kind !== kind) throw wrongType(key);
    return slot as Slot<Extract<Slot['value'], { kind: Kind }>>;
  };
  /** The slot of a key with sequences. */
  const numberedAt = (key: string, nowMs: number): Slot | undefined => {
    const slot = slots.get(key);
    if (slot === undefined || slot.expiresMs <= nowMs) return undefined;
    if (slot.value.kind === 'document') throw wrongType(key);
    return slot;
  };
  const settle = (key: string, slot: Slot): void => {
    if (itemsOf(slot).length === 0) slots.delete(key);
    else slots.set(key, slot);
  };

  return {
    name: 'memory',
    now: async (call?: CallOptions) => begin(call),
    trustedNow: async (call?: CallOptions) => {
      begin(call);
      return trusted();
    },
    append: async (key: string, drafts: readonly Draft[], call: CallOptions & { readonly rule: ListRule }) => {
      const nowMs = begin(call);
      const { rule } = call;
      const slot = slotAt(key, 'list', trusted()) ?? newSlot<List>({ kind: 'list', items: [] });
      const isLive = ({ life }: Item): boolean => isWithinLifetime(life, rule, trusted());
      const items = slot.value.items.filter(isLive);
      const before = items.map(({ life }) => life);
      const times = before.map((life) => life?.timeMs ?? Infinity);
      const added = drafts.map((draft) => {
        const { timeMs, unlessStart } = draft;
        const known =
          unlessStart === undefined
            ? undefined
            : items.find((item) => item.record.startsWith(unlessStart) && isLive(item));
        if (known) return known.record;
        const record = recordOf(draft, nowMs);
        const life = lifeOf(record);
        const position = timeMs === undefined ? 0 : placeOf(times, timeMs);
        slot.sequence += 1;
        items.splice(position, 0, { sequence: slot.sequence, record, life });
        times.splice(position, 0, life?.timeMs ?? Infinity);
        return record;
      });
      const live = items.filter(isLive);
      const isWithin = withinCount(
        live.map(({ life }) => life),
        ruleOfWrite(before, rule),
      );
      slot.value.items = live.filter((_, index) => isWithin[index]);
      const lives = slot.value.items.map(({ life }) => life);
      slot.expiresMs = lastExpiryOf(lives, rule) ?? slot.expiresMs;
      settle(key, slot);
      return added;
    },
    list: async (key: string, { rule, limit = Infinity, signal }: ListQuery & CallOptions) => {
      const nowMs = begin({ signal });
      const items = slotAt(key, 'list', nowMs)?.value.items ?? [];
      const live = items.filter(({ life }) => isWithinLifetime(life, rule, nowMs));
      return live.slice(0, limit).map(({ record }) => record);
    },
    remove: async (key: string, records: readonly string[] | 'all', call?: CallOptions) => {
      begin(call);
      // Data that only a clock that is not trusted hides is removed too: it would come back.
      const slot = numberedAt(key, trusted());
      if (slot === undefined) return 0;
      const before = itemsOf(slot).length;
      if (records === 'all') {
        slots.delete(key);
        return before;
      }
      if (slot.value.kind !== 'list') throw wrongType(key);
      const rest = [...slot.value.items];
      for (const record of records) {
        const index = rest.findIndex((item) => item.record === record);
        if (index !== -1) rest.splice(index, 1);
      }
      slot.value.items = rest;
      settle(key, slot);
      return before - rest.length;
    },
    changes: async (key: string, query: ChangesQuery & CallOptions = {}): Promise<Changes> => {
      const slot = numberedAt(key, begin(query));
      if (slot === undefined) return { epoch: '', sequence: 0, count: 0, records: [] };
      const { epoch, sequence } = slot;
      const { after = 0, upTo = Infinity } = query.epoch === undefined || query.epoch === epoch ? query : {};
      // A caller that polls pays nothing for what has not changed.
      const changed = (after < sequence ? itemsOf(slot) : [])
        .filter((item) => item.sequence > after && item.sequence <= upTo)
        .toSorted((a, b) => a.sequence - b.sequence)
        .slice(0, query.limit ?? CHANGES_LIMIT);
      return { epoch, sequence, count: countOf(slot), records: changed };
    },
    fetch: async (key: string, epoch: string, sequences: readonly number[], call?: CallOptions) => {
      const slot = numberedAt(key, begin(call));
      const known = new Map(slot?.epoch === epoch ? itemsOf(slot).map((item) => [item.sequence, item.record]) : []);
      return sequences.map((sequence) => known.get(sequence));
    },
    sequences: async (key: string, call?: CallOptions) => {
      const slot = numberedAt(key, begin(call));
      const all = slot === undefined ? [] : itemsOf(slot).map(({ sequence }) => sequence);
      return { epoch: slot?.epoch ?? '', sequences: all.toSorted((a, b) => a - b) };
    },
    rows: async (key: string, ids: readonly string[], call?: CallOptions) => {
      const slot = slotAt(key, 'table', begin(call));
      return ids.map((id) => {
        const row = slot?.value.rows.get(id);
        return row && { id, sequence: row.sequence, record: row.record };
      });
    },
    change: async (
      key: string,
      { rows, sequence, replaces }: TableChange,
      call?: CallOptions,
    ): Promise<TableResult> => {
      const nowMs = begin(call);
      if (replaces !== undefined) {
        if (slotAt(key, 'document', nowMs)?.value.text !== replaces) return { isDone: false, reason: 'changed' };
      }
      const known = replaces === undefined ? slotAt(key, 'table', nowMs) : undefined;
      const slot = known ?? newSlot<Table>({ kind: 'table', rows: new Map(), owners: new Map() });
      if (sequence !== undefined && sequence !== slot.sequence) return { isDone: false, reason: 'changed' };
      const conflict = conflictOf(slot.value, rows);
      if (conflict) return conflict;
      for (const { id, next, unique } of rows) {
        slot.sequence += 1;
        const { rows: present, owners } = slot.value;
        const before = present.get(id)?.unique;
        // Another row of the same change may have it already.
        if (before !== undefined && owners.get(before) === id) owners.delete(before);
        present.delete(id);
        if (next === undefined) continue;
        present.set(id, { sequence: slot.sequence, record: next, unique });
        if (unique !== undefined) owners.set(unique, id);
      }
      if (known !== undefined || replaces !== undefined || slot.value.rows.size > 0) settle(key, slot);
      return { isDone: true, sequence: slot.sequence };
    },
    read: async (key: string, call?: CallOptions) => slotAt(key, 'document', begin(call))?.value.text,
    swap: async (key: string, { expected, next, ttlMs }: Swap, call?: CallOptions) => {
      const nowMs = begin(call);
      if (slotAt(key, 'document', nowMs)?.value.text !== expected) return false;
      if (next === undefined) slots.delete(key);
      else slots.set(key, { ...newSlot<Document>({ kind: 'document', text: next }), expiresMs: nowMs + ttlMs });
      return true;
    },
    keys: async (prefix: string, call?: CallOptions) => {
      const nowMs = begin(call);
      sweep();
      const found = [...slots].filter(([key, { expiresMs }]) => key.startsWith(prefix) && expiresMs > nowMs);
      return found.map(([key, slot]): KeyInfo => {
        const { value, expiresMs } = slot;
        const texts = value.kind === 'document' ? [value.text] : itemsOf(slot).map(({ record }) => record);
        return {
          key,
          kind: value.kind,
          records: texts.length,
          bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
          expiresInMs: expiresMs === Infinity ? undefined : expiresMs - nowMs,
        };
      });
    },
    erase: async (call?: CallOptions) => {
      begin(call);
      return 'done';
    },
    close: async () => {
      isClosed = true;
      slots.clear();
    },
  };
}
