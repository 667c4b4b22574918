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
import { LineReader, type OversizedLine } from './line-reader.ts';
import { PendingRequests } from './pending-requests.ts';
import { idAround, invalidRequest, isBlank, readMessage, type ErrorResponse } from './read-message.ts';

interface StreamTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxMessageBytes: number;
  /** The notifications that subscriptions ask for. */
  readonly notices: ResourceNotices | undefined;
  /** Called when the client sends no more, or receives no more. */
  readonly onEnd: () => void;
}

/**
 * A connection over two streams, one message per line. An invalid line, or one that is too long, gets an error as its answer, and
 * the connection continues. The SDK's own transport ignores the first and disconnects at the second.
 */
export class StreamTransport implements Transport {
  readonly #options: StreamTransportOptions;
  readonly #requests = new PendingRequests();
  readonly #lines: LineReader;
  #isClosed = false;
  onmessage?: Transport['onmessage'];
  onerror?: Transport['onerror'];
  onclose?: Transport['onclose'];

  constructor(options: StreamTransportOptions) {
    this.#options = options;
    this.#lines = new LineReader({
      maxBytes: options.maxMessageBytes,
      onLine: (line) => this.#receive(line),
      onOversized: (line) => this.#refuseOversized(line),
    });
  }

  async start(): Promise<void> {
    const { input, output, onEnd } = this.#options;
    input.on('data', this.#lines.push).once('end', this.#onInputEnd).once('close', this.#onInputEnd);
    output.on('error', (error) => {
      this.onerror?.(error);
      onEnd();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('the connection is closed');
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    const answered = isAnswer ? message.id : undefined;
    if (answered !== undefined) this.#requests.free(answered);
    try {
      await this.#write(message);
    } finally {
      if (answered !== undefined) this.#requests.settle(answered);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.stopReading();
    // The error listener of the output stays: a pending write may still fail.
    this.onclose?.();
  }

  /** Stops taking requests. Those that were taken are still answered. */
  stopReading(): void {
    const { input } = this.#options;
    input.off('data', this.#lines.push).off('end', this.#onInputEnd).off('close', this.#onInputEnd);
    input.pause();
  }

  /** Resolves when every request that was taken has been answered or cancelled. Subscriptions do not count. */
  settled(): Promise<void> {
    return this.#requests.settled();
  }

  readonly #onInputEnd = (): void => {
    this.#lines.end();
    this.#options.onEnd();
  };

  #receive(line: Buffer): void {
    if (isBlank(line)) return;
    const read = readMessage(line);
    const refused = 'refused' in read ? read.refused : this.#record(read.message);
    if (refused) this.#refuse(refused);
    else if ('message' in read) this.onmessage?.(read.message);
  }

  /** Records a message from the client. Returns the error that rejects it, if any. */
  #record(message: JSONRPCMessage): ErrorResponse | undefined {
    if (isJSONRPCRequest(message)) {
      const { id } = message;
      const uris = subscribedUris(message);
      const onEnd = uris && this.#options.notices?.subscribe(uris);
      if (this.#requests.start(id, { awaited: uris === undefined, onEnd })) return undefined;
      onEnd?.();
      return invalidRequest(id, `a running request has the id ${JSON.stringify(id)}; use a new id for each request`);
    }
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'] as RequestId;
      this.#requests.free(id);
      this.#requests.settle(id);
    }
    return undefined;
  }

  #refuseOversized(line: OversizedLine): void {
    const { maxMessageBytes } = this.#options;
    const what = `the message has ${line.bytes} bytes, more than the limit of ${maxMessageBytes}; send a shorter message`;
    this.#refuse(invalidRequest(idAround(line), what));
  }

  #refuse(refused: ErrorResponse): void {
    this.onerror?.(new Error(refused.error.message));
    // The stream's own error reports a client that has disconnected.
    this.#write(refused).catch(() => undefined);
  }

  #write(message: JSONRPCMessage | ErrorResponse): Promise<void> {
    const { output } = this.#options;
    return new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }
}
