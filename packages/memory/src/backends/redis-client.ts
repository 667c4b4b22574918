import { MemoryError } from '../errors.ts';

/** The part of a client of `@redis/client` that this package uses. The client is of a server, a pool or a cluster. */
export interface RedisClient {
  readonly isOpen: boolean;
  readonly isReady?: boolean;
  connect(): Promise<unknown>;
  destroy(): unknown;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  hScan(
    key: string,
    cursor: string,
    options: { COUNT: number },
  ): Promise<{ cursor: string; entries: readonly { field: string }[] }>;
  on(event: 'error' | 'ready' | 'end', listener: (error: unknown) => void): unknown;
}

/** Loads the driver. Tests replace it. */
export type RedisDriver = () => Promise<{ readonly createClient: (options: object) => RedisClient }>;

export const redisClient: RedisDriver = async () => {
  const { createClient } = await import('@redis/client');
  // Its own type lists every command; `RedisClient` is the part that is used.
  return { createClient: createClient as unknown as (options: object) => RedisClient };
};

/** @throws {MemoryError} `STORE_UNSUPPORTED` when the driver is not installed. */
export async function loadDriver(driver: RedisDriver): Promise<Awaited<ReturnType<RedisDriver>>> {
  try {
    return await driver();
  } catch (error) {
    const summary = '[memory:redis] The driver @redis/client is not installed';
    throw new MemoryError('STORE_UNSUPPORTED', [summary, 'Install it: npm install @redis/client.'], { cause: error });
  }
}
