import { checkArguments, MemoryError } from '../errors.ts';
import type {
  CallOptions,
  Clock,
  Keep,
  KeyInfo,
  MemoryBackend,
  PageQuery,
  PostingsOfBlock,
  Row,
  RowChange,
  Terms,
} from '../records/backend.ts';
import { deletableTime, readClock, type ClockState, type Time } from '../records/clock-guard.ts';
import { blockOf, postingOf } from '../records/postings.ts';
import { conflictIn, limitOf, PAGE_BYTES, writtenText, type Conflict } from './changes.ts';
import { SortedRows } from './sorted-rows.ts';

export interface MemoryBackendOptions {
  /** @default Date.now */
  readonly clock?: Clock | undefined;
}

/** A stored row with what its changes need. */
interface StoredRow extends Row {
  readonly unique: string | undefined;
  readonly terms: Terms | undefined;
  readonly labels: readonly string[];
}

type Rows = SortedRows<StoredRow>;

/** The calls between two sweeps, which remove all expired rows. */
const CALLS_BETWEEN_SWEEPS = 1000;

function isLive({ expiresAt = Infinity }: Row, nowMs: number): boolean {
  return expiresAt > nowMs;
}

function compareWritten(left: Row, right: Row): number {
  return left.sequence - right.sequence;
}

function comparePlaced(left: Pick<Row, 'place' | 'sequence'>, right: Pick<Row, 'place' | 'sequence'>): number {
  return left.place - right.place || left.sequence - right.sequence;
}

class Table {
  readonly rows: Map<string, StoredRow> = new Map();
  readonly #written: Rows = new SortedRows<StoredRow>(compareWritten);
  readonly #placed: Rows = new SortedRows<StoredRow>(comparePlaced);
  readonly #byLabel = new Map<string, Rows>();
  /** The number of rows that expire. */
  #expiring = 0;
  readonly #owners = new Map<string, string>();
  readonly #postings = new Map<string, Map<number, string>>();
  sequence: number;
  /** How many rows with terms are gone. */
  removed = 0;
  /** The sequence before the first one, which no other table of the process has. */
  readonly start: number;
  #place = -Infinity;

  constructor(start: number) {
    this.start = start;
    this.sequence = start;
  }

  get version(): string {
    return `${this.start}.${this.removed}`;
  }

  conflictOf(changes: readonly RowChange[], nowMs: number): Conflict | undefined {
    return conflictIn(changes, {
      textOf: (id) => this.#liveRow(id, nowMs)?.text,
      ownerOf: (unique) => {
        const owner = this.#owners.get(unique);
        return owner !== undefined && this.#liveRow(owner, nowMs) ? owner : undefined;
      },
    });
  }

  #liveRow(id: string, nowMs: number): StoredRow | undefined {
    const row = this.rows.get(id);
    return row !== undefined && isLive(row, nowMs) ? row : undefined;
  }

  remove(id: string): boolean {
    const row = this.rows.get(id);
    if (row === undefined) return false;
    this.rows.delete(id);
    if (row.expiresAt !== undefined) this.#expiring -= 1;
    this.#written.remove(row);
    this.#placed.remove(row);
    for (const label of row.labels) {
      const labelled = this.#byLabel.get(label);
      labelled?.remove(row);
      if (labelled?.length === 0) this.#byLabel.delete(label);
    }
    if (row.unique !== undefined && this.#owners.get(row.unique) === id) this.#owners.delete(row.unique);
    if (row.terms === undefined) return true;
    this.removed += 1;
    for (const term of row.terms.keys()) {
      const postings = this.#postings.get(term);
      postings?.delete(row.sequence);
      if (postings?.size === 0) this.#postings.delete(term);
    }
    return true;
  }

  /** Writes a row. @returns the row, even if it has expired already and is not kept. */
  put(
    { id, next = '', timeMs, lifetimeMs = Infinity, unique, terms, labels = [] }: RowChange,
    { nowMs, trustedMs }: Time,
  ): Row {
    this.sequence += 1;
    const time = Math.trunc(timeMs ?? nowMs);
    const place = timeMs === undefined ? Math.max(this.#place, time) : time;
    this.#place = Math.max(this.#place, place);
    const expiry = lifetimeMs === Infinity ? {} : { expiresAt: time + lifetimeMs };
    const row: Row = { id, sequence: this.sequence, place, ...expiry, text: writtenText(next, time) };
    if (!isLive(row, trustedMs)) return row;
    const stored: StoredRow = { ...row, unique, terms, labels };
    this.rows.set(id, stored);
    if (row.expiresAt !== undefined) this.#expiring += 1;
    this.#written.add(stored);
    this.#placed.add(stored);
    for (const label of labels) {
      const labelled = this.#byLabel.get(label) ?? new SortedRows<StoredRow>(comparePlaced);
      labelled.add(stored);
      this.#byLabel.set(label, labelled);
    }
    if (unique !== undefined) this.#owners.set(unique, id);
    for (const [term, count] of terms ?? []) {
      const postings = this.#postings.get(term) ?? new Map<number, string>();
      postings.set(row.sequence, postingOf(row.sequence, count));
      this.#postings.set(term, postings);
    }
    return row;
  }

  /** Returns how many rows each rule keeps, as the table is before the change. */
  limitsOf(keep: readonly Keep[]): number[] {
    return keep.map(({ idPrefix, maxRows, keepsPresent = false }) =>
      keepsPresent ? Math.max(maxRows, this.#newest(idPrefix).length) : maxRows,
    );
  }

  trim({ idPrefix }: Keep, limit: number): void {
    if (this.rows.size > limit) for (const { id } of this.#newest(idPrefix).slice(limit)) this.remove(id);
  }

  #newest(idPrefix: string): StoredRow[] {
    return [...this.rows.values()].filter(({ id }) => id.startsWith(idPrefix)).toSorted((a, b) => comparePlaced(b, a));
  }

  rowAt(sequence: number): StoredRow | undefined {
    const row = this.#written.at(this.#written.countBefore((one) => one.sequence < sequence));
    return row?.sequence === sequence ? row : undefined;
  }

  /** Yields the rows of a query in its order. */
  *select(query: PageQuery): Generator<StoredRow, void, undefined> {
    if (query.order === 'written') {
      const { after = 0 } = query;
      for (let index = this.#written.countBefore(({ sequence }) => sequence <= after); ; index++) {
        const row = this.#written.at(index);
        if (row === undefined) return;
        yield row;
      }
    }
    const { before, label } = query;
    const rows = label === undefined ? this.#placed : this.#byLabel.get(label);
    if (rows === undefined) return;
    const end = before === undefined ? rows.length : rows.countBefore((row) => comparePlaced(row, before) < 0);
    for (let index = end - 1; index >= 0; index--) {
      const row = rows.at(index);
      if (row !== undefined) yield row;
    }
  }

  /** Returns the number of rows that a query selects from. */
  countOf(query: PageQuery): number {
    const isLabelled = query.order === 'newest' && query.label !== undefined;
    return isLabelled ? (this.#byLabel.get(query.label)?.length ?? 0) : this.rows.size;
  }

  sweep(trustedMs: number): void {
    if (this.#expiring === 0) return;
    for (const row of this.rows.values()) if (!isLive(row, trustedMs)) this.remove(row.id);
  }

  postingsOf(term: string, fromBlock: number): PostingsOfBlock[] {
    const blocks = new Map<number, string>();
    for (const [sequence, posting] of this.#postings.get(term) ?? []) {
      const block = blockOf(sequence);
      if (block >= fromBlock) blocks.set(block, `${blocks.get(block) ?? ''}${posting}`);
    }
    return Array.from(blocks, ([block, numbers]) => ({ block, numbers }));
  }

  get terms(): string[] {
    return [...this.#postings.keys()];
  }
}

class ProcessStore implements MemoryBackend {
  readonly name = 'memory';
  readonly #clock: Clock;
  readonly #tables = new Map<string, Table>();
  #clockState: ClockState | undefined;
  /** The highest sequence of all tables. */
  #sequence = 0;
  #calls = 0;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly now: MemoryBackend['now'] = async ({ signal, trusted = false } = {}) => {
    const { nowMs, trustedMs } = this.#begin({ signal });
    return trusted ? trustedMs : nowMs;
  };

  readonly change: MemoryBackend['change'] = async (key, change, call) => {
    const time = this.#begin(call);
    const { rows = [], removes = [], keep = [], sequence } = change;
    const known = this.#tables.get(key);
    if (sequence !== undefined && sequence !== (known?.sequence ?? 0)) return { isDone: false, reason: 'changed' };
    const table = known ?? new Table(this.#sequence + 1);
    const conflict = table.conflictOf(rows, time.nowMs);
    if (conflict) return conflict;
    table.sweep(time.trustedMs);
    const limits = table.limitsOf(keep);
    const ids = removes === 'all' ? [...table.rows.keys()] : removes;
    const removed = ids.filter((id) => table.remove(id)).length;
    for (const { id } of rows) table.remove(id);
    // A removal too is a change of the table.
    table.sequence += rows.filter(({ next }) => next === undefined).length + removed;
    const written = rows.flatMap((row) => (row.next === undefined ? [] : [table.put(row, time)]));
    for (const [index, one] of keep.entries()) table.trim(one, limits[index] ?? Infinity);
    this.#sequence = Math.max(this.#sequence, table.sequence);
    if (table.rows.size === 0) this.#tables.delete(key);
    else this.#tables.set(key, table);
    return { isDone: true, sequence: table.rows.size === 0 ? 0 : table.sequence, rows: written, removed };
  };

  readonly rows: MemoryBackend['rows'] = async (key, ids, call) => {
    const { nowMs } = this.#begin(call);
    const table = this.#tables.get(key);
    return ids.map((id) => {
      const row = typeof id === 'number' ? table?.rowAt(id) : table?.rows.get(id);
      return row !== undefined && isLive(row, nowMs) ? rowOf(row) : undefined;
    });
  };

  readonly page: MemoryBackend['page'] = async (key, query, call) => {
    const { nowMs } = this.#begin(call);
    const table = this.#tables.get(key);
    const { start = 0, sequence = 0 } = table ?? {};
    const count = table?.countOf(query) ?? 0;
    const limit = limitOf(query);
    const rows: Row[] = [];
    let bytes = 0;
    for (const row of table?.select(query) ?? []) {
      if (!isLive(row, nowMs)) continue;
      if (rows.length >= limit || bytes >= PAGE_BYTES) return { start, sequence, count, rows, hasMore: true };
      bytes += row.text.length;
      rows.push(rowOf(row));
    }
    return { start, sequence, count, rows, hasMore: false };
  };

  readonly postings: MemoryBackend['postings'] = async (key, terms, { after = [], signal } = {}) => {
    this.#begin({ signal });
    const table = this.#tables.get(key);
    const postings = terms.map((term, index) => table?.postingsOf(term, blockOf(after[index] ?? 0)) ?? []);
    return { sequence: table?.sequence ?? 0, version: table?.version ?? '', postings };
  };

  readonly terms: MemoryBackend['terms'] = (key, call) => this.#pagesOfTerms(key, call);

  async *#pagesOfTerms(key: string, call?: CallOptions): AsyncGenerator<readonly string[]> {
    this.#begin(call);
    yield this.#tables.get(key)?.terms ?? [];
  }

  readonly keys: MemoryBackend['keys'] = async (prefix, call) => {
    const { nowMs, trustedMs } = this.#begin(call);
    this.#sweep(trustedMs);
    return [...this.#tables].flatMap(([key, { rows }]): KeyInfo[] => {
      const all = [...rows.values()];
      if (!key.startsWith(prefix) || !all.some((row) => isLive(row, nowMs))) return [];
      const last = Math.max(...all.map(({ expiresAt = Infinity }) => expiresAt));
      const bytes = all.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      return [{ key, records: all.length, bytes, expiresInMs: last === Infinity ? undefined : last - nowMs }];
    });
  };

  readonly erase: MemoryBackend['erase'] = async (call) => {
    this.#begin(call);
    return 'done';
  };

  readonly close: MemoryBackend['close'] = async () => {
    this.#isClosed = true;
    this.#tables.clear();
  };

  /** Reads the clock. @throws {MemoryError} `STORE_CLOSED`. */
  #begin({ signal }: CallOptions = {}): Time {
    signal?.throwIfAborted();
    if (this.#isClosed) {
      throw new MemoryError('STORE_CLOSED', ['[memory:memory] The memory was closed', 'Create a new one.']);
    }
    const nowMs = this.#clock();
    this.#clockState = readClock(this.#clockState, nowMs);
    const trustedMs = deletableTime(this.#clockState, nowMs);
    this.#calls += 1;
    if (this.#calls % CALLS_BETWEEN_SWEEPS === 0) this.#sweep(trustedMs);
    return { nowMs, trustedMs };
  }

  #sweep(trustedMs: number): void {
    for (const [key, table] of this.#tables) {
      table.sweep(trustedMs);
      if (table.rows.size === 0) this.#tables.delete(key);
    }
  }
}

function rowOf({ unique: _, terms: __, labels: ___, ...row }: StoredRow): Row {
  return row;
}

/** Creates a backend in this process, for tests and for data that need not survive. */
export function memory(options: MemoryBackendOptions = {}): MemoryBackend {
  checkArguments.options('memory', options, { clock: 'optional' });
  return new ProcessStore(options.clock ?? Date.now);
}
