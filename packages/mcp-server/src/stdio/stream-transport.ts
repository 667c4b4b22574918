import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import type { Readable, Writable } from 'node:stream';
import type { ResourceNotices } from '../resource-notices.ts';
import { subscribedUris } from '../transport.ts';
import { createLineReader } from './line-reader.ts';
import { createPendingRequests } from './pending-requests.ts';
import type { PendingRequests } from './pending-requests.ts';
import { idAround, invalidRequest, isBlank, readMessage } from './read-message.ts';
import type { ErrorResponse } from './read-message.ts';

/** A connection over two streams, one message per line. */
export interface StreamTransport extends Transport {
  /** Stops taking requests. Those that were taken are still answered. */
  stopReading(): void;
  /** Resolves when every request that was taken has been answered or cancelled. Subscriptions do not count. */
  settled(): Promise<void>;
}

/** Options of {@link createStreamTransport}. */
export interface StreamTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxMessageBytes: number;
  /** The notifications that subscriptions ask for. */
  readonly notices: ResourceNotices | undefined;
  /** Called when the client sends no more. */
  readonly onEnd: () => void;
  /** Called when the client receives no more. */
  readonly onBroken: () => void;
}

/** Records a message from the client. Returns the error that rejects it, if any. */
function record(
  message: JSONRPCMessage,
  requests: PendingRequests,
  notices: ResourceNotices | undefined,
): ErrorResponse | undefined {
  if (isJSONRPCRequest(message)) {
    const { id } = message;
    const uris = subscribedUris(message);
    const onEnd = uris && notices?.subscribe(uris);
    if (requests.start(id, { awaited: uris === undefined, onEnd })) return undefined;
    onEnd?.();
    return invalidRequest(id, `a running request has the id ${JSON.stringify(id)}; use a new id for each request`);
  }
  if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
    const id = message.params?.['requestId'] as RequestId;
    requests.free(id);
    requests.settle(id);
  }
  return undefined;
}

function writeLine(output: Writable, message: JSONRPCMessage | ErrorResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Makes a connection over two streams. An invalid line, or one that is too long, gets an error as its answer, and the
 * connection continues. The SDK's own transport ignores the first and disconnects at the second.
 */
export function createStreamTransport(options: StreamTransportOptions): StreamTransport {
  const { input, output, maxMessageBytes, notices } = options;
  const requests = createPendingRequests();
  let isClosed = false;

  const refuse = (refused: ErrorResponse): void => {
    transport.onerror?.(new Error(refused.error.message));
    // The stream's own error reports a client that has disconnected.
    writeLine(output, refused).catch(() => undefined);
  };
  const lines = createLineReader({
    maxBytes: maxMessageBytes,
    onLine: (line) => {
      if (isBlank(line)) return;
      const read = readMessage(line);
      const refused = 'refused' in read ? read.refused : record(read.message, requests, notices);
      if (refused) refuse(refused);
      else if ('message' in read) transport.onmessage?.(read.message);
    },
    onOversized: (line) => {
      const what = `the message has ${line.bytes} bytes, more than the limit of ${maxMessageBytes}; send a shorter message`;
      refuse(invalidRequest(idAround(line), what));
    },
  });
  const onInputEnd = (): void => {
    lines.end();
    options.onEnd();
  };
  const onOutputError = (error: Error): void => {
    transport.onerror?.(error);
    options.onBroken();
  };
  const stopReading = (): void => {
    input.off('data', lines.push).off('end', onInputEnd).off('close', onInputEnd);
    input.pause();
  };
  const send = async (message: JSONRPCMessage): Promise<void> => {
    if (isClosed) throw new Error('the connection is closed');
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    const answered = isAnswer ? message.id : undefined;
    if (answered !== undefined) requests.free(answered);
    try {
      await writeLine(output, message);
    } finally {
      if (answered !== undefined) requests.settle(answered);
    }
  };
  const transport: StreamTransport = {
    start: async () => {
      input.on('data', lines.push).once('end', onInputEnd).once('close', onInputEnd);
      output.on('error', onOutputError);
    },
    send,
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      stopReading();
      // The error listener of the output stays: a pending write may still fail.
      transport.onclose?.();
    },
    stopReading,
    settled: () => requests.settled(),
  };
  return transport;
}
