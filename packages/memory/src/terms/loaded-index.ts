import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import type { IndexTable, ReadState } from './index-state.ts';
import type { OpenSegment, SegmentReading } from './open-segment.ts';
import type { PostingsCache } from './postings-cache.ts';
import type { SegmentSizes } from './segment-sizes.ts';
import { Tail } from './tail.ts';
import type { SourceCall } from './term-source.ts';

/** What a process has of the index of one key: its segments, and the records that no segment has. */
export class LoadedIndex {
  epoch = '';
  /** The state that was read before the records of the tails; `undefined` while it was not needed. */
  stored: ReadState | undefined;
  /** In the order of their sequences. */
  segments: readonly OpenSegment[] = [];
  /** The ranges without a segment, the last one without an end. */
  tails: readonly Tail[] = [new Tail(1)];
  /** Covered records that are never stored. */
  holes: Tail = new Tail(0, 0);
  /** All records up to here were read. */
  readTo = 0;
  /** Segments with a damaged row: as if the state lacked them. A reset keeps them. */
  readonly damaged: Set<string> = new Set();
  /** Whether the key has enough records for a stored index. A reset keeps it. */
  isLarge = false;

  /** Forgets everything that it has of the records. */
  reset(epoch: string): void {
    this.epoch = epoch;
    this.stored = undefined;
    this.segments = [];
    this.tails = [new Tail(1)];
    this.holes = new Tail(0, 0);
    this.readTo = 0;
  }

  /** The number of records that the store should have. */
  get present(): number {
    const inTails = [...this.tails, this.holes].reduce((sum, { records }) => sum + records.size, 0);
    return this.segments.reduce((sum, { present }) => sum + present, inTails);
  }

  /** The number of terms of the records in memory. */
  get termsInMemory(): number {
    return [...this.tails, this.holes].reduce((sum, { terms }) => sum + terms, 0);
  }

  /** Marks the records that are gone. @param live the sequences of all records, ascending. */
  setLive(live: readonly number[]): void {
    for (const one of [...this.segments, ...this.tails, this.holes]) one.setLive(live);
  }

  /** Starts with segments, and an empty tail for each range that they do not cover. */
  open(segments: readonly OpenSegment[]): void {
    const tails: Tail[] = [];
    let covered = 0;
    for (const { info } of segments) {
      if (info.from > covered + 1) tails.push(new Tail(covered + 1, info.from - 1));
      covered = info.to;
    }
    this.segments = segments;
    this.tails = [...tails, new Tail(covered + 1)];
    this.readTo = covered;
  }

  /** Puts a segment in the place of others, or of none. */
  replaceSegments(replaced: readonly OpenSegment[], segment: OpenSegment): void {
    const left = new Set(replaced);
    this.segments = [...this.segments.filter((one) => !left.has(one)), segment].toSorted(
      (one, other) => one.info.from - other.info.from,
    );
  }

  /** Puts a tail in the place of another one; none when its range is empty. */
  replaceTail(replaced: Tail, next: Tail): void {
    this.tails = this.tails.flatMap((one) => (one === replaced ? (next.from > next.to ? [] : [next]) : [one]));
  }
}

/** The index of one key, and what it is read and written with. */
export interface IndexContext {
  readonly backend: MemoryBackend;
  readonly cache: PostingsCache;
  readonly sizes: SegmentSizes;
  /** Called when an index was written. */
  readonly onStored: (call: CallOptions) => Promise<void>;
  /** The key of the records. */
  readonly key: string;
  readonly table: IndexTable;
  readonly index: LoadedIndex;
}

/** Returns what a call reads segments with. */
export function readingOf({ table, cache }: IndexContext, { turns, signal }: SourceCall): SegmentReading {
  return { table, cache, turns, signal };
}
