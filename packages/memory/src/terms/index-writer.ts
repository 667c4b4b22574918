import { mergeSegments, readColumns, RetrievalError, writeSegment } from '@cairn/retrieval';
import { MemoryError } from '../errors.ts';
import type { CallOptions } from '../records/backend.ts';
import { randomName } from '../records/random-name.ts';
import { emptyState } from './index-state.ts';
import type { StoredSegment } from './index-state.ts';
import { readingOf } from './loaded-index.ts';
import type { IndexContext, LoadedIndex } from './loaded-index.ts';
import { DamagedSegment, OpenSegment, readAllBlocks } from './open-segment.ts';
import { chooseMerge, isDue, isFull } from './segment-sizes.ts';
import { Tail } from './tail.ts';
import { isStorable } from './term-source.ts';
import type { SourceCall, TermSource } from './term-source.ts';

/** How long a store that refused a write is not asked again. */
const REFUSED_MS = 60_000;

/** Makes segments of tails, merges segments, and writes both to the store. */
export class IndexWriter {
  readonly #context: IndexContext;
  readonly #index: LoadedIndex;
  /** Of `performance.now()`. */
  #refusedUntilMs = 0;

  constructor(context: IndexContext) {
    this.#context = context;
    this.#index = context.index;
  }

  /** Returns whether a tail must become a segment before it grows. */
  isFull(tail: Tail, source: TermSource): boolean {
    if (this.#index.stored === undefined || !tail.isStorable || !isStorable(source) || tail.gone > 0) return false;
    return isFull(tail, this.#context.sizes);
  }

  /** Stores the tails that are large enough, and merges segments. @returns whether the loaded index agrees with the store. */
  async maintain(call: SourceCall): Promise<boolean> {
    if (!isStorable(call.source)) return true;
    const due = this.#index.tails.filter((tail) => tail.isStorable && isDue(tail, this.#context.sizes));
    if (due.length > 0 && (this.#index.stored === undefined || due.some(({ gone }) => gone > 0))) {
      this.#index.isLarge = true;
      return false;
    }
    for (const tail of due) {
      const to = tail.to === Infinity ? this.#index.readTo : tail.to;
      if (!(await this.store(tail, to, new Tail(to + 1, tail.to), call))) return false;
    }
    if (this.#isWritable && this.#index.segments.some(({ rows }) => rows !== undefined) && !(await this.#save(call)))
      return false;
    return this.#merge(call);
  }

  /** Makes a segment of a tail. @returns whether the loaded index agrees with the store. */
  async store(tail: Tail, to: number, next: Tail, call: SourceCall): Promise<boolean> {
    const name = randomName();
    const rows = await call.turns.run(writeSegment(name, tail.builder));
    const { sequences } = tail.builder;
    const info: StoredSegment = {
      name,
      from: tail.from,
      to,
      records: sequences.length,
      terms: tail.terms,
      blocks: rows.blocks.length,
    };
    const segment = new OpenSegment(info, rows.columns, rows);
    this.#index.replaceTail(tail, next);
    this.#index.replaceSegments([], segment);
    return this.#save(call);
  }

  get #isWritable(): boolean {
    return performance.now() >= this.#refusedUntilMs;
  }

  /** Runs a task that writes to the store; `undefined` when the store cannot be written, which costs only time. */
  async #attempt<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    if (!this.#isWritable) return undefined;
    try {
      return await task();
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      this.#refusedUntilMs = performance.now() + REFUSED_MS;
      return undefined;
    }
  }

  /** Writes the state with the segments that only this process has. @returns whether the loaded index agrees with the store. */
  async #save({ signal }: SourceCall): Promise<boolean> {
    const stored = this.#index.stored;
    if (stored === undefined) return true;
    const { closedUntilMs } = stored.state ?? {};
    if (closedUntilMs !== undefined && (await this.#context.backend.now({ signal })) < closedUntilMs) return true;
    const own = this.#index.segments.filter(({ rows }) => rows !== undefined);
    const saved = await this.#attempt(async () => {
      const next = {
        ...emptyState(this.#index.epoch),
        segments: this.#index.segments.map(({ info }) => info),
        holes: [...this.#index.holes.records.keys()],
      };
      const segments = own.flatMap(({ info: { name }, rows }) => (rows ? [{ name, rows }] : []));
      const written = await this.#context.table.write(stored, next, segments, { signal });
      if (written === undefined) return false;
      if (stored.text === undefined && !(await this.#isPresent({ signal }))) {
        await this.#context.table.removeAll({ signal });
        return false;
      }
      for (const segment of own) segment.rows = undefined;
      this.#index.stored = written;
      this.#index.stored = await this.#context.table.collect(written, { signal });
      await this.#context.onStored({ signal });
      return true;
    });
    return saved ?? true;
  }

  /** Returns whether the records that were read are not all removed: the removal leaves no state behind that would tell. */
  async #isPresent(call: CallOptions): Promise<boolean> {
    return (await this.#context.backend.changes(this.#context.key, { limit: 1, ...call })).epoch === this.#index.epoch;
  }

  /** Merges small neighbours, and segments whose records are mostly gone. @returns whether the loaded index agrees with the store. */
  async #merge(call: SourceCall): Promise<boolean> {
    for (;;) {
      const chosen =
        this.#isWritable && this.#index.stored !== undefined
          ? chooseMerge(this.#index.segments, this.#context.sizes)
          : [];
      if (chosen.length === 0) return true;
      if (!(await this.rewrite(chosen, new Set(), call))) return false;
    }
  }

  /**
   * Writes neighbours as one segment, without the records that are gone and those with some sequences.
   *
   * @returns whether the loaded index agrees with the store.
   */
  async rewrite(chosen: readonly OpenSegment[], dropped: ReadonlySet<number>, call: SourceCall): Promise<boolean> {
    const [first, last] = [chosen[0], chosen.at(-1)];
    if (first === undefined || last === undefined) return true;
    const reading = readingOf(this.#context, call);
    const name = randomName();
    const inputs = [];
    try {
      for (const segment of chosen) {
        const isDropped = (slot: number): boolean =>
          segment.isGone(slot) || dropped.has(segment.columns.sequences[slot] ?? 0);
        inputs.push({
          name: segment.info.name,
          columns: segment.columns,
          blocks: await readAllBlocks(reading, segment),
          isDropped,
        });
      }
      const rows = await call.turns.run(mergeSegments(name, inputs));
      const { sequences, totalLength: terms } = readColumns(name, rows.columns);
      const [{ from }, { to }] = [first.info, last.info];
      const info = { name, from, to, records: sequences.length, terms, blocks: rows.blocks.length };
      const segment = new OpenSegment(info, rows.columns, rows);
      this.#index.replaceSegments(chosen, segment);
    } catch (error) {
      const damaged = error instanceof DamagedSegment ? error.segment : undefined;
      if (damaged === undefined && !RetrievalError.isInstance(error)) throw error;
      for (const { info } of chosen)
        if (damaged === undefined || damaged === info.name) this.#index.damaged.add(info.name);
      return false;
    }
    return this.#save(call);
  }
}
