import type { RequestId } from '@modelcontextprotocol/server';

/** The requests of one connection that have no answer yet. */
export interface PendingRequests {
  /**
   * Starts a request. Returns `false` when a running request has the same id. Nothing waits for an unawaited request. `onEnd`
   * is called when the request is settled.
   */
  start(id: RequestId, options: { readonly awaited: boolean; readonly onEnd?: (() => void) | undefined }): boolean;
  /** Frees the id: the client may use it again as soon as it has the answer. */
  free(id: RequestId): void;
  /** Marks a request as answered or cancelled. */
  settle(id: RequestId): void;
  /** Resolves when every awaited request is settled. */
  settled(): Promise<void>;
}

/** Makes the record of pending requests for one connection. */
export function createPendingRequests(): PendingRequests {
  const awaited = new Set<RequestId>();
  /** Ids in use. An id becomes free when its answer is sent; its request settles when the answer is written. */
  const used = new Set<RequestId>();
  const endings = new Map<RequestId, () => void>();
  const waiting: (() => void)[] = [];
  return {
    start: (id, options) => {
      if (used.has(id)) return false;
      used.add(id);
      if (options.awaited) awaited.add(id);
      if (options.onEnd) endings.set(id, options.onEnd);
      return true;
    },
    free: (id) => void used.delete(id),
    settle: (id) => {
      awaited.delete(id);
      endings.get(id)?.();
      endings.delete(id);
      if (awaited.size === 0) for (const resolve of waiting.splice(0)) resolve();
    },
    settled: () => (awaited.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
