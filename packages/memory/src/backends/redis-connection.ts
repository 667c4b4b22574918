import { MemoryError } from '../errors.ts';
import type { CallOptions } from '../records/backend.ts';
import { loadDriver, type RedisClient, type RedisDriver } from './redis-client.ts';
import { explainRedisError, firstWord, isRefusal, unavailable } from './redis-errors.ts';
import type { Script } from './redis-scripts.ts';

/** The pause between two attempts to connect doubles from the first to the last. */
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;

export interface ConnectionOptions {
  readonly url: string;
  /** A client that the caller opened and closes. */
  readonly client: RedisClient | undefined;
  readonly timeoutMs: number;
  readonly driver: RedisDriver;
}

interface Request extends CallOptions {
  /** For messages. */
  readonly key: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  /** Whether the script writes, so that a missing answer leaves the result unknown. */
  readonly writes: boolean;
}

/** How far a request got. `isSent`: the driver has a write. `isAnswered`: the caller has its answer. */
interface Progress {
  isSent: boolean;
  isAnswered: boolean;
}

/** Returns the URL without user and password, for messages. */
function shownUrl(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  } catch {
    return 'the server';
  }
}

/** Returns whether user and password are percent-encoded, as the driver expects. */
function isEscaped({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** @throws {MemoryError} `INVALID_OPTION`. The message leaves the URL out, because it may contain a password. */
function checkUrl(url: string): void {
  if (URL.canParse(url) && /^rediss?:$/u.test(new URL(url).protocol) && isEscaped(new URL(url))) return;
  const summary = '[memory:redis] The url is not a Redis URL';
  throw new MemoryError('INVALID_OPTION', [summary, 'Use redis://user:password@host:6379/0, percent-encoded.'], {
    option: 'url',
  });
}

/** A shared connection, opened on first use. Every call ends within the timeout. */
export class RedisConnection {
  readonly #options: ConnectionOptions;
  /** The server in messages. */
  readonly #where: string;
  #client: RedisClient | undefined;
  #isClosed = false;
  /** Why the last attempt to connect failed. */
  #lastError: unknown;
  /** Shared by all calls that need the client. */
  #creating: Promise<RedisClient> | undefined;
  #connecting: Promise<void> | undefined;
  /** Settle the calls that wait for a connection. Node warns of one listener for each of them. */
  readonly #waiting = new Set<() => void>();

  /** @throws {MemoryError} `INVALID_OPTION`. */
  constructor(options: ConnectionOptions) {
    const { url, client } = options;
    if (client === undefined) checkUrl(url);
    else this.#listen(client);
    this.#options = options;
    this.#client = client;
    this.#where = client === undefined ? shownUrl(url) : 'the server';
  }

  /** Runs a script. @throws {MemoryError} with `isDone: 'unknown'` when a write was sent and no answer came in time. */
  async run(script: Script, request: Request): Promise<unknown> {
    const { key, signal } = request;
    const progress: Progress = { isSent: false, isAnswered: false };
    try {
      return await this.#explained(() => this.#send(script, request, progress), { key, signal, progress });
    } finally {
      progress.isAnswered = true;
    }
  }

  /** Runs a command that does not write, on the client once it is connected. `key` is for messages. */
  async read<T>(
    command: (client: RedisClient) => Promise<T>,
    { key, signal }: CallOptions & { readonly key: string },
  ): Promise<T> {
    return this.#explained(async () => command(await this.#connected(signal)), { key, signal });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#isOwned) this.#client?.destroy();
    this.#client = undefined;
  }

  /** Applies the timeout. Whatever fails is a `MemoryError`, or the reason of the signal. */
  async #explained<T>(
    call: () => Promise<T>,
    { key, signal, progress }: CallOptions & { readonly key: string; readonly progress?: Progress },
  ): Promise<T> {
    signal?.throwIfAborted();
    try {
      await this.#prepare();
      return await this.#withTimeout(call(), signal, progress);
    } catch (error) {
      if (signal?.aborted === true && error === signal.reason) throw error;
      throw explainRedisError(error, this.#where, { key, isSent: progress?.isSent ?? false });
    }
  }

  get #isOwned(): boolean {
    return this.#options.client === undefined;
  }

  get #isReady(): boolean {
    return this.#client !== undefined && this.#client.isOpen && (this.#client.isReady ?? true);
  }

  #listen(client: RedisClient): void {
    // Without a listener, an error of the connection ends the process. The calls report the error themselves.
    client.on('error', (error) => {
      this.#lastError = error;
    });
    for (const event of ['ready', 'end'] as const) {
      client.on(event, () => {
        if (client === this.#client) for (const settle of this.#waiting) settle();
      });
    }
  }

  /** Loads the driver and creates the client. This is local work, so that the timeout does not include it. */
  async #prepare(): Promise<void> {
    if (this.#client || this.#isClosed) return;
    this.#creating ??= this.#create().finally(() => {
      this.#creating = undefined;
    });
    this.#client = await this.#creating;
  }

  async #create(): Promise<RedisClient> {
    const { url, timeoutMs, driver } = this.#options;
    const { createClient } = await loadDriver(driver);
    const client = createClient({
      url,
      disableOfflineQueue: true,
      socket: {
        connectTimeout: timeoutMs,
        reconnectStrategy: (retries: number, cause: unknown) => {
          this.#lastError = cause;
          // A wrong password stays wrong: only the next call connects again.
          if (isRefusal(cause)) return false;
          return Math.min(FIRST_RETRY_MS * 2 ** Math.min(retries, 10), LAST_RETRY_MS);
        },
      },
    });
    this.#listen(client);
    return client;
  }

  async #connect(): Promise<void> {
    await this.#prepare();
    if (this.#client === undefined || this.#client.isOpen) return;
    try {
      await this.#client.connect();
    } catch (error) {
      // After a refusal the next call uses a new client.
      if (this.#isOwned) {
        this.#client.destroy();
        this.#client = undefined;
      }
      throw error;
    }
  }

  async #connected(signal: AbortSignal | undefined): Promise<RedisClient> {
    signal?.throwIfAborted();
    if (this.#isClosed) {
      throw new MemoryError('STORE_CLOSED', ['[memory:redis] The memory was closed', 'Create a new one.']);
    }
    if (this.#client && this.#isReady) return this.#client;
    if (this.#client?.isOpen !== true || this.#connecting) {
      this.#connecting ??= this.#connect().finally(() => {
        this.#connecting = undefined;
      });
      await this.#connecting;
    }
    if (this.#client && !this.#isReady) await this.#reconnected();
    if (this.#client === undefined || !this.#isReady) throw this.#timeoutError(false);
    return this.#client;
  }

  /** Waits until the driver has connected again, has given up, or the timeout passed. */
  #reconnected(): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, this.#options.timeoutMs);
      this.#waiting.add(settle);
    });
  }

  async #send({ text, sha1 }: Script, { keys, args, writes, signal }: Request, progress: Progress): Promise<unknown> {
    const client = await this.#connected(signal);
    signal?.throwIfAborted();
    const handOver = async (command: () => Promise<unknown>): Promise<unknown> => {
      // The caller already has the answer that nothing was written, so nothing may be written now.
      if (progress.isAnswered) return undefined;
      progress.isSent = writes;
      return command();
    };
    const parameters = { keys: [...keys], arguments: [...args] };
    try {
      return await handOver(() => client.evalSha(sha1, parameters));
    } catch (error) {
      if (!(error instanceof Error) || firstWord(error) !== 'NOSCRIPT') throw error;
      return await handOver(() => client.eval(text, parameters));
    }
  }

  /** Waits for a promise until the timeout passes or the signal is aborted. */
  async #withTimeout<T>(promise: Promise<T>, signal: AbortSignal | undefined, progress?: Progress): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#timeoutError(progress?.isSent ?? false)), this.#options.timeoutMs);
      onAbort = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
    // After the deadline a late rejection has no handler.
    promise.catch(() => undefined);
    try {
      return await Promise.race([promise, ended]);
    } finally {
      clearTimeout(timer);
      if (onAbort) signal?.removeEventListener('abort', onAbort);
    }
  }

  #timeoutError(isSent: boolean): MemoryError {
    const error = this.#lastError;
    const reason = error instanceof Error && !this.#isReady ? `: ${error.message || error.constructor.name}` : '';
    const problem = `did not answer within ${this.#options.timeoutMs} ms${reason}`;
    return unavailable(this.#where, problem, { cause: error, ...(isSent && { isDone: 'unknown' as const }) });
  }
}
