import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  parseJSONRPCMessage,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import type { Readable, Writable } from 'node:stream';
import { createLineReader } from './line-reader.ts';
import type { OversizedLine } from './line-reader.ts';

/** A connection over two streams, a message a line. */
export interface StreamTransport extends Transport {
  /** Takes no more requests. Those that were taken are answered. */
  stopReading(): void;
  /** Resolves when every request that was taken has been answered, or cancelled by the client. */
  settled(): Promise<void>;
}

export interface StreamTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxMessageBytes: number;
  /** The client sends no more. */
  readonly onEnd: () => void;
  /** The client receives no more. */
  readonly onBroken: () => void;
}

interface ErrorResponse {
  readonly jsonrpc: '2.0';
  /** `null` when the message was too broken to have one. */
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

function errorResponse(id: RequestId | null, code: number, message: string): ErrorResponse {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The id of what may be a request, for an answer that the client can tell apart. */
function idIn(value: unknown): RequestId | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The id of a request that was too long to be kept, where clients write it: at the beginning or the end. */
function idAround({ head, tail }: OversizedLine): RequestId | null {
  const id = String.raw`"jsonrpc":"2\.0","id":(\d+|"[^"\\]*")`;
  const found = new RegExp(String.raw`^\{${id},`, 'u').exec(head) ?? new RegExp(String.raw`,${id}\}$`, 'u').exec(tail);
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as RequestId);
}

/** The request that stays open for as long as a client wants to hear of changes. */
export const LISTEN = 'subscriptions/listen';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A message, or the answer to a line that is none. */
function readMessage(line: Uint8Array): { readonly message: JSONRPCMessage } | { readonly refused: ErrorResponse } {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return {
      refused: errorResponse(
        null,
        ProtocolErrorCode.ParseError,
        `Parse error: ${what}. Send one JSON object a line, in UTF-8.`,
      ),
    };
  }
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    const message =
      'Invalid request: not a message of JSON-RPC 2.0. Send an object with jsonrpc, method and, for a request, id.';
    return { refused: errorResponse(idIn(value), ProtocolErrorCode.InvalidRequest, message) };
  }
}

/**
 * A connection over two streams. What is no message is answered with an error, and the connection goes on; so it does after
 * one that is too long, which is dropped while it comes in. The SDK's own transport is silent about the first and hangs up
 * on the second.
 */
export function createStreamTransport(options: StreamTransportOptions): StreamTransport {
  const { input, output, maxMessageBytes } = options;
  /** Requests that wait for their answer. */
  const pending = new Set<RequestId>();
  /** Ids that no other request may have now: until the answer is on its way, when a client may take one again. */
  const underWay = new Set<RequestId>();
  const waiting: (() => void)[] = [];
  let isClosed = false;

  const settle = (id: unknown): void => {
    pending.delete(id as RequestId);
    if (pending.size === 0) for (const resolve of waiting.splice(0)) resolve();
  };
  const write = (message: JSONRPCMessage | ErrorResponse): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  const refuse = (refused: ErrorResponse): void => {
    transport.onerror?.(new Error(refused.error.message));
    // A client that has gone is noticed by the stream's own error.
    write(refused).catch(() => undefined);
  };
  const take = (message: JSONRPCMessage): void => {
    if (isJSONRPCRequest(message)) {
      if (underWay.has(message.id)) {
        const what = `Invalid request: ${JSON.stringify(message.id)} is the id of a request under way. Give each one its own.`;
        refuse(errorResponse(message.id, ProtocolErrorCode.InvalidRequest, what));
        return;
      }
      underWay.add(message.id);
      // Who listens waits for no answer: it comes when the connection ends.
      if (message.method !== LISTEN) pending.add(message.id);
    }
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      underWay.delete(id as RequestId);
      settle(id);
    }
    transport.onmessage?.(message);
  };
  const lines = createLineReader({
    maxBytes: maxMessageBytes,
    onLine: (line) => {
      if (line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) return;
      const read = readMessage(line);
      if ('message' in read) take(read.message);
      else refuse(read.refused);
    },
    onOversized: (line) => {
      const message = `Invalid request: the message has ${line.bytes} bytes, more than the ${maxMessageBytes} that are taken. It was dropped; send less at once.`;
      refuse(errorResponse(idAround(line), ProtocolErrorCode.InvalidRequest, message));
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
  const transport: StreamTransport = {
    start: async () => {
      input.on('data', lines.push).once('end', onInputEnd).once('close', onInputEnd);
      output.on('error', onOutputError);
    },
    send: async (message) => {
      if (isClosed) throw new Error('the connection is closed');
      const answered = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message.id : undefined;
      if (answered !== undefined) underWay.delete(answered);
      try {
        await write(message);
      } finally {
        if (answered !== undefined) settle(answered);
      }
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      stopReading();
      // The listener for errors stays: what was written may still fail.
      transport.onclose?.();
    },
    stopReading,
    settled: () => (pending.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
  return transport;
}
