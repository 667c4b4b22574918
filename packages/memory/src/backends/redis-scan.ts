import type { CallOptions } from '../records/backend.ts';
import type { Connection, RedisClient } from './redis-connection.ts';

/** What is used of a client that can be asked for keys. */
interface ScanningClient {
  scan(cursor: string, options: { MATCH: string; COUNT: number }): Promise<{ cursor: string; keys: string[] }>;
}

/** What is used of a cluster beside. */
interface ClusterClient {
  readonly masters: readonly unknown[];
  nodeClient(node: unknown): ScanningClient | Promise<ScanningClient>;
}

/** So many keys are looked at in one step. */
const STEP = 1000;

function isCluster(client: RedisClient): client is RedisClient & ClusterClient {
  return 'masters' in client && 'nodeClient' in client;
}

/** Text that stands for itself in a pattern. */
function literal(text: string): string {
  return text.replace(/[\\*?[\]^]/gu, (sign) => `\\${sign}`);
}

/** The keys that begin so, of every node. */
export async function scanKeys(connection: Connection, prefix: string, call: CallOptions = {}): Promise<string[]> {
  const client = await connection.ready(call);
  const nodes = isCluster(client)
    ? await Promise.all(client.masters.map(async (node) => client.nodeClient(node)))
    : [client as RedisClient & ScanningClient];
  const found = new Set<string>();
  for (const node of nodes) {
    let cursor = '0';
    do {
      call.signal?.throwIfAborted();
      const asked = node.scan(cursor, { MATCH: `${literal(prefix)}*`, COUNT: STEP });
      const step = await connection.within(asked, call);
      for (const key of step.keys) found.add(key);
      ({ cursor } = step);
    } while (cursor !== '0');
  }
  return [...found];
}
