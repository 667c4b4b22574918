/**
 * A segment of a stored term index: the terms of some records, in rows of text that a store keeps. The row of columns has the
 * sequence, the time and the length of each record, and the first term of each block. A block has terms in the order of UTF-16
 * code units, each with its postings. So a query reads the columns, and only the blocks with its terms.
 *
 * A row is a checksum and base64: numbers are varints of seven bits, ascending numbers are differences.
 */
import { crc32 } from 'node:zlib';
import { RetrievalError } from './errors.ts';
import type { Postings } from './score.ts';
import type { SegmentBuilder } from './segment-builder.ts';

/** Raised with every change of the format. */
export const SEGMENT_VERSION: number = 1;

/** The bytes after which a block ends. A block with a common term is larger. */
const BLOCK_BYTES = 8 * 1024;

/** Work in UTF-16 code units of a text that takes as long to split into terms. */
const UNITS_PER_TERM = 8;
const TERMS_PER_SORT = 2048;

/** The records of a segment, ascending by sequence. A record without text has the length -1. */
interface Columns {
  readonly sequences: ArrayLike<number>;
  readonly times: ArrayLike<number>;
  readonly lengths: ArrayLike<number>;
}

/** The row of columns. */
export interface SegmentColumns {
  readonly sequences: Float64Array;
  readonly times: Float64Array;
  readonly lengths: Int32Array;
  /** The number of records with text. */
  readonly documents: number;
  readonly totalLength: number;
  /** The first term of each block, ascending. */
  readonly firstTerms: readonly string[];
}

/** The rows of a segment. */
export interface SegmentRows {
  readonly columns: string;
  readonly blocks: readonly string[];
}

function corrupt(problem: string): RetrievalError {
  return new RetrievalError('CORRUPT_INDEX', `A row of the stored term index ${problem}; build the index again.`);
}

/** Bytes that grow. */
class ByteWriter {
  #bytes = Buffer.allocUnsafe(2 * BLOCK_BYTES);
  length = 0;

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + count));
    larger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = larger;
  }

  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.length++] = (rest % 0x80) | 0x80;
    this.#bytes[this.length++] = rest;
  }

  text(value: string): void {
    this.append(Buffer.from(value));
  }

  /** Appends the number of bytes, and the bytes. */
  append(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  get view(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  /** Returns the row. It is bound to its place, so that a row in another place is refused. */
  row(place: string): string {
    const { view } = this;
    return `${crc32(view, crc32(place)).toString(16).padStart(8, '0')}${view.toString('base64')}`;
  }
}

class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(row: string, place: string) {
    this.#bytes = Buffer.from(row.slice(8), 'base64');
    if (Number.parseInt(row.slice(0, 8), 16) !== crc32(this.#bytes, crc32(place)))
      throw corrupt('was changed or is cut');
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    let scale = 0x80;
    for (;;) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw corrupt('is cut');
    return byte;
  }

  text(): string {
    return this.bytes(this.number()).toString();
  }

  bytes(length: number): Buffer {
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw corrupt('is cut');
    return this.#bytes.subarray(from, this.#at);
  }
}

/** Writes terms in ascending order, and then the columns. */
class SegmentWriter {
  readonly #name: string;
  readonly #blocks: string[] = [];
  readonly #firstTerms: string[] = [];
  #block = new ByteWriter();
  readonly #postings = new ByteWriter();

  constructor(name: string) {
    this.#name = name;
  }

  add(term: string, postings: Postings): void {
    if (this.#block.length === 0) this.#firstTerms.push(term);
    this.#block.text(term);
    this.#block.number(postings.length / 2);
    let previous = -1;
    const bytes = this.#postings;
    bytes.length = 0;
    for (let at = 0; at < postings.length; at += 2) {
      const slot = postings[at] ?? 0;
      const frequency = postings[at + 1] ?? 0;
      bytes.number((slot - previous) * 2 + (frequency === 1 ? 0 : 1));
      if (frequency !== 1) bytes.number(frequency);
      previous = slot;
    }
    this.#block.append(bytes.view);
    if (this.#block.length >= BLOCK_BYTES) this.#endBlock();
  }

  #endBlock(): void {
    this.#blocks.push(this.#block.row(blockPlace(this.#name, this.#blocks.length)));
    this.#block = new ByteWriter();
  }

  finish({ sequences, times, lengths }: Columns): SegmentRows {
    if (this.#block.length > 0) this.#endBlock();
    const writer = new ByteWriter();
    writer.number(sequences.length);
    let sequence = 0;
    let time = 0;
    for (let slot = 0; slot < sequences.length; slot++) {
      const nextTime = times[slot] ?? 0;
      writer.number((sequences[slot] ?? 0) - sequence);
      // Times may descend. The sign is with the length, because twice a time may not be a safe integer.
      writer.number(((lengths[slot] ?? -1) + 1) * 2 + (nextTime < time ? 1 : 0));
      writer.number(Math.abs(nextTime - time));
      sequence = sequences[slot] ?? 0;
      time = nextTime;
    }
    for (const term of this.#firstTerms) writer.text(term);
    return { columns: writer.row(columnsPlace(this.#name)), blocks: this.#blocks };
  }
}

function columnsPlace(name: string): string {
  return `${name} columns`;
}

function blockPlace(name: string, block: number): string {
  return `${name} ${block}`;
}

/** Sorts terms in steps, because sorting all at once takes long. */
function* sortTerms(terms: readonly string[]): Generator<number, readonly string[], void> {
  const compare = (left: string, right: string): number => (left < right ? -1 : 1);
  let runs: string[][] = [];
  for (let from = 0; from < terms.length; from += TERMS_PER_SORT) {
    runs.push(terms.slice(from, from + TERMS_PER_SORT).toSorted(compare));
    yield TERMS_PER_SORT * UNITS_PER_TERM;
  }
  while (runs.length > 1) {
    const longer: string[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left = [], right = []] = [runs[at], runs[at + 1]];
      const merged: string[] = [];
      for (let one = 0, other = 0; one < left.length || other < right.length;) {
        const [first, second] = [left[one], right[other]];
        const isLeft = second === undefined || (first !== undefined && first < second);
        merged.push((isLeft ? first : second) ?? '');
        if (isLeft) one += 1;
        else other += 1;
        if (merged.length % TERMS_PER_SORT === 0) yield TERMS_PER_SORT;
      }
      longer.push(merged);
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

/**
 * Writes documents as a segment. None of them may have been removed.
 *
 * @param name unique among all segments of a store
 * @yields the work of the step
 */
export function* writeSegment(name: string, builder: SegmentBuilder): Generator<number, SegmentRows, void> {
  const writer = new SegmentWriter(name);
  for (const term of yield* sortTerms([...builder.postings.keys()])) {
    const postings = builder.postings.get(term) ?? [];
    writer.add(term, postings);
    yield UNITS_PER_TERM + postings.length;
  }
  return writer.finish(builder);
}

/** Reads the row of columns. @throws {RetrievalError} `CORRUPT_INDEX`. */
export function readColumns(name: string, row: string): SegmentColumns {
  const reader = new ByteReader(row, columnsPlace(name));
  const count = reader.number();
  const sequences = new Float64Array(count);
  const times = new Float64Array(count);
  const lengths = new Int32Array(count);
  let sequence = 0;
  let time = 0;
  let documents = 0;
  let totalLength = 0;
  for (let slot = 0; slot < count; slot++) {
    sequence += reader.number();
    const lengthAndSign = reader.number();
    const length = (lengthAndSign >>> 1) - 1;
    const step = reader.number();
    time += lengthAndSign % 2 === 0 ? step : -step;
    sequences[slot] = sequence;
    lengths[slot] = length;
    times[slot] = time;
    if (length < 0) continue;
    documents += 1;
    totalLength += length;
  }
  const firstTerms: string[] = [];
  while (!reader.isAtEnd) firstTerms.push(reader.text());
  return { sequences, times, lengths, documents, totalLength, firstTerms };
}

/** Returns the number of the block that has a term, if the segment has the term; -1 when it cannot have it. */
export function blockOf({ firstTerms }: SegmentColumns, term: string): number {
  let low = 0;
  let high = firstTerms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firstTerms[middle] ?? '') <= term) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Reads the postings that a reader stands before. */
function readPostings(reader: ByteReader, count: number): Int32Array {
  const postings = new Int32Array(2 * count);
  let slot = -1;
  for (let at = 0; at < postings.length; at += 2) {
    const step = reader.number();
    slot += step >>> 1;
    postings[at] = slot;
    postings[at + 1] = step % 2 === 0 ? 1 : reader.number();
  }
  return postings;
}

/**
 * Returns the postings of some terms in a block; a term that the block lacks has none.
 *
 * @throws {RetrievalError} `CORRUPT_INDEX`.
 */
export function readBlock(
  { name, block, terms }: { readonly name: string; readonly block: number; readonly terms: readonly string[] },
  row: string,
): Map<string, Int32Array> {
  const reader = new ByteReader(row, blockPlace(name, block));
  const asked = terms.map((term) => ({ term, bytes: Buffer.from(term) }));
  const found = new Map<string, Int32Array>();
  while (!reader.isAtEnd && found.size < terms.length) {
    const bytes = reader.bytes(reader.number());
    const match = asked.find((one) => one.bytes.length === bytes.length && one.bytes.equals(bytes));
    const count = reader.number();
    const length = reader.number();
    if (match === undefined) reader.bytes(length);
    else found.set(match.term, readPostings(reader, count));
  }
  return found;
}

/** Returns the terms of a block, in ascending order. @throws {RetrievalError} `CORRUPT_INDEX`. */
export function termsOfBlock(
  { name, block }: { readonly name: string; readonly block: number },
  row: string,
): string[] {
  const reader = new ByteReader(row, blockPlace(name, block));
  const terms: string[] = [];
  while (!reader.isAtEnd) {
    terms.push(reader.text());
    reader.number();
    reader.bytes(reader.number());
  }
  return terms;
}

/** A segment that is merged with others. */
export interface MergeInput {
  readonly name: string;
  readonly columns: SegmentColumns;
  readonly blocks: readonly string[];
  /** Returns whether the record in a slot is left out. */
  readonly isDropped: (slot: number) => boolean;
}

/** The terms of a segment in order, with the postings in their new slots. */
function* termsInOrder(
  { name, blocks }: MergeInput,
  slots: Int32Array,
): Generator<readonly [term: string, postings: readonly number[]], void, void> {
  for (const [block, row] of blocks.entries()) {
    const reader = new ByteReader(row, blockPlace(name, block));
    while (!reader.isAtEnd) {
      const term = reader.text();
      const count = reader.number();
      reader.number();
      const postings = readPostings(reader, count);
      const moved: number[] = [];
      for (let at = 0; at < postings.length; at += 2) {
        const slot = slots[postings[at] ?? -1] ?? -1;
        if (slot >= 0) moved.push(slot, postings[at + 1] ?? 0);
      }
      if (moved.length > 0) yield [term, moved];
    }
  }
}

/**
 * Merges segments, each with higher sequences than the one before it, into one segment.
 *
 * @yields the work of the step
 * @throws {RetrievalError} `CORRUPT_INDEX`.
 */
export function* mergeSegments(name: string, inputs: readonly MergeInput[]): Generator<number, SegmentRows, void> {
  const writer = new SegmentWriter(name);
  const kept: { sequences: number[]; times: number[]; lengths: number[] } = { sequences: [], times: [], lengths: [] };
  const streams = inputs.map((input) => {
    const { sequences, times, lengths } = input.columns;
    const slots = new Int32Array(sequences.length).fill(-1);
    for (const [slot, sequence] of sequences.entries()) {
      if (input.isDropped(slot)) continue;
      slots[slot] = kept.sequences.length;
      kept.sequences.push(sequence);
      kept.times.push(times[slot] ?? 0);
      kept.lengths.push(lengths[slot] ?? -1);
    }
    const terms = termsInOrder(input, slots);
    return { terms, next: terms.next() };
  });
  for (;;) {
    let least: string | undefined;
    for (const { next } of streams)
      if (!next.done && (least === undefined || next.value[0] < least)) least = next.value[0];
    if (least === undefined) return writer.finish(kept);
    const postings: number[] = [];
    for (const stream of streams) {
      if (stream.next.done === true || stream.next.value[0] !== least) continue;
      for (const value of stream.next.value[1]) postings.push(value);
      stream.next = stream.terms.next();
    }
    writer.add(least, postings);
    yield UNITS_PER_TERM + postings.length;
  }
}
