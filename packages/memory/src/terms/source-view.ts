import type { Changed } from '../records/backend.ts';
import { termsKey } from '../records/keys.ts';
import { readChanges } from '../records/read-changes.ts';
import { isLive } from '../records/record.ts';
import { IndexEraser } from './index-eraser.ts';
import { IndexReader } from './index-reader.ts';
import { IndexTable } from './index-state.ts';
import { IndexWriter } from './index-writer.ts';
import { LoadedIndex } from './loaded-index.ts';
import type { IndexContext } from './loaded-index.ts';
import { captureParts } from './source-parts.ts';
import type { SourceParts } from './source-parts.ts';
import { expires } from './term-source.ts';
import type { SourceCall } from './term-source.ts';

/** A record with its text. */
export interface ReadRecord {
  readonly sequence: number;
  readonly record: string;
  readonly text: string;
  readonly timeMs: number;
}

/** The index of one source in this process. Its calls run one after the other. */
export class SourceView {
  readonly #context: IndexContext;
  readonly #reader: IndexReader;
  readonly #eraser: IndexEraser;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(shared: Pick<IndexContext, 'backend' | 'cache' | 'sizes' | 'onStored'>, key: string) {
    const table = new IndexTable(shared.backend, termsKey(key));
    this.#context = { ...shared, key, table, index: new LoadedIndex() };
    const writer = new IndexWriter(this.#context);
    this.#reader = new IndexReader(this.#context, writer);
    this.#eraser = new IndexEraser(this.#context, this.#reader, writer);
  }

  #enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = this.#queue.then(task);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  /** Returns the time by which records expire; 0 when they do not. */
  async #nowMs({ source, signal }: SourceCall): Promise<number> {
    return expires(source.rule) ? this.#context.backend.now({ signal }) : 0;
  }

  /** Reads the records that are new, and returns what the source has now. */
  capture(call: SourceCall): Promise<SourceParts> {
    return this.#enqueue(async () => {
      await this.#reader.refresh(call);
      return captureParts(this.#context, call, await this.#nowMs(call));
    });
  }

  /** The number of terms of the records that it has in memory. */
  get termsInMemory(): number {
    return this.#context.index.termsInMemory;
  }

  /** Treats a segment as missing from now on. */
  async dropDamaged(name: string): Promise<void> {
    await this.#enqueue(async () => {
      this.#context.index.damaged.add(name);
      this.#context.index.reset('');
    });
  }

  /** Reads all records that the rule keeps. */
  async readAll(call: SourceCall): Promise<ReadRecord[]> {
    const { source, signal } = call;
    const { rule } = source;
    const nowMs = await this.#nowMs(call);
    const select = ({ sequence, record }: Changed): ReadRecord | undefined => {
      const text = rule === undefined || isLive(record, rule, nowMs) ? source.textOf(record) : undefined;
      return text && { sequence, record, ...text };
    };
    return (await readChanges(this.#context.backend, this.#context.key, select, { signal })).selected;
  }

  /** Removes the terms of records from the store. @throws {MemoryError} when the store cannot be written. */
  forget(sequences: 'all' | readonly number[], epochOfSequences: string | undefined, call: SourceCall): Promise<void> {
    return this.#enqueue(() => this.#eraser.forget(sequences, epochOfSequences, call));
  }
}
