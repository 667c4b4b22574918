import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import type { Readable, Writable } from 'node:stream';
import type { McpService } from './server.ts';
import { createStreamTransport } from './stream-transport.ts';
import { within } from './within.ts';

/** The largest message that is taken, in bytes. Writing a file is one. */
export const MOST_MESSAGE_BYTES: number = 10 * 1024 * 1024;

/** How long calls under way may go on when the server is to end. Milliseconds. */
export const GRACE_MS = 5000;

/** How long the client may take to be told that the connection ends. Milliseconds. */
const CLOSE_MS = 1000;

export interface ServeStdioOptions {
  /** Where the client's messages come from, a line each. */
  readonly input: Readable;
  /** Where answers go; nothing else may be written there. */
  readonly output: Writable;
  /** Bytes of a message; a longer one is refused. Default: 10 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * How long calls under way may go on after the end, in milliseconds. Those that take longer are cancelled.
   * @default 5000
   */
  readonly graceMs?: number | undefined;
  /** Told of what goes wrong and is no answer to a call. Default: nobody is. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A client that is served. */
export interface StdioConnection {
  /** Resolves when it has ended: by `close`, or because the client has gone. */
  readonly ended: Promise<void>;
  /** Takes no more requests, finishes those under way, and ends. Again is fine. */
  close(): Promise<void>;
}

/**
 * Serves a client over two streams, in the era of the protocol that its first message is in. When the client hangs up, calls
 * under way are finished and answered first. Neither the streams nor the service are closed.
 */
export async function serveStdio(service: McpService, options: ServeStdioOptions): Promise<StdioConnection> {
  const {
    input,
    output,
    maxMessageBytes = MOST_MESSAGE_BYTES,
    graceMs = GRACE_MS,
    onError = () => undefined,
  } = options;
  const client = await service.open();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let closing: Promise<void> | undefined;
  const finish = async (patienceMs: number): Promise<void> => {
    transport.stopReading();
    await within(patienceMs, transport.settled());
    // It ends subscriptions with a message each, which a client that reads nothing does not take either.
    await within(CLOSE_MS, connection.close());
    await client.close();
    end();
  };
  const close = (patienceMs: number): Promise<void> => (closing ??= finish(patienceMs));
  const closeOrReport = (patienceMs: number): void => {
    close(patienceMs).catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
  };
  const transport = createStreamTransport({
    input,
    output,
    maxMessageBytes,
    onEnd: () => closeOrReport(graceMs),
    onBroken: () => closeOrReport(0),
  });
  const connection = serveConnection(client.createServer, { transport, onerror: onError });
  return { ended, close: () => close(graceMs) };
}
