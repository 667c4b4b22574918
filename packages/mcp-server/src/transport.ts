/** The default limit of one message, in bytes. The content of a `write` call counts. */
export const MAX_MESSAGE_BYTES: number = 10 * 1024 * 1024;

/** The default time that running calls get to finish when the server ends. Milliseconds. */
export const GRACE_MS = 5000;

/** The method of a subscription. Its answer comes when the connection ends, so shutdown must not wait for it. */
const SUBSCRIBE_METHOD = 'subscriptions/listen';

/** Returns the URIs that a message subscribes to, or `undefined` when it opens no subscription. */
export function subscribedUris(message: unknown): readonly string[] | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { method, params } = message as SubscribeMessage;
  if (method !== SUBSCRIBE_METHOD) return undefined;
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}

/** What a message has when it opens a subscription. Nothing is checked yet: the SDK rejects an invalid one. */
interface SubscribeMessage {
  readonly method?: unknown;
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } | null } | null;
}

/** Returns a thrown value as an error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Waits for a promise, at most `ms` milliseconds. Returns whether it settled in time; rejects when the promise rejects. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
