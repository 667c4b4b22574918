import type { CallOptions, Changes } from '../records/backend.ts';
import { FIRST_PAGE, nextPageLimit } from '../records/read-changes.ts';
import type { IndexWriter } from './index-writer.ts';
import { readingOf } from './loaded-index.ts';
import type { IndexContext, LoadedIndex } from './loaded-index.ts';
import { openSegments } from './open-segment.ts';
import { Tail } from './tail.ts';
import type { SourceCall } from './term-source.ts';

const MAX_ATTEMPTS = 5;
const MAX_LIMIT = 2 ** 31 - 1;

/** Brings a loaded index up to date with its records. */
export class IndexReader {
  readonly #context: IndexContext;
  readonly #index: LoadedIndex;
  readonly #writer: IndexWriter;
  #pageLimit = FIRST_PAGE;

  constructor(context: IndexContext, writer: IndexWriter) {
    this.#context = context;
    this.#index = context.index;
    this.#writer = writer;
  }

  /** Reads what is new, and writes what is due, until the loaded index agrees with the store. */
  async refresh(call: SourceCall): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      call.signal?.throwIfAborted();
      if (await this.#tryRefresh(call, attempt === MAX_ATTEMPTS)) return;
      this.#index.reset('');
    }
  }

  /** @returns whether the loaded index agrees with the store; otherwise everything must be read again. */
  async #tryRefresh(call: SourceCall, isLast: boolean): Promise<boolean> {
    const page = await this.#readPage({ after: this.#index.readTo, limit: isLast ? MAX_LIMIT : this.#pageLimit }, call);
    if (page.epoch !== this.#index.epoch) this.#index.reset(page.epoch);
    let count: number | undefined;
    if (
      !isLast &&
      this.#index.stored === undefined &&
      (this.#index.isLarge || page.records.length === this.#pageLimit)
    ) {
      // The state must be older than the records that are stored with it.
      await this.load(call);
      count = await this.#readTails(undefined, call, isLast);
    } else {
      count = await this.#readTails(page, call, isLast);
    }
    if (count === undefined) return false;
    if (count !== this.#index.present && !(await this.readLive(call))) return false;
    if (isLast) return true;
    const tail = this.#index.tails.at(-1);
    if (tail !== undefined && tail.gone > tail.records.size + FIRST_PAGE) return false;
    return this.#writer.maintain(call);
  }

  async #readPage(
    { after, upTo, limit }: { readonly after: number; readonly upTo?: number; readonly limit: number },
    { signal }: CallOptions,
  ): Promise<Changes> {
    const epoch = this.#index.epoch === '' ? undefined : this.#index.epoch;
    return this.#context.backend.changes(this.#context.key, { epoch, after, upTo, limit, signal });
  }

  /** Reads the state and the columns of its segments. */
  async load(call: SourceCall): Promise<void> {
    const { signal, source, turns } = call;
    const stored = await this.#context.table.read(this.#index.epoch, { signal });
    this.#index.stored = stored;
    const infos = (stored.state?.segments ?? []).filter(({ name }) => !this.#index.damaged.has(name));
    const { segments, damaged } = await openSegments(readingOf(this.#context, call), infos);
    for (const name of damaged) this.#index.damaged.add(name);
    this.#index.open(segments);
    const holes = (stored.state?.holes ?? []).toSorted((left, right) => left - right);
    this.#index.holes = new Tail(0, 0);
    const records = await this.#context.backend.fetch(this.#context.key, this.#index.epoch, holes, { signal });
    for (const [index, record] of records.entries()) {
      if (record !== undefined) await this.#index.holes.add({ sequence: holes[index] ?? 0, record }, source, turns);
    }
  }

  /** Reads what the tails lack. @returns the number of records of the key; `undefined` when it has another epoch now. */
  async #readTails(first: Changes | undefined, call: SourceCall, isLast: boolean): Promise<number | undefined> {
    let count = 0;
    // Storing a part of a tail replaces the array.
    for (const tail of this.#index.tails) {
      const isOpen = tail.to === Infinity;
      // A gap was read when the segments were.
      if (!isOpen && first !== undefined) continue;
      const end = await this.#readTail(tail, isOpen ? first : undefined, call, isLast);
      if (end === undefined) return undefined;
      count = end;
    }
    return count;
  }

  async #readTail(
    begun: Tail,
    first: Changes | undefined,
    call: SourceCall,
    isLast: boolean,
  ): Promise<number | undefined> {
    const { source, turns } = call;
    const holes = new Set(this.#index.stored?.state?.holes);
    let tail = begun;
    let readTo = first === undefined ? tail.from - 1 : this.#index.readTo;
    for (let page = first; ; page = undefined) {
      const limit = isLast ? MAX_LIMIT : this.#pageLimit;
      page ??= await this.#readPage({ after: readTo, upTo: tail.to, limit }, call);
      if (page.epoch !== this.#index.epoch) return undefined;
      for (const one of page.records) {
        if (!holes.has(one.sequence)) await tail.add(one, source, turns);
        readTo = one.sequence;
        if (isLast || !this.#writer.isFull(tail, source)) continue;
        const next = new Tail(readTo + 1, tail.to);
        if (!(await this.#writer.store(tail, readTo, next, call))) return undefined;
        tail = next;
      }
      if (tail.to === Infinity) this.#index.readTo = readTo;
      if (page.records.length < limit) return page.count;
      this.#pageLimit = nextPageLimit(limit, page.records);
    }
  }

  /** Finds which records are gone. @returns whether the epoch is the same. */
  async readLive({ turns, signal }: SourceCall): Promise<boolean> {
    const { epoch, sequences } = await this.#context.backend.sequences(this.#context.key, { signal });
    if (epoch !== this.#index.epoch) return false;
    await turns.next();
    this.#index.setLive(sequences);
    return true;
  }
}
