import { emptyState } from './index-state.ts';
import type { IndexState, ReadState } from './index-state.ts';
import type { IndexReader } from './index-reader.ts';
import type { IndexWriter } from './index-writer.ts';
import type { IndexContext, LoadedIndex } from './loaded-index.ts';
import type { SourceCall } from './term-source.ts';

const MAX_ATTEMPTS = 5;
/** Shorter lists never have an index, and no process can be writing one. */
const MIN_GUARDED = 128;
/** How long the records may take to be removed after their terms. */
const CLOSED_MS = 600_000;

/** Removes the terms of records from the store. */
export class IndexEraser {
  readonly #context: IndexContext;
  readonly #index: LoadedIndex;
  readonly #reader: IndexReader;
  readonly #writer: IndexWriter;

  constructor(context: IndexContext, reader: IndexReader, writer: IndexWriter) {
    this.#context = context;
    this.#index = context.index;
    this.#reader = reader;
    this.#writer = writer;
  }

  /** Removes the terms of records from the store. @throws {MemoryError} when the store cannot be written. */
  async forget(
    sequences: 'all' | readonly number[],
    epochOfSequences: string | undefined,
    call: SourceCall,
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.#index.reset('');
      const { epoch, count } = await this.#context.backend.changes(this.#context.key, {
        limit: 1,
        signal: call.signal,
      });
      this.#index.epoch = epoch;
      if (count === 0) {
        await this.#context.table.removeAll(call);
        break;
      }
      const stored = await this.#context.table.read(epoch, call);
      if (stored.text === undefined && count < MIN_GUARDED) break;
      const isAll = sequences === 'all' || epoch !== (epochOfSequences ?? epoch);
      if (isAll || attempt > MAX_ATTEMPTS) {
        if (await this.#forgetAll(isAll ? 'all' : sequences, call)) break;
      } else if (await this.#forgetSome(stored, sequences, call)) {
        break;
      }
    }
    this.#index.reset('');
  }

  /** Removes the index, and states which records must not be in the next one. @returns whether no other process wrote one. */
  async #forgetAll(sequences: 'all' | readonly number[], call: SourceCall): Promise<boolean> {
    await this.#context.table.removeAll(call);
    const next: Omit<IndexState, 'tag' | 'garbage' | 'format'> =
      sequences === 'all'
        ? { ...emptyState(this.#index.epoch), closedUntilMs: (await this.#context.backend.now(call)) + CLOSED_MS }
        : { ...emptyState(this.#index.epoch), holes: sequences };
    return (await this.#context.table.write({ text: undefined, state: undefined }, next, [], call)) !== undefined;
  }

  /** Writes the segments with the records again. @returns whether no segment in the store has them or a record that is gone. */
  async #forgetSome(before: ReadState, sequences: readonly number[], call: SourceCall): Promise<boolean> {
    // From here on no other process can store these records.
    const state = before.state ?? emptyState(this.#index.epoch);
    const records = await this.#context.backend.fetch(this.#context.key, this.#index.epoch, state.holes, {
      signal: call.signal,
    });
    const present = state.holes.filter((_, index) => records[index] !== undefined);
    const holes = [...new Set([...present, ...sequences])];
    if ((await this.#context.table.write(before, { ...state, holes }, [], call)) === undefined) return false;
    await this.#reader.load(call);
    if (this.#index.stored?.state === undefined || !(await this.#reader.readLive(call))) return false;
    const forgotten = new Set(sequences);
    for (const segment of this.#index.segments) {
      const isAffected = segment.gone > 0 || segment.columns.sequences.some((sequence) => forgotten.has(sequence));
      if (isAffected && !(await this.#writer.rewrite([segment], forgotten, call))) return false;
    }
    const { garbage, hasUnknownRows } = (await this.#context.table.collect(this.#index.stored, call)).state ?? {};
    return (
      garbage?.length === 0 && hasUnknownRows !== true && this.#index.segments.every(({ rows }) => rows === undefined)
    );
  }
}
