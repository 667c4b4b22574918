import type { ResourceChange, ResourceProvider } from '@cairn/tool';

/** The default time between two rounds of notifications. Milliseconds. */
export const NOTICE_INTERVAL_MS = 1000;

/** Receives the notifications of one connection. */
interface NoticeListener {
  updated(uri: string): void;
  listChanged(): void;
}

interface ResourceNoticesOptions {
  /** The time between two rounds of notifications. Milliseconds. */
  readonly intervalMs: number;
  /** Ends the notifications. */
  readonly signal: AbortSignal;
}

/**
 * Tells the client of one session which of its resources changed. The first change is announced at once, further ones after
 * `intervalMs`, each URI once: a burst of changes is one notification at its beginning and one at its end.
 */
export class ResourceNotices {
  readonly #options: ResourceNoticesOptions;
  readonly #sources: readonly NonNullable<ResourceProvider['changes']>[];
  /** How often each URI is subscribed. */
  readonly #subscribed = new Map<string, number>();
  readonly #listeners = new Set<NoticeListener>();
  readonly #updated = new Set<string>();
  #isListChanged = false;
  #sentMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(providers: readonly ResourceProvider[], options: ResourceNoticesOptions) {
    const { signal } = options;
    this.#options = options;
    this.#sources = providers.flatMap(({ changes }) => changes ?? []);
    const stops = this.#sources.map((source) => source.onChange((change) => this.#note(change)));
    const end = (): void => {
      for (const stop of stops) stop();
      clearTimeout(this.#timer);
      this.#listeners.clear();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  }

  /** Returns whether changes of this URI are announced. */
  announces(uri: string): boolean {
    return this.#sources.some((source) => source.announces(uri));
  }

  /** Counts URIs as subscribed until the returned function is called. Updates of other URIs are dropped. */
  subscribe(uris: readonly string[]): () => void {
    const own = [...new Set(uris)];
    const countOf = (uri: string): number => this.#subscribed.get(uri) ?? 0;
    for (const uri of own) this.#subscribed.set(uri, countOf(uri) + 1);
    return () => {
      for (const uri of own.splice(0)) {
        if (countOf(uri) > 1) this.#subscribed.set(uri, countOf(uri) - 1);
        else this.#subscribed.delete(uri);
      }
    };
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: NoticeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #note(change: ResourceChange): void {
    if (change.kind === 'list-change') this.#isListChanged = true;
    else {
      const { uri, below } = change;
      const prefix = uri.endsWith('/') ? uri : `${uri}/`;
      for (const one of this.#subscribed.keys()) {
        if (one === uri || (below === true && one.startsWith(prefix))) this.#updated.add(one);
      }
    }
    if (this.#timer !== undefined || this.#options.signal.aborted) return;
    if (this.#updated.size === 0 && !this.#isListChanged) return;
    const waitMs = Math.max(0, this.#sentMs + this.#options.intervalMs - performance.now());
    this.#timer = setTimeout(() => this.#send(), waitMs).unref();
  }

  #send(): void {
    this.#timer = undefined;
    this.#sentMs = performance.now();
    const uris = [...this.#updated].filter((uri) => this.#subscribed.has(uri));
    const withList = this.#isListChanged;
    this.#updated.clear();
    this.#isListChanged = false;
    for (const listener of this.#listeners) {
      if (withList) listener.listChanged();
      for (const uri of uris) listener.updated(uri);
    }
  }
}
