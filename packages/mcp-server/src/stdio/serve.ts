import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import type { Readable, Writable } from 'node:stream';
import { checkArguments } from '../errors.ts';
import type { McpService } from '../service.ts';
import { GRACE_MS, MAX_MESSAGE_BYTES, toError, within, type TransportOptions } from '../transport.ts';
import { StreamTransport } from './stream-transport.ts';

/** The time that the client gets to receive the messages that end the connection. Milliseconds. */
const CLOSE_MS = 1000;

export interface ServeStdioOptions extends TransportOptions {
  /** The stream of the client's messages, one per line. */
  readonly input: Readable;
  /** The stream for answers; nothing else may write to it. */
  readonly output: Writable;
}

/** A connection to one client. */
export interface StdioConnection {
  /** Resolves when the connection has ended: after `close`, or after the client disconnected. */
  readonly ended: Promise<void>;
  /** Stops taking requests, finishes the running calls, and ends the connection. Further calls do nothing. */
  close(): Promise<void>;
}

/**
 * Serves one client over two streams, in the era of the protocol that its first message uses. When the client disconnects, or
 * reads no more, running calls finish first, so that no change stops half way. Closes neither the streams nor the service.
 */
export async function serveStdio(service: McpService, options: ServeStdioOptions): Promise<StdioConnection> {
  checkArguments.options('serveStdio', options, {
    input: 'required',
    output: 'required',
    maxMessageBytes: 'optional',
    graceMs: 'optional',
    onError: 'optional',
  });
  const { input, output, maxMessageBytes = MAX_MESSAGE_BYTES, graceMs = GRACE_MS, onError = () => undefined } = options;
  const client = await service.open();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let closing: Promise<void> | undefined;
  const finish = async (): Promise<void> => {
    try {
      transport.stopReading();
      await within(graceMs, transport.settled());
      // Each open subscription ends with a message. A client that reads nothing would block it.
      await within(CLOSE_MS, connection.close());
    } finally {
      await client.close();
      end();
    }
  };
  const close = (): Promise<void> => (closing ??= finish());
  const onEnd = (): void => {
    close().catch((error: unknown) => onError(toError(error)));
  };
  const transport = new StreamTransport({ input, output, maxMessageBytes, notices: client.notices, onEnd });
  const connection = serveConnection(client.createServer, { transport, onerror: onError });
  return { ended, close };
}
