import type { Part } from '@cairn/retrieval';
import type { CallOptions, MemoryBackend } from '../records/backend.ts';
import { numbersOf, POSTINGS_BLOCK } from '../records/postings.ts';
import type { Turns } from '../records/turns.ts';
import { LENGTH_TERM } from '../records/terms.ts';

/** The postings of a term that were read. */
interface KnownTerm {
  /** Up to this sequence. */
  readonly sequence: number;
  /** By block: the places of the rows in the block, each with how often the row has the term. */
  readonly blocks: Map<number, number[]>;
  /** The number of all its postings. */
  readonly count: number;
}

/** The terms of a table that are kept, of some searches: one has up to about 100. The one with the oldest search is dropped first. */
const MAX_TERMS = 256;

/** The rows with some terms, as parts of a collection. */
export interface TableParts {
  /** Another one after a row was removed or changed. */
  readonly version: string;
  /** A slot of a part plus its first sequence is the sequence of a row. */
  readonly parts: readonly { readonly part: Part; readonly firstSequence: number }[];
}

/** Returns the places and counts of the postings of a block. */
function decoded(numbers: string): number[] {
  const postings: number[] = [];
  for (const number of numbersOf(numbers)) postings.push(number % POSTINGS_BLOCK, Math.floor(number / POSTINGS_BLOCK));
  return postings;
}

/** The lengths of the rows of a block, -1 for no row. */
interface Lengths {
  readonly lengths: Int32Array;
  readonly documents: number;
  readonly totalLength: number;
}

function lengthsOf(postings: readonly number[]): Lengths {
  const lengths = new Int32Array(POSTINGS_BLOCK).fill(-1);
  let totalLength = 0;
  for (let at = 0; at < postings.length; at += 2) {
    lengths[postings[at] ?? 0] = postings[at + 1] ?? 0;
    totalLength += postings[at + 1] ?? 0;
  }
  return { lengths, documents: postings.length / 2, totalLength };
}

/** The postings of one table in this process, of the terms that were searched for. */
export class PostingsCache {
  readonly #backend: MemoryBackend;
  readonly #key: string;
  #version = '';
  #sequence = 0;
  #reading: Promise<unknown> = Promise.resolve();
  readonly #terms = new Map<string, KnownTerm>();
  readonly #lengths = new Map<number, Lengths>();

  constructor(backend: MemoryBackend, key: string) {
    this.#backend = backend;
    this.#key = key;
  }

  /** The number of postings that are kept. */
  get size(): number {
    let size = this.#lengths.size * POSTINGS_BLOCK;
    for (const { count } of this.#terms.values()) size += count;
    return size;
  }

  /** Returns the rows of the table, with the postings of some terms. Only what is new is read. */
  read(terms: readonly string[], turns: Turns, call: CallOptions): Promise<TableParts> {
    // One at a time: each continues from the terms that the one before it kept.
    const reading = this.#reading.then(() => this.#read(terms, turns, call));
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #read(terms: readonly string[], turns: Turns, { signal }: CallOptions): Promise<TableParts> {
    const all = [LENGTH_TERM, ...terms];
    const after = all.map((term) => this.#terms.get(term)?.sequence ?? 0);
    const found = await this.#backend.postings(this.#key, all, { after, signal });
    // A lower sequence is of an earlier state that was put back.
    if (found.version !== this.#version || found.sequence < this.#sequence) {
      this.#terms.clear();
      this.#lengths.clear();
      this.#version = found.version;
      this.#sequence = 0;
      // The blocks before were of another version.
      if (after.some((sequence) => sequence > 0)) return this.#read(terms, turns, { signal });
    }
    this.#sequence = found.sequence;
    for (const [index, term] of all.entries()) {
      // A copy: another search may be using the blocks that it was given.
      const known = this.#terms.get(term);
      const blocks = new Map(known?.blocks);
      let count = known?.count ?? 0;
      for (const { block, numbers } of found.postings[index] ?? []) {
        const postings = decoded(numbers);
        count += (postings.length - (blocks.get(block)?.length ?? 0)) / 2;
        blocks.set(block, postings);
        if (term === LENGTH_TERM) this.#lengths.set(block, lengthsOf(postings));
        if (turns.spend(postings.length)) await turns.next();
      }
      // The last one used comes last.
      this.#terms.delete(term);
      this.#terms.set(term, { sequence: found.sequence, blocks, count });
    }
    for (const term of this.#terms.keys()) {
      if (this.#terms.size <= Math.max(MAX_TERMS, all.length)) break;
      this.#terms.delete(term);
    }
    return this.#partsOf(terms);
  }

  #partsOf(terms: readonly string[]): TableParts {
    const known = new Map(terms.map((term) => [term, this.#terms.get(term)?.blocks]));
    const parts = Array.from(this.#lengths, ([block, lengths]) => {
      const postingsOf = (term: string): number[] | undefined => known.get(term)?.get(block);
      return { part: { ...lengths, postingsOf }, firstSequence: block * POSTINGS_BLOCK };
    });
    return { version: this.#version, parts };
  }
}
