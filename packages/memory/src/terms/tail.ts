import { SegmentBuilder } from '@cairn/retrieval';
import type { Part } from '@cairn/retrieval';
import type { ListRule, Sequenced } from '../records/backend.ts';
import { isLive, lifeOf } from '../records/record.ts';
import type { Turns } from '../records/turns.ts';
import type { TermSource } from './term-source.ts';

/** The columns and postings of a tail when it was captured: the tail may grow while they are read. */
export interface CapturedTail {
  readonly columns: Omit<Part, 'postingsOf'> & { readonly sequences: readonly number[] };
  readonly postingsOf: (term: string) => readonly number[] | undefined;
  readonly terms: () => Iterable<string>;
}

/** Records that no segment has, in memory. */
export class Tail {
  /** The sequences that it covers. */
  readonly from: number;
  readonly to: number;
  readonly #builder = new SegmentBuilder();
  /** The records that the store has, by sequence. */
  readonly records: Map<number, string> = new Map();
  /** Whether the times of its records decide when they expire, as in a segment. */
  isStorable = true;

  constructor(from: number, to: number = Infinity) {
    this.from = from;
    this.to = to;
  }

  get builder(): SegmentBuilder {
    return this.#builder;
  }

  get gone(): number {
    return this.#builder.sequences.length - this.records.size;
  }

  /** The work of splitting its records into terms. */
  get terms(): number {
    return this.#builder.totalLength;
  }

  async add({ sequence, record }: Sequenced, { textOf, rule }: TermSource, turns: Turns): Promise<void> {
    const { text, timeMs = 0 } = textOf(record) ?? {};
    for (const units of this.#builder.add({ sequence, text, timeMs })) if (turns.spend(units)) await turns.next();
    this.records.set(sequence, record);
    if (text === undefined || rule === undefined || rule.lifetimeMs === Infinity) return;
    if (lifeOf(record)?.timeMs !== Math.trunc(timeMs)) this.isStorable = false;
  }

  /** Removes the records that are gone. @param live the sequences of all records, ascending. */
  setLive(live: readonly number[]): void {
    let at = 0;
    for (const [slot, sequence] of this.#builder.sequences.entries()) {
      while (at < live.length && (live[at] ?? 0) < sequence) at++;
      if (live[at] === sequence || !this.records.delete(sequence)) continue;
      this.#builder.remove(slot);
    }
  }

  /** Captures the records that the rule keeps. */
  capture(rule: ListRule | undefined, nowMs: number): CapturedTail {
    const { postings, sequences, times, lengths } = this.#builder;
    const live = lengths.map((length, slot) =>
      length < 0 || rule === undefined || isLive(this.records.get(sequences[slot] ?? 0) ?? '', rule, nowMs)
        ? length
        : -1,
    );
    const counted = live.filter((length) => length >= 0);
    const size = live.length;
    return {
      columns: {
        lengths: live,
        times: times.slice(),
        sequences: sequences.slice(),
        documents: counted.length,
        totalLength: counted.reduce((sum, length) => sum + length, 0),
      },
      postingsOf: (term) => {
        const list = postings.get(term);
        if (list === undefined || (list.at(-2) ?? 0) < size) return list?.slice();
        let end = list.length;
        while (end > 0 && (list[end - 2] ?? 0) >= size) end -= 2;
        return list.slice(0, end);
      },
      terms: () => postings.keys(),
    };
  }
}
