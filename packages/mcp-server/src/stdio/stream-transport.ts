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
import { isObject } from '@cairn/tool/kernel';
import type { ResourceNotices } from '../resource-notices.ts';
import { subscribedUris, toError } from '../transport.ts';
import { LineReader, type OversizedLine } from './line-reader.ts';

/** An error of JSON-RPC. The SDK's type has no `null` for the id. */
interface ErrorResponse {
  readonly jsonrpc: '2.0';
  /** `null` when the message had no readable id. */
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

function invalidRequest(id: RequestId | null, what: string): ErrorResponse {
  const error = { code: ProtocolErrorCode.InvalidRequest, message: `invalid request: ${what}` };
  return { jsonrpc: '2.0', id, error };
}

/** Returns the id in a value that is not a valid message, so that the client can match the answer. */
function idIn(value: unknown): RequestId | null {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Returns the id of a request that was too long to keep. Clients write it at the beginning or at the end. */
function idAround({ head, tail }: OversizedLine): RequestId | null {
  const id = String.raw`"jsonrpc":"2\.0","id":(\d+|"[^"\\]*")`;
  const found = new RegExp(String.raw`^\{${id},`, 'u').exec(head) ?? new RegExp(String.raw`,${id}\}$`, 'u').exec(tail);
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as RequestId);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Returns whether a line holds only spaces. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** Parses one line into a message, or into the error that answers an invalid line. */
function readMessage(line: Uint8Array): { readonly message: JSONRPCMessage } | { readonly refused: ErrorResponse } {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch (error) {
    const message = `parse error: ${toError(error).message}; send one JSON object per line, in UTF-8`;
    return { refused: { jsonrpc: '2.0', id: null, error: { code: ProtocolErrorCode.ParseError, message } } };
  }
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    const what = 'not a JSON-RPC 2.0 message; send an object with jsonrpc, method and, for a request, id';
    return { refused: invalidRequest(idIn(value), what) };
  }
}

/** The requests of one connection that have no answer yet. */
export class PendingRequests {
  readonly #awaited = new Set<RequestId>();
  /** Ids in use. An id becomes free when its answer is sent; its request settles when the answer is written. */
  readonly #used = new Set<RequestId>();
  readonly #endings = new Map<RequestId, () => void>();
  readonly #waiting: (() => void)[] = [];

  /** Starts a request. Returns `false` when a running request has the same id. `onEnd` is called when it is settled. */
  start(
    id: RequestId,
    { awaited, onEnd }: { readonly awaited: boolean; readonly onEnd?: (() => void) | undefined },
  ): boolean {
    if (this.#used.has(id)) return false;
    this.#used.add(id);
    if (awaited) this.#awaited.add(id);
    if (onEnd) this.#endings.set(id, onEnd);
    return true;
  }

  /** Frees the id: the client may use it again as soon as it has the answer. */
  free(id: RequestId): void {
    this.#used.delete(id);
  }

  /** Marks a request as answered or cancelled. */
  settle(id: RequestId): void {
    this.#awaited.delete(id);
    this.#endings.get(id)?.();
    this.#endings.delete(id);
    if (this.#awaited.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when every awaited request is settled. */
  async settled(): Promise<void> {
    if (this.#awaited.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

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
