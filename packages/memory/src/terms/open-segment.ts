import { blockOf, readBlock, readColumns, RetrievalError, termsOfBlock } from '@cairn/retrieval';
import type { SegmentColumns, SegmentRows } from '@cairn/retrieval';
import type { CallOptions } from '../records/backend.ts';
import { blockRow, columnsRow } from './index-state.ts';
import type { IndexTable, StoredSegment } from './index-state.ts';
import type { PostingsCache } from './postings-cache.ts';
import type { Turns } from '../records/turns.ts';

/** A row of a segment is missing or damaged. It never leaves this room. */
export class DamagedSegment extends Error {
  readonly segment: string;

  constructor(segment: string) {
    super(`a row of the segment ${segment} is missing or damaged`);
    this.segment = segment;
  }
}

/** The base64 characters that are decoded in the time of one UTF-16 code unit that is split into terms. */
const CHARACTERS_PER_UNIT = 16;
const BLOCKS_PER_CALL = 32;

/** Reads a row, whose damage concerns its segment. */
function readRow<Result>(segment: string, row: string | undefined, read: (row: string) => Result): Result {
  if (row === undefined) throw new DamagedSegment(segment);
  try {
    return read(row);
  } catch (error) {
    throw RetrievalError.isInstance(error) ? new DamagedSegment(segment) : error;
  }
}

/** A segment whose columns are in memory. Its blocks are in the store, or in memory when the store could not be written. */
export class OpenSegment {
  readonly info: StoredSegment;
  readonly columns: SegmentColumns;
  /** Absent when the store has the segment. */
  rows: SegmentRows | undefined;
  /** 1 in the slot of a record that is gone; absent when there is none. */
  #gone: Uint8Array | undefined;
  /** The number of records that are gone. */
  gone = 0;
  readonly #oldest: number;

  constructor(info: StoredSegment, columns: string | undefined, rows?: SegmentRows) {
    this.info = info;
    this.columns = readRow(info.name, columns, (row) => readColumns(info.name, row));
    this.rows = rows;
    this.#oldest = this.columns.times.reduce((oldest, time) => Math.min(oldest, time), Infinity);
    if (this.columns.sequences.length !== info.records || this.columns.firstTerms.length !== info.blocks) {
      throw new DamagedSegment(info.name);
    }
  }

  /** The number of records that the segment has and the store too, as far as is known. */
  get present(): number {
    return this.info.records - this.gone;
  }

  /** Marks the records that are gone. @param live the sequences of all records, ascending. */
  setLive(live: readonly number[]): void {
    const { sequences } = this.columns;
    const gone = new Uint8Array(sequences.length);
    let count = 0;
    let at = 0;
    for (let slot = 0; slot < sequences.length; slot++) {
      const sequence = sequences[slot] ?? 0;
      while (at < live.length && (live[at] ?? 0) < sequence) at++;
      if (live[at] === sequence) continue;
      gone[slot] = 1;
      count++;
    }
    this.#gone = count > 0 ? gone : undefined;
    this.gone = count;
  }

  isGone(slot: number): boolean {
    return this.#gone?.[slot] === 1;
  }

  /** Returns the columns without the records that are gone or older than `since`. */
  liveColumns(since: number): Pick<SegmentColumns, 'lengths' | 'times' | 'documents' | 'totalLength' | 'sequences'> {
    const { lengths, times, sequences } = this.columns;
    const gone = this.#gone;
    if (gone === undefined && this.#oldest > since) return this.columns;
    const live = Int32Array.from(lengths, (length, slot) =>
      gone?.[slot] === 1 || (times[slot] ?? 0) <= since ? -1 : length,
    );
    const { documents, totalLength } = live.reduce(
      (sum, length) => (length < 0 ? sum : { documents: sum.documents + 1, totalLength: sum.totalLength + length }),
      { documents: 0, totalLength: 0 },
    );
    return { lengths: live, times, sequences, documents, totalLength };
  }
}

/** Returns the rows of blocks, of segments in memory and in the store. */
async function readBlocks(
  table: IndexTable,
  blocks: readonly { readonly segment: OpenSegment; readonly block: number }[],
  call: CallOptions,
): Promise<(string | undefined)[]> {
  const stored = blocks.filter(({ segment }) => segment.rows === undefined);
  const texts = await table.readRows(
    stored.map(({ segment, block }) => blockRow(segment.info.name, block)),
    call,
  );
  const byBlock = new Map(stored.map((one, index) => [one, texts[index]]));
  return blocks.map((one) => one.segment.rows?.blocks[one.block] ?? byBlock.get(one));
}

/**
 * Returns the postings of terms in each segment: reads only the blocks that are not in the cache.
 *
 * @throws {DamagedSegment}
 */
export async function readSegmentPostings(
  { table, cache, turns, signal }: SegmentReading,
  segments: readonly OpenSegment[],
  terms: readonly string[],
): Promise<Map<string, Int32Array>[]> {
  const missing: {
    readonly segment: OpenSegment;
    readonly block: number;
    readonly terms: string[];
    readonly found: Map<string, Int32Array>;
  }[] = [];
  const postings = segments.map((segment) => {
    const found = new Map<string, Int32Array>();
    const byBlock = new Map<number, string[]>();
    for (const term of terms) {
      const known = cache.get(segment.info.name, term);
      if (known !== undefined) {
        found.set(term, known);
        continue;
      }
      const block = blockOf(segment.columns, term);
      if (block >= 0) byBlock.set(block, [...(byBlock.get(block) ?? []), term]);
    }
    for (const [block, own] of byBlock) missing.push({ segment, block, terms: own, found });
    return found;
  });
  for (let from = 0; from < missing.length; from += BLOCKS_PER_CALL) {
    const some = missing.slice(from, from + BLOCKS_PER_CALL);
    const rows = await readBlocks(table, some, { signal });
    for (const [index, { segment, block, terms: own, found }] of some.entries()) {
      const { name } = segment.info;
      const row = rows[index];
      const read = readRow(name, row, (text) => readBlock({ name, block, terms: own }, text));
      for (const term of own) {
        const list = read.get(term) ?? new Int32Array();
        found.set(term, list);
        cache.set(name, term, list);
      }
      if (turns.spend((row?.length ?? 0) / CHARACTERS_PER_UNIT)) await turns.next();
    }
  }
  return postings;
}

/** What reading a segment needs. */
export interface SegmentReading extends CallOptions {
  readonly table: IndexTable;
  readonly cache: PostingsCache;
  readonly turns: Turns;
}

/** Returns all blocks of a segment. @throws {DamagedSegment} */
export async function readAllBlocks({ table, turns, signal }: SegmentReading, segment: OpenSegment): Promise<string[]> {
  const all = Array.from({ length: segment.info.blocks }, (_, block) => ({ segment, block }));
  const rows: string[] = [];
  for (let from = 0; from < all.length; from += BLOCKS_PER_CALL) {
    const some = await readBlocks(table, all.slice(from, from + BLOCKS_PER_CALL), { signal });
    for (const row of some) rows.push(readRow(segment.info.name, row, (text) => text));
    await turns.next();
  }
  return rows;
}

/** Returns the terms of a segment, block by block. @throws {DamagedSegment} */
export async function* readVocabulary(
  reading: SegmentReading,
  segment: OpenSegment,
): AsyncGenerator<readonly string[], void, undefined> {
  const { name } = segment.info;
  for (const [block, row] of (await readAllBlocks(reading, segment)).entries()) {
    const terms = readRow(name, row, (text) => termsOfBlock({ name, block }, text));
    yield terms;
    if (reading.turns.spend(terms.length * 16)) await reading.turns.next();
  }
}

/** Opens segments of the store. @returns those that are readable; the names of the others. */
export async function openSegments(
  { table, turns, signal }: SegmentReading,
  infos: readonly StoredSegment[],
): Promise<{ readonly segments: OpenSegment[]; readonly damaged: string[] }> {
  const rows = await table.readRows(
    infos.map(({ name }) => columnsRow(name)),
    { signal },
  );
  const segments: OpenSegment[] = [];
  const damaged: string[] = [];
  for (const [index, info] of infos.entries()) {
    try {
      segments.push(new OpenSegment(info, rows[index]));
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      damaged.push(info.name);
    }
    if (turns.spend(info.records / 2)) await turns.next();
  }
  return { segments, damaged };
}
