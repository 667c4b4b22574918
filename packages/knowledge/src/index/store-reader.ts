import type { CallOptions, MemoryBackend } from '@cairn/memory';
import { headOf } from '../stores/record.ts';
import { isSamePosition, type Position } from '../stores/rows.ts';
import { Entries } from './entries.ts';
import type { LocalStore } from '../stores/local-store.ts';
import { readSavedIndex, saveIndex } from './saved-index.ts';

export interface ReaderOptions {
  readonly store: Pick<LocalStore, 'changes' | 'onChange'>;
  /** Keeps the index for the next process. @default the next process reads all assets */
  readonly backend?: MemoryBackend | undefined;
  /** Returns the number of times that each asset was opened, by id. Called before the index is written. */
  readonly opened?: ((options: CallOptions) => Promise<ReadonlyMap<string, number>>) | undefined;
  /** Is called when the store differs from the saved index, or from what was read before. */
  readonly onMoved: () => void;
}

/** Keeps the entries of the index equal to the assets of the store. */
export class StoreReader {
  readonly entries: Entries = new Entries();
  readonly #options: ReaderOptions;
  /** The state of the store that the entries have. */
  position: Position | undefined;
  #isLoaded = false;
  #reading: Promise<unknown> = Promise.resolve();
  #next: Promise<number> | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads what changed, and returns the number of assets that changed or are gone. A call joins the next reading, and not the one that
   * has begun: that one may not see what was written before the call.
   */
  async read({ signal }: CallOptions): Promise<number> {
    signal?.throwIfAborted();
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined;
      const reading = this.#readChanges();
      this.#reading = reading.catch(() => undefined);
      return reading;
    });
    const changed = await this.#next;
    signal?.throwIfAborted();
    return changed;
  }

  async readOpened(options: CallOptions): Promise<void> {
    const { opened } = this.#options;
    if (opened !== undefined) this.entries.opened = await opened(options);
  }

  async save(options: CallOptions): Promise<void> {
    const { backend } = this.#options;
    if (backend === undefined || this.position === undefined) return;
    const { opened } = this.entries;
    const heads = this.entries.ordered().map(({ head, sequence }) => {
      return { sequence, opened: opened.get(head.id) ?? 0, head };
    });
    await saveIndex(backend, { ...this.position, overview: this.entries.overview(), heads }, options);
  }

  async #load(): Promise<void> {
    const { backend } = this.#options;
    const saved = backend && (await readSavedIndex(backend, {}));
    // A saved index has the counts as of the last time that it was written.
    if (saved === undefined) return this.readOpened({});
    const opened = new Map<string, number>();
    this.entries.unreadable = saved.overview.counts.unreadable ?? 0;
    for (const one of saved.heads) {
      this.entries.set(one.head, one.sequence);
      opened.set(one.head.id, one.opened);
    }
    this.entries.opened = opened;
    const { start, sequence, count } = saved;
    this.position = { start, sequence, count };
  }

  async #readChanges(): Promise<number> {
    if (!this.#isLoaded) await this.#load();
    this.#isLoaded = true;
    const { store } = this.#options;
    const { entries } = this;
    const before = this.position;
    let changes = await store.changes(before && { ...before, sequences: entries.sequences });
    const hasChanged = !isSamePosition(before, changes);
    // Only reading all rows shows which of them are still not readable.
    if (changes.isContinued && (changes.unreadable.length > 0 || (hasChanged && entries.unreadable > 0))) {
      changes = await store.changes();
    }
    const { start, sequence, count, isContinued, changed, removed, unreadable } = changes;
    if (!isContinued) {
      entries.clear();
      entries.unreadable = unreadable.length;
    }
    for (const id of removed) entries.delete(id);
    for (const one of changed) entries.set(headOf(one.asset), one.sequence);
    this.position = { start, sequence, count };
    if (hasChanged) this.#options.onMoved();
    return changed.length + removed.length;
  }
}
