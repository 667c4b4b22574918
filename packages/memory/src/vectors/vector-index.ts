import type { CallOptions, MemoryBackend, Row } from '../records/backend.ts';
import { vectorsKey } from '../records/keys.ts';
import { Turns, unitsOf } from '../records/turns.ts';
import { similarityOf } from './numbers.ts';
import { VectorMemory } from './scan.ts';
import { parseVectors, recordIdOf } from './vector-row.ts';

/** A record with vectors. */
interface Entry {
  readonly key: string;
  readonly id: string;
  readonly hash: string;
  readonly slots: readonly number[];
  /** Its place among all entries. */
  readonly place: number;
}

/** The vectors of a table that were read. */
interface KnownTable {
  start: number;
  sequence: number;
  /** The rows that the table has now. */
  count: number;
  /** By the id of the record. One that is not to be sent has no slot. */
  readonly entries: Map<string, Entry>;
}

/** A record that is near to a query. */
export interface NearRecord {
  readonly key: string;
  readonly id: string;
  /** The hash of the string that its vectors were made of. */
  readonly hash: string;
  /** The cosine of the query and the nearest piece of the record. */
  readonly similarity: number;
}

export interface Nearest {
  /** Nearest first. */
  readonly records: readonly NearRecord[];
  /** The records with vectors of the model, and those that have none for a reason. */
  readonly known: number;
  /** The mean and the standard deviation of the similarities of all records. */
  readonly mean: number;
  readonly deviation: number;
}

const ROWS_PER_PAGE = 256;
/** The nearest records that are returned. */
const MAX_NEAREST = 400;
/** Below every score. */
const NONE = -0x80_00_00_00;

/** The vectors of one model in memory. They follow the tables of a store, and are compared with a query one by one. */
export class VectorIndex {
  readonly #backend: MemoryBackend;
  /** The model of the vectors. Rows of another model are left out. */
  readonly model: string;
  readonly #memory: VectorMemory;
  readonly #tables = new Map<string, KnownTable>();
  readonly #entries: (Entry | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  /** The place of the entry of each slot, -1 for a free one. */
  readonly #owners: number[] = [];
  readonly #freeSlots: number[] = [];
  readonly #dimension: number;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(backend: MemoryBackend, { model, dimension }: { readonly model: string; readonly dimension: number }) {
    this.#backend = backend;
    this.model = model;
    this.#dimension = dimension;
    this.#memory = new VectorMemory(dimension);
  }

  /** Reads what was written to the vectors of tables since the last time, and compares a query with all of them. */
  nearest(query: Int16Array, keys: readonly string[], options: CallOptions): Promise<Nearest> {
    // One at a time: what a search compares does not change meanwhile.
    const reading = this.#reading.then(async () => {
      for (const key of keys) await this.#refresh(key, options);
      return this.#nearest(query, keys, options);
    });
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  /** Forgets a record whose text is gone or has changed. */
  drop({ key, id }: Pick<NearRecord, 'key' | 'id'>): void {
    const table = this.#tables.get(key);
    if (table !== undefined) this.#remove(table, id);
  }

  async #nearest(query: Int16Array, keys: readonly string[], { signal }: CallOptions): Promise<Nearest> {
    const turns = new Turns(signal);
    const asked = new Set(keys);
    const best = new Int32Array(this.#entries.length).fill(NONE);
    for await (const { from, scores } of this.#memory.scores(query)) {
      for (let index = 0; index < scores.length; index++) {
        const place = this.#owners[from + index] ?? -1;
        const score = scores[index] ?? NONE;
        if (place >= 0 && score > (best[place] ?? score)) best[place] = score;
      }
      await turns.next();
    }
    let known = 0;
    for (const key of asked) {
      const { entries, count } = this.#tables.get(key) ?? { entries: new Map(), count: 0 };
      // Some may have been removed since they were read, and one row is the state of the table.
      known += Math.max(0, Math.min(entries.size, count - 1));
    }
    const entryAt = (place: number): Entry | undefined => {
      const entry = this.#entries[place];
      return entry !== undefined && asked.has(entry.key) ? entry : undefined;
    };
    return { known, ...summary(best, entryAt) };
  }

  async #refresh(key: string, { signal }: CallOptions): Promise<void> {
    const turns = new Turns(signal);
    const known = this.#tables.get(key) ?? { start: 0, sequence: 0, count: 0, entries: new Map<string, Entry>() };
    this.#tables.set(key, known);
    for (;;) {
      const query = { order: 'written', after: known.sequence, limit: ROWS_PER_PAGE } as const;
      const page = await this.#backend.page(vectorsKey(key), query, { signal });
      if (page.start !== known.start || page.sequence < known.sequence) {
        // Another table, or an earlier state that was put back.
        for (const id of known.entries.keys()) this.#remove(known, id);
        const isRead = known.sequence === 0;
        known.start = page.start;
        known.sequence = 0;
        if (!isRead) continue;
      }
      for (const row of page.rows) {
        this.#read(key, known, row);
        known.sequence = row.sequence;
        if (turns.spend(unitsOf(row.text))) await turns.next();
      }
      if (!page.hasMore) {
        known.sequence = page.sequence;
        known.count = page.count;
        return;
      }
    }
  }

  #read(key: string, table: KnownTable, { id: rowId, text }: Row): void {
    const id = recordIdOf(rowId);
    if (id === undefined) return;
    this.#remove(table, id);
    const row = parseVectors(text);
    if (row === undefined) return;
    const isUnsent = row.unsent !== undefined;
    if (!isUnsent && (row.model !== this.model || row.vectors[0]?.length !== this.#dimension)) return;
    const slots: number[] = [];
    for (const vector of row.vectors) {
      const slot = this.#slotFor(vector);
      // All of its pieces, or none.
      if (slot === undefined) {
        this.#freeSlots.push(...slots);
        return;
      }
      slots.push(slot);
    }
    const place = this.#freePlaces.pop() ?? this.#entries.length;
    for (const slot of slots) this.#owners[slot] = place;
    const entry = { key, id, hash: row.hash, slots, place };
    this.#entries[place] = entry;
    table.entries.set(id, entry);
  }

  #slotFor(vector: Int16Array): number | undefined {
    const free = this.#freeSlots.pop();
    if (free === undefined) return this.#memory.add(vector);
    this.#memory.set(free, vector);
    return free;
  }

  #remove(table: KnownTable, id: string): void {
    const entry = table.entries.get(id);
    if (entry === undefined) return;
    for (const slot of entry.slots) {
      this.#owners[slot] = -1;
      this.#freeSlots.push(slot);
    }
    this.#entries[entry.place] = undefined;
    this.#freePlaces.push(entry.place);
    table.entries.delete(id);
  }
}

/** Returns the entries with the highest scores, and how all scores are distributed. */
function summary(
  best: Int32Array,
  entryAt: (place: number) => Entry | undefined,
): Pick<Nearest, 'records' | 'mean' | 'deviation'> {
  let count = 0;
  let sum = 0;
  let squares = 0;
  let found: { readonly entry: Entry; readonly score: number }[] = [];
  let least = NONE;
  for (const [place, score] of best.entries()) {
    const entry = score === NONE ? undefined : entryAt(place);
    if (entry === undefined) continue;
    const similarity = similarityOf(score);
    count += 1;
    sum += similarity;
    squares += similarity * similarity;
    if (score <= least) continue;
    found.push({ entry, score });
    if (found.length < 2 * MAX_NEAREST) continue;
    found = nearestOf(found);
    least = found.at(-1)?.score ?? NONE;
  }
  const mean = sum / Math.max(1, count);
  const records = nearestOf(found).map(({ entry: { key, id, hash }, score }) => {
    return { key, id, hash, similarity: similarityOf(score) };
  });
  return { records, mean, deviation: Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean)) };
}

function nearestOf<T extends { readonly score: number }>(found: readonly T[]): T[] {
  return found.toSorted((left, right) => right.score - left.score).slice(0, MAX_NEAREST);
}
