import type { Part } from '@cairn/retrieval';
import type { CallOptions, MemoryBackend, Postings } from '../records/backend.ts';
import { blockOf, numbersOf, POSTINGS_BLOCK } from '../records/postings.ts';

/** The postings of a term that were read. */
interface KnownTerm {
  /** Up to this sequence. */
  readonly sequence: number;
  /** By block: the places of the rows in the block, each with how often the row has the term. */
  readonly blocks: Map<number, number[]>;
}

/** The terms of a table that are kept. The one with the oldest search is dropped first. */
const MAX_TERMS = 64;

/** The rows with some terms, as parts of a collection. A slot of a part plus its first sequence is the sequence of a row. */
export type TableParts = readonly { readonly part: Part; readonly firstSequence: number }[];

/** The postings of one table in this process, of the terms that were searched for. */
export class PostingsCache {
  readonly #backend: MemoryBackend;
  readonly #key: string;
  #version = '';
  readonly #terms = new Map<string, KnownTerm>();
  /** The lengths of the rows that have a known term, by block. */
  readonly #lengths = new Map<number, Int32Array>();

  constructor(backend: MemoryBackend, key: string) {
    this.#backend = backend;
    this.#key = key;
  }

  /** The number of postings that are kept, about. */
  get size(): number {
    return this.#lengths.size * this.#terms.size * POSTINGS_BLOCK;
  }

  /** Returns the rows with some terms, of which only what is new is read. */
  async read(terms: readonly string[], { signal }: CallOptions): Promise<TableParts> {
    const after = Math.min(Infinity, ...terms.map((term) => this.#terms.get(term)?.sequence ?? 0));
    const found = await this.#backend.postings(this.#key, terms, { after, signal });
    if (found.version !== this.#version) {
      this.#terms.clear();
      this.#lengths.clear();
      this.#version = found.version;
      // The blocks before were of another version.
      if (after > 0) return this.read(terms, { signal });
    }
    for (const [index, term] of terms.entries()) this.#add(term, found, { index, after });
    for (const term of this.#terms.keys()) {
      if (this.#terms.size <= Math.max(MAX_TERMS, terms.length)) break;
      this.#terms.delete(term);
    }
    return this.#partsOf(terms, found);
  }

  #add(term: string, { sequence, postings }: Postings, { index, after }: { index: number; after: number }): void {
    const { blocks } = this.#terms.get(term) ?? { blocks: new Map<number, number[]>() };
    const numbers = numbersOf(postings[index] ?? '');
    let block = -1;
    let own: number[] = [];
    let lengths: Int32Array = new Int32Array();
    for (let at = 0; at < numbers.length; at += 3) {
      const [of = 0, count = 0, length = 0] = [numbers[at], numbers[at + 1], numbers[at + 2]];
      if (blockOf(of) !== block) {
        block = blockOf(of);
        own = [];
        blocks.set(block, own);
        lengths = this.#lengths.get(block) ?? new Int32Array(POSTINGS_BLOCK).fill(-1);
        this.#lengths.set(block, lengths);
      }
      const slot = of - block * POSTINGS_BLOCK;
      own.push(slot, count);
      lengths[slot] = length;
    }
    // The last one used comes last.
    this.#terms.delete(term);
    this.#terms.set(term, { sequence: Math.max(sequence, after), blocks });
  }

  /** Returns a part for each block that has one of the terms, and one that counts the rows of the table. */
  #partsOf(terms: readonly string[], { documents, totalLength }: Postings): TableParts {
    const known = new Map(terms.map((term) => [term, this.#terms.get(term)?.blocks]));
    const blocks = new Set([...known.values()].flatMap((own) => [...(own?.keys() ?? [])]));
    const parts = Array.from(blocks, (block) => {
      const lengths = this.#lengths.get(block) ?? new Int32Array();
      const postingsOf = (term: string): number[] | undefined => known.get(term)?.get(block);
      return { part: { lengths, documents: 0, totalLength: 0, postingsOf }, firstSequence: block * POSTINGS_BLOCK };
    });
    const counts: Part = { lengths: [], documents, totalLength, postingsOf: () => undefined };
    return [...parts.toSorted((a, b) => a.firstSequence - b.firstSequence), { part: counts, firstSequence: 0 }];
  }
}
