import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Client } from '@modelcontextprotocol/client';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { createClient } from './support.ts';
import type { Way } from './support.ts';

/** Collects the notifications of a client. */
export interface Notifications {
  readonly heard: string[];
  /** Waits until `heard` holds all of these. */
  readonly wait: (...expected: readonly string[]) => Promise<void>;
}

/** Starts to collect the notifications about resources. */
export function collect(client: Client): Notifications {
  const heard: string[] = [];
  const arrivals = new EventTarget();
  const note = (what: string): void => {
    heard.push(what);
    arrivals.dispatchEvent(new Event('arrival'));
  };
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => note(uri));
  client.setNotificationHandler('notifications/resources/list_changed', () => note('list'));
  return {
    heard,
    wait: async (...expected) => {
      while (!expected.every((one) => heard.includes(one))) await once(arrivals, 'arrival');
    },
  };
}

/** Connects over HTTP, and waits until a legacy client's stream of notifications is open. */
export async function connectHttp(url: string, era: Way['era']): Promise<Client> {
  let onStream = (): void => undefined;
  const stream = new Promise<void>((resolve) => {
    onStream = resolve;
  });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (target, init) => {
      const response = await fetch(target, init);
      if (init?.method === 'GET') onStream();
      return response;
    },
  });
  const client = createClient(era);
  await client.connect(transport);
  onTestFinished(() => client.close());
  if (era === 'legacy') await stream;
  return client;
}
