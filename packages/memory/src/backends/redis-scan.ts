import type { CallOptions } from '../records/backend.ts';
import type { RedisClient } from './redis-client.ts';
import type { RedisConnection } from './redis-connection.ts';

/** A client of one node. */
interface ScanningClient {
  scan(cursor: string, options: { MATCH: string; COUNT: number }): Promise<{ cursor: string; keys: string[] }>;
}

/** A client of a cluster. */
interface ClusterClient {
  readonly masters: readonly unknown[];
  nodeClient(node: unknown): ScanningClient | Promise<ScanningClient>;
}

const KEYS_PER_STEP = 1000;

function isCluster(client: RedisClient): client is RedisClient & ClusterClient {
  return 'masters' in client && 'nodeClient' in client;
}

/** Escapes text for a pattern of Redis. */
function literal(text: string): string {
  return text.replace(/[\\*?[\]^]/gu, (sign) => `\\${sign}`);
}

/** Returns the keys with a prefix and a suffix, from every node. */
export async function scanKeys(
  connection: RedisConnection,
  { prefix, suffix, signal }: CallOptions & { readonly prefix: string; readonly suffix: string },
): Promise<string[]> {
  const pattern = `${literal(prefix)}*${literal(suffix)}`;
  const call = { key: pattern, signal };
  const nodes = await connection.read(
    async (client) =>
      isCluster(client)
        ? Promise.all(client.masters.map(async (node) => client.nodeClient(node)))
        : [client as RedisClient & ScanningClient],
    call,
  );
  const keys = new Set<string>();
  for (const node of nodes) {
    let cursor = '0';
    do {
      const from = cursor;
      const step = await connection.read(() => node.scan(from, { MATCH: pattern, COUNT: KEYS_PER_STEP }), call);
      for (const key of step.keys) keys.add(key);
      ({ cursor } = step);
    } while (cursor !== '0');
  }
  return [...keys];
}
