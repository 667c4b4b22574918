import type { ResourceChange, ResourceProvider } from '@cairn/tool';

/** The default time between two rounds of notifications. Milliseconds. */
export const NOTICE_INTERVAL_MS = 1000;

/** Receives the notifications of one connection. */
interface NoticeListener {
  updated(uri: string): void;
  listChanged(): void;
}

/** Tells the client of one session which of its resources changed. */
export interface ResourceNotices {
  /** Returns whether changes of this URI are announced. */
  announces(uri: string): boolean;
  /** Counts URIs as subscribed until the returned function is called. Updates of other URIs are dropped. */
  subscribe(uris: readonly string[]): () => void;
  /** Adds a listener. Returns a function that removes it. */
  listen(listener: NoticeListener): () => void;
}

/** Options of {@link createResourceNotices}. */
export interface ResourceNoticesOptions {
  /** The time between two rounds of notifications. Milliseconds. */
  readonly intervalMs: number;
  /** Ends the notifications. */
  readonly signal: AbortSignal;
}

/** Counts how often each URI is subscribed. */
function createCounter(): {
  readonly uris: () => Iterable<string>;
  readonly has: (uri: string) => boolean;
  readonly add: (uri: string, change: 1 | -1) => void;
} {
  const counts = new Map<string, number>();
  return {
    uris: () => counts.keys(),
    has: (uri) => counts.has(uri),
    add: (uri, change) => {
      const count = (counts.get(uri) ?? 0) + change;
      if (count > 0) counts.set(uri, count);
      else counts.delete(uri);
    },
  };
}

/**
 * Joins the changes of several providers. The first change is announced at once, further ones after `intervalMs`, each URI once:
 * a burst of changes is one notification at its beginning and one at its end. Returns `undefined` when no provider
 * announces changes.
 */
export function createResourceNotices(
  providers: readonly ResourceProvider[],
  { intervalMs, signal }: ResourceNoticesOptions,
): ResourceNotices | undefined {
  const sources = providers.flatMap(({ changes }) => (changes === undefined ? [] : [changes]));
  if (sources.length === 0) return undefined;
  const subscribed = createCounter();
  const listeners = new Set<NoticeListener>();
  const updated = new Set<string>();
  let isListChanged = false;
  let sentMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const send = (): void => {
    timer = undefined;
    sentMs = performance.now();
    const uris = [...updated].filter(subscribed.has);
    const withList = isListChanged;
    updated.clear();
    isListChanged = false;
    for (const listener of listeners) {
      if (withList) listener.listChanged();
      for (const uri of uris) listener.updated(uri);
    }
  };
  const note = (change: ResourceChange): void => {
    if (change.kind === 'list-change') isListChanged = true;
    else {
      if (subscribed.has(change.uri)) updated.add(change.uri);
      if (change.below === true) {
        const prefix = change.uri.endsWith('/') ? change.uri : `${change.uri}/`;
        for (const uri of subscribed.uris()) if (uri.startsWith(prefix)) updated.add(uri);
      }
    }
    if (timer !== undefined || signal.aborted || (updated.size === 0 && !isListChanged)) return;
    timer = setTimeout(send, Math.max(0, sentMs + intervalMs - performance.now())).unref();
  };
  const stops = sources.map((source) => source.onChange(note));
  const end = (): void => {
    for (const stop of stops) stop();
    clearTimeout(timer);
    listeners.clear();
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return {
    announces: (uri) => sources.some((source) => source.announces(uri)),
    subscribe: (uris) => {
      const own = [...new Set(uris)];
      for (const uri of own) subscribed.add(uri, 1);
      return () => {
        for (const uri of own.splice(0)) subscribed.add(uri, -1);
      };
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
