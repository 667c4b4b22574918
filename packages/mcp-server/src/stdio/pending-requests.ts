import type { RequestId } from '@modelcontextprotocol/server';

/** The requests of one connection that have no answer yet. */
export class PendingRequests {
  readonly #awaited = new Set<RequestId>();
  /** Ids in use. An id becomes free when its answer is sent; its request settles when the answer is written. */
  readonly #used = new Set<RequestId>();
  readonly #endings = new Map<RequestId, () => void>();
  readonly #waiting: (() => void)[] = [];

  /** Starts a request. Returns `false` when a running request has the same id. `onEnd` is called when it is settled. */
  start(
    id: RequestId,
    { awaited, onEnd }: { readonly awaited: boolean; readonly onEnd?: (() => void) | undefined },
  ): boolean {
    if (this.#used.has(id)) return false;
    this.#used.add(id);
    if (awaited) this.#awaited.add(id);
    if (onEnd) this.#endings.set(id, onEnd);
    return true;
  }

  /** Frees the id: the client may use it again as soon as it has the answer. */
  free(id: RequestId): void {
    this.#used.delete(id);
  }

  /** Marks a request as answered or cancelled. */
  settle(id: RequestId): void {
    this.#awaited.delete(id);
    this.#endings.get(id)?.();
    this.#endings.delete(id);
    if (this.#awaited.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when every awaited request is settled. */
  async settled(): Promise<void> {
    if (this.#awaited.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
