/**
 * A store on plain files, as an example of how little a store needs: a directory with one JSON file for each key. It is for one
 * process, reads the whole file at each call, and has no other memory.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryError } from '@cairn/memory';
import type {
  CallOptions,
  KeyInfo,
  MemoryBackend,
  Page,
  PageQuery,
  Postings,
  Row,
  RowChange,
  TableChange,
  TableResult,
} from '@cairn/memory';

const BLOCK = 512;
const PAGE_BYTES = 1024 * 1024;

type StoredRow = Row & {
  readonly unique?: string | undefined;
  readonly terms?: readonly (readonly [string, number])[];
  readonly labels?: readonly string[];
};

interface Table {
  readonly key: string;
  readonly start: number;
  sequence: number;
  place: number;
  removed: number;
  rows: StoredRow[];
}

const newestFirst = (a: Pick<Row, 'place' | 'sequence'>, b: Pick<Row, 'place' | 'sequence'>): number =>
  b.place - a.place || b.sequence - a.sequence;

export class FileStore implements MemoryBackend {
  readonly name = 'files';
  readonly #directory: string;
  readonly #clock: () => number;
  #isClosed = false;

  constructor(directory: string, clock: () => number) {
    mkdirSync(directory, { recursive: true });
    this.#directory = directory;
    this.#clock = clock;
  }

  now = async (call: CallOptions = {}): Promise<number> => this.#begin(call);

  change = async (key: string, change: TableChange, call?: CallOptions): Promise<TableResult> => {
    const nowMs = this.#begin(call);
    const { rows = [], removes = [], keep = [], sequence } = change;
    const known = this.#read(key);
    if (sequence !== undefined && sequence !== (known?.sequence ?? 0)) return { isDone: false, reason: 'changed' };
    const start = known?.start ?? this.#nextStart();
    const table = known ?? { key, start, sequence: start, place: -Infinity, removed: 0, rows: [] };
    const live = (row: StoredRow): boolean => (row.expiresAt ?? Infinity) > nowMs;
    const drop = (isGone: (row: StoredRow) => boolean): number => {
      const gone = table.rows.filter(isGone);
      table.rows = table.rows.filter((row) => !isGone(row));
      table.removed += gone.filter(({ terms }) => terms !== undefined).length;
      return gone.length;
    };
    drop((row) => !live(row));
    const conflict = conflictOf(table.rows, rows);
    if (conflict !== undefined) return conflict;
    const limits = keep.map(({ idPrefix, maxRows, keepsPresent = false }) =>
      keepsPresent ? Math.max(maxRows, table.rows.filter(({ id }) => id.startsWith(idPrefix)).length) : maxRows,
    );
    const removed = drop(({ id }) => removes === 'all' || removes.includes(id));
    drop(({ id }) => rows.some((row) => row.id === id));
    if (removed > 0 || rows.some(({ next }) => next === undefined)) table.sequence += 1;
    const written = rows.flatMap((row) => (row.next === undefined ? [] : [put(table, row, nowMs)]));
    drop((row) => !live(row));
    for (const [index, { idPrefix }] of keep.entries()) {
      const own = table.rows.filter(({ id }) => id.startsWith(idPrefix)).toSorted(newestFirst);
      const excess = new Set(own.slice(limits[index]).map(({ id }) => id));
      drop(({ id }) => excess.has(id));
    }
    this.#write(table);
    return { isDone: true, sequence: table.rows.length === 0 ? 0 : table.sequence, rows: written, removed };
  };

  rows = async (key: string, ids: readonly (string | number)[], call?: CallOptions): Promise<(Row | undefined)[]> => {
    const rows = this.#live(key, this.#begin(call));
    return ids.map((id) => {
      const row = rows.find((one) => (typeof id === 'number' ? one.sequence : one.id) === id);
      return row && shown(row);
    });
  };

  page = async (key: string, query: PageQuery, call?: CallOptions): Promise<Page> => {
    const live = this.#live(key, this.#begin(call));
    const all =
      query.order === 'written'
        ? live.filter(({ sequence }) => sequence > (query.after ?? 0)).toSorted((a, b) => a.sequence - b.sequence)
        : live
            .filter((row) => query.label === undefined || row.labels?.includes(query.label) === true)
            .filter((row) => !query.before || newestFirst(row, query.before) > 0)
            .toSorted(newestFirst);
    let bytes = 0;
    const rows = all.slice(0, Math.max(0, query.limit ?? 1000)).filter(({ text }) => {
      const fits = bytes < PAGE_BYTES;
      bytes += text.length;
      return fits;
    });
    const { start = 0, sequence = 0, rows: stored = [] } = this.#read(key) ?? {};
    const label = query.order === 'newest' ? query.label : undefined;
    const count = stored.filter(({ labels = [] }) => label === undefined || labels.includes(label)).length;
    return { start, sequence, count, rows: rows.map(shown), hasMore: rows.length < all.length };
  };

  postings = async (
    key: string,
    terms: readonly string[],
    { after = [], ...call }: CallOptions & { readonly after?: readonly number[] | undefined } = {},
  ): Promise<Postings> => {
    this.#begin(call);
    const { start = 0, sequence = 0, removed = 0, rows = [] } = this.#read(key) ?? {};
    const postings = terms.map((term, index) => {
      const blocks = new Map<number, string>();
      for (const row of rows.toSorted((a, b) => a.sequence - b.sequence)) {
        const count = row.terms?.find(([own]) => own === term)?.[1];
        const block = Math.floor(row.sequence / BLOCK);
        if (count === undefined || block < Math.floor((after[index] ?? 0) / BLOCK)) continue;
        blocks.set(block, `${blocks.get(block) ?? ''},${count * BLOCK + (row.sequence % BLOCK)}`);
      }
      return Array.from(blocks, ([block, numbers]) => ({ block, numbers }));
    });
    return { sequence, version: `${start}.${removed}`, postings };
  };

  async *terms(key: string, call?: CallOptions): AsyncGenerator<readonly string[]> {
    this.#begin(call);
    for (const { terms = [] } of this.#read(key)?.rows ?? []) yield terms.map(([term]) => term);
  }

  keys = async (prefix: string, call?: CallOptions): Promise<KeyInfo[]> => {
    const nowMs = this.#begin(call);
    return readdirSync(this.#directory).flatMap((name): KeyInfo[] => {
      const { key, rows } = JSON.parse(readFileSync(join(this.#directory, name), 'utf8')) as Table;
      const last = Math.max(...rows.map(({ expiresAt = Infinity }) => expiresAt));
      if (!key.startsWith(prefix) || last <= nowMs) return [];
      const bytes = rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      return [{ key, records: rows.length, bytes, expiresInMs: last === Infinity ? undefined : last - nowMs }];
    });
  };

  erase = async (call?: CallOptions): Promise<'done'> => (this.#begin(call), 'done');

  close = async (): Promise<void> => void (this.#isClosed = true);

  #begin({ signal }: CallOptions = {}): number {
    signal?.throwIfAborted();
    if (this.#isClosed)
      throw new MemoryError('STORE_CLOSED', ['[memory:files] The memory was closed', 'Open it again.']);
    return this.#clock();
  }

  #path(key: string): string {
    return join(this.#directory, `${createHash('sha256').update(key).digest('hex')}.json`);
  }

  #read(key: string): Table | undefined {
    return existsSync(this.#path(key)) ? (JSON.parse(readFileSync(this.#path(key), 'utf8')) as Table) : undefined;
  }

  #live(key: string, nowMs: number): StoredRow[] {
    return (this.#read(key)?.rows ?? []).filter(({ expiresAt = Infinity }) => expiresAt > nowMs);
  }

  /** One step: the file is whole before and after. */
  #write(table: Table): void {
    if (table.rows.length === 0) return rmSync(this.#path(table.key), { force: true });
    writeFileSync(`${this.#path(table.key)}.tmp`, JSON.stringify(table));
    renameSync(`${this.#path(table.key)}.tmp`, this.#path(table.key));
  }

  #lastStart = 0;

  #nextStart(): number {
    this.#lastStart = Math.max(this.#lastStart + 1, Date.now() * BLOCK);
    return this.#lastStart;
  }
}

function shown({ unique: _, terms: __, labels: ___, ...row }: StoredRow): Row {
  return row;
}

function conflictOf(present: readonly StoredRow[], rows: readonly RowChange[]): TableResult | undefined {
  const changed = rows.find(({ id, expected }) => present.find((row) => row.id === id)?.text !== expected);
  if (changed !== undefined) return { isDone: false, reason: 'changed', id: changed.id };
  for (const [index, { id, unique, next }] of rows.entries()) {
    if (rows.findIndex((row) => row.id === id) < index) return { isDone: false, reason: 'changed', id };
    if (unique === undefined || next === undefined) continue;
    const other = present.find((row) => row.unique === unique && rows.every((one) => one.id !== row.id));
    const twin = rows.slice(0, index).find((row) => row.unique === unique && row.next !== undefined);
    const owner = twin ?? other;
    if (owner !== undefined) return { isDone: false, reason: 'taken', id: owner.id };
  }
  return undefined;
}

function put(
  table: Table,
  { id, next = '', timeMs, lifetimeMs = Infinity, unique, terms, labels }: RowChange,
  nowMs: number,
): Row {
  table.sequence += 1;
  const time = Math.trunc(timeMs ?? nowMs);
  const place = timeMs === undefined ? Math.max(table.place ?? -Infinity, time) : time;
  table.place = Math.max(table.place ?? -Infinity, place);
  const text = typeof next === 'string' ? next : `${next[0]}${time}${next[1]}`;
  const expiry = lifetimeMs === Infinity ? {} : { expiresAt: time + lifetimeMs };
  const row: StoredRow = {
    id,
    sequence: table.sequence,
    place,
    ...expiry,
    text,
    unique,
    ...(terms && { terms: [...terms] }),
    ...(labels && { labels }),
  };
  table.rows.push(row);
  return shown(row);
}
