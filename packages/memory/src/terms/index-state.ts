/**
 * The state of a stored index: which segments it has. It is one row of the table that has the rows of the segments too, and a
 * segment is written in one step with it. So another process that changed the state meanwhile, or removed the records, refuses
 * the segment, and a kill leaves no half of one.
 */
import { SEGMENT_VERSION, TERMS_VERSION } from '@cairn/retrieval';
import type { SegmentRows } from '@cairn/retrieval';
import type { CallOptions, MemoryBackend, RowChange } from '../records/backend.ts';
import { randomName } from '../records/random-name.ts';
import { parseFields } from '../records/record.ts';

/** Raised when a record gives other text than before, or the state changes its shape. */
const INDEX_VERSION = 1;

/** An index with other terms would rank differently. */
const format = [INDEX_VERSION, SEGMENT_VERSION, TERMS_VERSION, process.versions['unicode'] ?? 'unknown'].join(' ');

const STATE_ROW = 'state';

/** The rows of one call to the store, which blocks while it reads or writes them. */
const ROWS_PER_CALL = 32;

/** A segment in the store. */
export interface StoredSegment {
  /** Unique among all segments of the store. */
  readonly name: string;
  /** The sequences that it covers. */
  readonly from: number;
  readonly to: number;
  /** The number of records that it has. */
  readonly records: number;
  /** The number of terms of its records. */
  readonly terms: number;
  readonly blocks: number;
}

export interface IndexState {
  readonly format: string;
  /** Changes with each state, so that two states are never equal. */
  readonly tag: string;
  readonly epoch: string;
  /** Ascending. */
  readonly segments: readonly StoredSegment[];
  /** Covered sequences that no segment has, because their records are about to be removed. */
  readonly holes: readonly number[];
  /** Segments whose rows are still to be removed. */
  readonly garbage: readonly Pick<StoredSegment, 'name' | 'blocks'>[];
  /** All rows that no segment has are to be removed: the state before was not readable. */
  readonly hasUnknownRows?: true;
  /** All records are about to be removed: until this time no segment is written. */
  readonly closedUntilMs?: number;
}

/** The state as the store has it. */
export interface ReadState {
  /** `undefined` when the store has none. */
  readonly text: string | undefined;
  /** `undefined` when it is missing, damaged, of another version or of another epoch. */
  readonly state: IndexState | undefined;
}

function isSegment(value: unknown): value is StoredSegment {
  const { name, from, to, records, terms, blocks } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && [from, to, records, terms, blocks].every((one) => Number.isSafeInteger(one));
}

function parseState(text: string): IndexState | undefined {
  const state = parseFields(text) as Partial<IndexState> | undefined;
  if (state?.format !== format || typeof state.epoch !== 'string') return undefined;
  const { segments, holes, garbage } = state;
  if (!Array.isArray(segments) || !Array.isArray(holes) || !Array.isArray(garbage)) return undefined;
  if (!segments.every((one) => isSegment(one)) || !holes.every((one) => Number.isSafeInteger(one))) return undefined;
  return state as IndexState;
}

/** Returns an empty state. */
export function emptyState(epoch: string): IndexState {
  return { format, tag: '', epoch, segments: [], holes: [], garbage: [] };
}

/** Returns the id of the row with the columns of a segment. */
export function columnsRow(name: string): string {
  return `${name} columns`;
}

/** Returns the id of the row with a block of a segment. */
export function blockRow(name: string, block: number): string {
  return `${name} ${block}`;
}

function rowsOf({ name, blocks }: Pick<StoredSegment, 'name' | 'blocks'>): string[] {
  return [columnsRow(name), ...Array.from({ length: blocks }, (_, block) => blockRow(name, block))];
}

/** The table of one index. */
export class IndexTable {
  readonly #backend: MemoryBackend;
  readonly #key: string;

  constructor(backend: MemoryBackend, key: string) {
    this.#backend = backend;
    this.#key = key;
  }

  /** Returns the state of an epoch. A state of another epoch is replaced by an empty one when it is next written. */
  async read(epoch: string, call: CallOptions): Promise<ReadState> {
    const text = (await this.#backend.rows(this.#key, [STATE_ROW], call))[0]?.record;
    const state = text === undefined ? undefined : parseState(text);
    return { text, state: state?.epoch === epoch ? state : undefined };
  }

  /**
   * Replaces the state that was read. Segments that the new state lacks become garbage.
   *
   * @returns the new state; `undefined` when the state was changed since it was read.
   */
  async write(
    before: ReadState,
    next: Omit<IndexState, 'tag' | 'garbage' | 'format'>,
    segments: readonly (Pick<StoredSegment, 'name'> & { readonly rows: SegmentRows })[],
    call: CallOptions,
  ): Promise<ReadState | undefined> {
    const old = before.text === undefined ? undefined : parseState(before.text);
    const kept = new Set(next.segments.map(({ name }) => name));
    const removed = (old?.segments ?? []).filter(({ name }) => !kept.has(name));
    const state: IndexState = {
      ...next,
      format,
      tag: randomName(),
      garbage: [...(old?.garbage ?? []), ...removed.map(({ name, blocks }) => ({ name, blocks }))],
      ...((old?.hasUnknownRows === true || (before.text !== undefined && old === undefined)) && {
        hasUnknownRows: true,
      }),
    };
    return this.#swap(before, state, segments.flatMap(rowChanges), call);
  }

  async #swap(
    { text: expected }: ReadState,
    state: IndexState,
    rows: readonly RowChange[],
    call: CallOptions,
  ): Promise<ReadState | undefined> {
    const text = JSON.stringify(state);
    const change = { rows: [{ id: STATE_ROW, expected, next: text }, ...rows], isDerived: true };
    return (await this.#backend.change(this.#key, change, call)).isDone ? { text, state } : undefined;
  }

  /** Removes the rows that no segment has, unless another process changes the state meanwhile. @returns the state then. */
  async collect(before: ReadState, call: CallOptions): Promise<ReadState> {
    const { state } = before;
    if (state === undefined || (state.garbage.length === 0 && state.hasUnknownRows !== true)) return before;
    for (const segment of state.garbage) {
      if (!(await this.#removeRows(before, rowsOf(segment), call))) return before;
    }
    if (state.hasUnknownRows === true) {
      const known = new Set([STATE_ROW, ...state.segments.flatMap(rowsOf)]);
      const unknown: string[] = [];
      for (let after = 0; ;) {
        const { records } = await this.#backend.changes(this.#key, { after, limit: ROWS_PER_CALL, ...call });
        unknown.push(...records.flatMap(({ id }) => (id === undefined || known.has(id) ? [] : [id])));
        if (records.length < ROWS_PER_CALL) break;
        after = records.at(-1)?.sequence ?? Infinity;
      }
      if (!(await this.#removeRows(before, unknown, call))) return before;
    }
    const { hasUnknownRows: _, ...rest } = state;
    return (await this.#swap(before, { ...rest, tag: randomName(), garbage: [] }, [], call)) ?? before;
  }

  /** Removes rows while the state is as it was read: another process may have written a segment since. */
  async #removeRows({ text = '' }: ReadState, ids: readonly string[], call: CallOptions): Promise<boolean> {
    const guard: RowChange = { id: STATE_ROW, expected: text, next: text };
    for (let from = 0; from < ids.length; from += ROWS_PER_CALL) {
      const found = await this.#backend.rows(this.#key, ids.slice(from, from + ROWS_PER_CALL), call);
      const rows = found.flatMap((row) => (row ? [{ id: row.id, expected: row.record, next: undefined }] : []));
      if (rows.length === 0) continue;
      const change = { rows: [guard, ...rows], isDerived: true };
      if (!(await this.#backend.change(this.#key, change, call)).isDone) return false;
    }
    return true;
  }

  /** Returns rows of segments; `undefined` for those that are missing. */
  async readRows(ids: readonly string[], call: CallOptions): Promise<(string | undefined)[]> {
    const texts: (string | undefined)[] = [];
    for (let from = 0; from < ids.length; from += ROWS_PER_CALL) {
      const rows = await this.#backend.rows(this.#key, ids.slice(from, from + ROWS_PER_CALL), call);
      texts.push(...rows.map((row) => row?.record));
    }
    return texts;
  }

  async removeAll(call: CallOptions): Promise<void> {
    await this.#backend.remove(this.#key, 'all', call);
  }
}

function rowChanges({ name, rows }: { readonly name: string; readonly rows: SegmentRows }): RowChange[] {
  return [
    { id: columnsRow(name), expected: undefined, next: rows.columns },
    ...rows.blocks.map((next, block) => ({ id: blockRow(name, block), expected: undefined, next })),
  ];
}
