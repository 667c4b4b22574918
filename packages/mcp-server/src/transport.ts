import { isObject } from '@cairn/tool/kernel';
import { setTimeout } from 'node:timers/promises';

/** The default limit of one message, in bytes. The content of a `write` call counts. */
export const MAX_MESSAGE_BYTES: number = 10 * 1024 * 1024;

export const GRACE_MS = 5000;

export interface TransportOptions {
  /** The limit of one message in bytes. A longer message gets an error as its answer. Default: 10 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Milliseconds that running calls get to finish at the end. After that they are cancelled. @default 5000 */
  readonly graceMs?: number | undefined;
  /** Called with each error that is not the answer to a call. Default: errors are ignored. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** The method of a subscription. Its answer comes when the connection ends, so shutdown must not wait for it. */
const SUBSCRIBE_METHOD = 'subscriptions/listen';

/** Returns the URIs that a message subscribes to, or `undefined` when it opens no subscription. */
export function subscribedUris(message: unknown): readonly string[] | undefined {
  if (!isObject(message) || message['method'] !== SUBSCRIBE_METHOD) return undefined;
  // Nothing is checked yet: the SDK rejects an invalid message.
  const { params } = message as { params?: { notifications?: { resourceSubscriptions?: unknown } | null } | null };
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Waits for a promise, at most `ms` milliseconds. Returns whether it settled in time; rejects when the promise rejects. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const ending = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), setTimeout(ms, false, { signal: ending.signal })]);
  } finally {
    ending.abort();
  }
}
