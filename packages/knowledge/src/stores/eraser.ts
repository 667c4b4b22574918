import type { LocalStore } from './local-store.ts';

/** The changes within this time are erased together, because each erasure writes the whole file again. */
const ERASE_AFTER_MS = 60_000;

/** Erases the texts that changes replaced, in the background. */
export class Eraser {
  readonly #store: Pick<LocalStore, 'eraseReplaced'>;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<LocalStore, 'eraseReplaced' | 'onChange'>) {
    this.#store = store;
    this.#stop = store.onChange(() => {
      this.#timer ??= setTimeout(() => void this.#erase(), ERASE_AFTER_MS).unref();
    });
  }

  #erase(): Promise<unknown> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A failure: the changes themselves are stored, and the erasure after a later one includes these.
    this.#running = this.#running.then(() => this.#store.eraseReplaced()).catch(() => undefined);
    return this.#running;
  }

  /** May be called twice. */
  async close({ erases }: { readonly erases: boolean }): Promise<void> {
    this.#stop();
    clearTimeout(this.#timer);
    await (erases ? this.#erase() : this.#running);
  }
}
