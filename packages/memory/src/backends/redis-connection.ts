import type { CallOptions } from '../records/backend.ts';
import { MemoryError } from '../errors.ts';
import { explainRedisError, firstWord, isRefusal, unavailable } from './redis-errors.ts';
import type { Script } from './redis-scripts.ts';

/** What of a client of `@redis/client` is used: one of a server, a pool or a cluster. */
export interface RedisClient {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
  connect(): Promise<unknown>;
  destroy(): unknown;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  on(event: 'error' | 'ready' | 'end', listener: (error: unknown) => void): unknown;
  off(event: 'ready' | 'end', listener: () => void): unknown;
}

/** Where the driver comes from; a test gives another. */
export type RedisDriver = () => Promise<{ readonly createClient: (options: object) => RedisClient }>;

export const redisClient: RedisDriver = async () => {
  const { createClient } = await import('@redis/client');
  // Its own type knows every command; what is used of it is what `RedisClient` says.
  return { createClient: createClient as unknown as (options: object) => RedisClient };
};

/** Between two attempts to connect lies at least and at most so much. */
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;

export interface ConnectionOptions {
  readonly url: string;
  readonly client: RedisClient | undefined;
  readonly timeoutMs: number;
  readonly driver: RedisDriver;
}

/** What a call sends: a script, its one key, its arguments. */
interface Request extends CallOptions {
  readonly key: string;
  readonly args: readonly string[];
  /** Whether it changes something, so that a missing answer leaves that open. */
  readonly writes: boolean;
}

/** A shared connection, made on first use. Every call ends within the timeout. */
export interface Connection {
  readonly run: (script: Script, request: Request) => Promise<unknown>;
  /** The client itself, when it is ready. */
  readonly ready: (call?: CallOptions) => Promise<RedisClient>;
  /** Bounds something that changes nothing by the timeout. */
  readonly within: <T>(promise: Promise<T>, call?: CallOptions) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** A URL without its password. */
function shownUrl(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  } catch {
    return 'the server';
  }
}

/** Whether the client will be able to take user and password for what they are. */
function isEscaped({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function checkUrl(url: string): void {
  if (URL.canParse(url) && /^rediss?:$/u.test(new URL(url).protocol) && isEscaped(new URL(url))) return;
  const summary = '[memory:redis] The URL is none of a Redis';
  throw new MemoryError('INVALID_OPTION', [summary, 'It looks like redis://user:password@host:6379/0.'], {
    option: 'url',
  });
}

async function load(driver: RedisDriver): Promise<Awaited<ReturnType<RedisDriver>>> {
  try {
    return await driver();
  } catch (error) {
    const summary = '[memory:redis] The driver @redis/client is not installed';
    throw new MemoryError('STORE_UNSUPPORTED', [summary, 'Install it: npm install @redis/client.'], { cause: error });
  }
}

export function createConnection({ url, client: given, timeoutMs, driver }: ConnectionOptions): Connection {
  if (given === undefined) checkUrl(url);
  const where = given === undefined ? shownUrl(url) : 'the server';
  let client = given;
  let isClosed = false;
  /** Why the last attempt to connect failed. */
  let trouble: unknown;
  /** Settles when the connection is ready, or rejects when it was refused. Shared by all calls. */
  let connecting: Promise<void> | undefined;

  const listen = (to: RedisClient): void => {
    // Without a listener an error of the connection would end the process. Calls say themselves what happened to them.
    to.on('error', (error) => {
      trouble = error;
    });
  };
  if (given) listen(given);

  const create = async (): Promise<RedisClient> => {
    const { createClient } = await load(driver);
    const made = createClient({
      url,
      disableOfflineQueue: true,
      socket: {
        connectTimeout: timeoutMs,
        reconnectStrategy: (retries: number, cause: unknown) => {
          trouble = cause;
          // A wrong password stays wrong: the next call tries anew.
          if (isRefusal(cause)) return false;
          return Math.min(FIRST_RETRY_MS * 2 ** Math.min(retries, 10), LAST_RETRY_MS);
        },
      },
    });
    listen(made);
    return made;
  };
  /** Loading the driver takes time that is not the server's: it is done before the time runs. */
  let creating: Promise<RedisClient> | undefined;
  const prepare = async (): Promise<void> => {
    if (client || isClosed) return;
    creating ??= create().finally(() => {
      creating = undefined;
    });
    client = await creating;
  };
  const connect = async (): Promise<void> => {
    await prepare();
    if (client === undefined || client.isOpen) return;
    try {
      await client.connect();
    } catch (error) {
      // What was refused is tried anew by the next call, with a client that has no history.
      if (given === undefined) {
        client.destroy();
        client = undefined;
      }
      throw error;
    }
  };
  const isReady = (): boolean => client !== undefined && client.isOpen && (client.isReady ?? true);

  const timedOut = (isSent: boolean): MemoryError => {
    const reason = trouble instanceof Error && !isReady() ? `: ${trouble.message || trouble.constructor.name}` : '';
    const why = `did not answer within ${timeoutMs} ms${reason}`;
    return unavailable(where, why, { cause: trouble, ...(isSent && { isDone: 'unknown' as const }) });
  };
  const within = async <T>(promise: Promise<T>, { signal }: CallOptions, isSent: () => boolean): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(timedOut(isSent())), timeoutMs);
      onAbort = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
    // Whoever loses has nobody to tell.
    promise.catch(() => undefined);
    try {
      return await Promise.race([promise, ended]);
    } finally {
      clearTimeout(timer);
      if (onAbort) signal?.removeEventListener('abort', onAbort);
    }
  };
  /** Waits until a lost connection is there again, or given up, or the time is over. */
  const reconnected = (on: RedisClient): Promise<void> =>
    new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        on.off('ready', settle);
        on.off('end', settle);
        resolve();
      };
      const timer = setTimeout(settle, timeoutMs);
      on.on('ready', settle);
      on.on('end', settle);
    });
  const ready = async (call: CallOptions = {}): Promise<RedisClient> => {
    call.signal?.throwIfAborted();
    if (isClosed) throw new MemoryError('STORE_CLOSED', ['[memory:redis] The memory was closed', 'Make a new one.']);
    if (client && isReady()) return client;
    if (client?.isOpen !== true || connecting) {
      connecting ??= connect().finally(() => {
        connecting = undefined;
      });
      await connecting;
    }
    if (client && !isReady()) await reconnected(client);
    if (client === undefined || !isReady()) throw timedOut(false);
    return client;
  };

  const never = (): boolean => false;

  return {
    within: (promise, call = {}) => within(promise, call, never),
    ready: async (call = {}) => {
      call.signal?.throwIfAborted();
      await prepare();
      return within(ready(call), call, never);
    },
    run: async ({ text, sha1 }, { key, args, writes, signal }) => {
      /** Whether the driver has a write in hand, so that only the server knows what became of it. */
      let isSent = false;
      /** Whether the caller was answered. What was not sent by then is not sent: it was told that nothing was done. */
      let isOver = false;
      const hand = async (give: () => Promise<unknown>): Promise<unknown> => {
        if (isOver) return undefined;
        isSent = writes;
        return give();
      };
      const send = async (): Promise<unknown> => {
        const on = await ready({ signal });
        signal?.throwIfAborted();
        const given_ = { keys: [key], arguments: [...args] };
        try {
          return await hand(() => on.evalSha(sha1, given_));
        } catch (error) {
          if (!(error instanceof Error) || firstWord(error) !== 'NOSCRIPT') throw error;
          return await hand(() => on.eval(text, given_));
        }
      };
      signal?.throwIfAborted();
      await prepare();
      try {
        return await within(send(), { signal }, () => isSent);
      } catch (error) {
        if (signal?.aborted === true && error === signal.reason) throw error;
        throw explainRedisError(error, where, { key, isSent });
      } finally {
        isOver = true;
      }
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      if (given === undefined) client?.destroy();
      client = undefined;
    },
  };
}
