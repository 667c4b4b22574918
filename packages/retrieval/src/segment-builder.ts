import type { Part, Postings } from './score.ts';
import { visitTermsInSlices } from './terms.ts';

/** A record of a store. */
export interface SequencedDocument {
  /** Above that of the document before it. */
  readonly sequence: number;
  /** `undefined`: the record has no text to be found by, but it is counted. */
  readonly text: string | undefined;
  readonly timeMs: number;
}

/** Documents in memory, in the order of their sequences. They can be ranked, and written as a segment. */
export class SegmentBuilder implements Part {
  readonly sequences: number[] = [];
  readonly times: number[] = [];
  /** The number of terms of each document; -1 for a record without text and a removed one. */
  readonly lengths: number[] = [];
  readonly postings: Map<string, number[]> = new Map();
  documents = 0;
  totalLength = 0;

  postingsOf(term: string): Postings | undefined {
    return this.postings.get(term);
  }

  /**
   * Adds a document, in slices of a long text, so that a caller can let other work run in between.
   *
   * @yields the UTF-16 code units of the slice.
   */
  *add({ sequence, text, timeMs }: SequencedDocument): Generator<number, void, void> {
    const slot = this.sequences.length;
    this.sequences.push(sequence);
    this.times.push(Math.trunc(timeMs));
    this.lengths.push(-1);
    if (text === undefined) return;
    let length = 0;
    const visit = (term: string): void => {
      length++;
      addPosting(this.postings, term, slot);
    };
    yield* visitTermsInSlices(text, visit);
    this.lengths[slot] = length;
    this.documents += 1;
    this.totalLength += length;
  }

  /** Removes the document in a slot. The slot and its postings stay. */
  remove(slot: number): void {
    const length = this.lengths[slot] ?? -1;
    if (length < 0) return;
    this.lengths[slot] = -1;
    this.documents -= 1;
    this.totalLength -= length;
  }
}

/** Counts a term of a document. All terms of a document are visited in one go, so that only the last posting can be its own. */
export function addPosting(all: Map<string, number[]>, term: string, slot: number): void {
  const postings = all.get(term);
  if (postings === undefined) all.set(term, [slot, 1]);
  else if (postings[postings.length - 2] === slot) postings[postings.length - 1] = (postings.at(-1) ?? 0) + 1;
  else postings.push(slot, 1);
}
