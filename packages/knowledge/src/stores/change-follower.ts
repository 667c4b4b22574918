import type { LocalStore } from './local-store.ts';

/** The assets that are handled at once. */
const PAGE = 50;

/** Handles the assets that this process changes, in the background. A failure leaves the rest until the next change. */
export class ChangeFollower {
  readonly #handle: (ids: readonly string[]) => Promise<void>;
  readonly #changed = new Set<string>();
  readonly #stop: () => void;
  #running: Promise<void> | undefined;

  constructor(store: Pick<LocalStore, 'onChange'>, handle: (ids: readonly string[]) => Promise<void>) {
    this.#handle = handle;
    this.#stop = store.onChange((ids) => {
      for (const id of ids) this.#changed.add(id);
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#changed.size > 0) {
        const ids = [...this.#changed].slice(0, PAGE);
        for (const id of ids) this.#changed.delete(id);
        await this.#handle(ids);
      }
    } catch {
      // The assets are stored, and all else is derived from them.
    } finally {
      this.#running = undefined;
    }
  }

  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Waits as `flush`, and ends. */
  async close(): Promise<void> {
    this.#stop();
    await this.flush();
  }
}
