/** A signal that the caller, a time limit and `close` abort. */
export class Ending {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly signal: AbortSignal = this.#controller.signal;
  isTimeout = false;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    caller?.addEventListener('abort', this.#onAbort, { once: true });
    if (caller?.aborted) this.#onAbort();
  }

  limit(timeoutMs: number): void {
    this.#timer = setTimeout(() => {
      this.isTimeout = !this.signal.aborted;
      this.abort(new Error('timeout'));
    }, timeoutMs);
  }

  readonly #onAbort = (): void => this.abort(this.#caller?.reason);

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }
}
