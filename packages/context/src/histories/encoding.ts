/**
 * Messages as JSON. What JSON has no form for is an object with the field `$cairn`, and large parts are blobs: texts that are
 * kept apart under their hashes, in chunks that fit into a record of the store.
 */
import { isObject, type Fields } from '@cairn/tool/kernel';
import { hash } from 'node:crypto';
import { partProblem, type UnifiedMessage } from '../messages/message.ts';

const TAG = '$cairn';
/** Parts, texts and data that are larger are blobs. In bytes of UTF-8. */
const MAX_PART_BYTES: number = 256 * 1024;

/** The bytes of the name of a chunk in a record, where the message has it and where the record lists it. */
const NAME_BYTES = 60;

/** Returns the start of the name of a chunk, which tells the chunks of one history apart. */
export function shortNameOf(name: string): string {
  return name.slice(0, 8);
}

/** Returns the name of a chunk. It may begin or end with half a surrogate pair, which UTF-8 cannot tell from others. */
function nameOf(chunk: string): string {
  return hash('sha256', Buffer.from(chunk, 'utf16le'), 'base64url');
}

/** Returns whether a string is larger than allowed, without counting when its length tells. */
function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}

/** Splits a string so that each piece is at most this large as a string of JSON. */
function* chunksOf(text: string, bytes: number): Generator<string, void, undefined> {
  for (let start = 0; start < text.length;) {
    let chunk = text.slice(start, start + bytes);
    for (;;) {
      const size = Buffer.byteLength(JSON.stringify(chunk));
      if (size <= bytes || chunk.length === 1) break;
      chunk = chunk.slice(0, Math.max(1, Math.floor((chunk.length * bytes * 0.98) / size)));
    }
    yield chunk;
    start += chunk.length;
  }
}

export class Encoder {
  /** The chunks of the blobs, by their hashes. */
  readonly chunks: Map<string, string> = new Map<string, string>();
  readonly #recordBytes: number;
  readonly #chunkBytes: number;
  readonly #partBytes: number;

  /** @param maxBytes the largest record of the store */
  constructor(maxBytes: number) {
    this.#recordBytes = Math.max(1, Math.min(maxBytes, 1024 * 1024) - 256);
    this.#chunkBytes = Math.max(1, Math.min(maxBytes, 1024 * 1024) - 64);
    this.#partBytes = Math.min(MAX_PART_BYTES, this.#recordBytes);
  }

  /** Returns the message as a value of JSON. */
  encode(message: UnifiedMessage): unknown {
    const encoded = this.#encode(message) as Fields;
    if (!isLonger(JSON.stringify(encoded), this.#partBytes)) return encoded;
    const { content, ...rest } = encoded;
    const parts = Array.isArray(content) ? content.map((part) => this.#shorten(part, this.#partBytes)) : content;
    // The record has the names of all chunks too.
    const bytes = this.#recordBytes - this.chunks.size * NAME_BYTES;
    return this.#shorten({ ...rest, content: parts }, Math.max(bytes, 0));
  }

  #encode(value: unknown): unknown {
    if (typeof value === 'string') {
      return isLonger(value, this.#partBytes) ? { [TAG]: 'text', chunks: this.#put(value) } : value;
    }
    if (typeof value === 'number') {
      const isJson = Number.isFinite(value) && !Object.is(value, -0);
      return isJson ? value : { [TAG]: 'number', data: Object.is(value, -0) ? '-0' : String(value) };
    }
    if (value === undefined) return { [TAG]: 'undefined' };
    if (typeof value !== 'object' || value === null) return value;
    if (Buffer.isBuffer(value)) return { [TAG]: 'buffer', data: this.#encode(value.toString('base64')) };
    if (value instanceof Uint8Array) return { [TAG]: 'bytes', data: this.#encode(base64Of(value.buffer, value)) };
    if (value instanceof ArrayBuffer) return { [TAG]: 'arraybuffer', data: this.#encode(base64Of(value)) };
    if (value instanceof URL) return { [TAG]: 'url', data: value.href };
    if (value instanceof Date) return { [TAG]: 'date', data: this.#encode(value.getTime()) };
    if (Array.isArray(value)) return value.map((item) => this.#encode(item));
    const entries = Object.entries(value).map(([name, item]) => [name, this.#encode(item)] as const);
    return Object.hasOwn(value, TAG) ? { [TAG]: 'object', data: entries } : Object.fromEntries(entries);
  }

  #shorten(value: unknown, bytes: number): unknown {
    const text = JSON.stringify(value);
    return isLonger(text, bytes) ? { [TAG]: 'json', chunks: this.#put(text) } : value;
  }

  #put(text: string): readonly string[] {
    return Array.from(chunksOf(text, this.#chunkBytes), (chunk) => {
      const name = nameOf(chunk);
      this.chunks.set(name, chunk);
      return name;
    });
  }
}

function base64Of(
  buffer: ArrayBufferLike,
  { byteOffset, byteLength }: { byteOffset?: number; byteLength: number } = buffer,
): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

export type ReadChunk = (name: string) => Promise<string | undefined>;

export class UnreadableMessage extends Error {}

function unreadable(reason: string): never {
  throw new UnreadableMessage(reason);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : unreadable('a value has another form');
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(textOf(value), 'base64');
}

const values: Readonly<Record<string, (data: unknown) => unknown>> = {
  undefined: () => undefined,
  number: Number,
  url: (data) => new URL(textOf(data)),
  date: (data) => new Date(Number(data)),
  buffer: bytesOf,
  bytes: (data) => new Uint8Array(bytesOf(data)),
  arraybuffer: (data) => new Uint8Array(bytesOf(data)).buffer,
};

/** Decodes a value, with the chunks that are known, and collects the names of the others. */
class Decoder {
  readonly missing: Set<string> = new Set<string>();
  readonly #chunks: ReadonlyMap<string, string>;

  constructor(chunks: ReadonlyMap<string, string>) {
    this.#chunks = chunks;
  }

  decode(value: unknown): unknown {
    if (Array.isArray(value)) return Object.freeze(value.map((item) => this.decode(item)));
    if (!isObject(value)) return value;
    return Object.hasOwn(value, TAG) ? this.#decodeTagged(value) : this.#decodeFields(Object.entries(value));
  }

  #decodeFields(entries: readonly (readonly [string, unknown])[]): unknown {
    return Object.freeze(Object.fromEntries(entries.map(([name, item]) => [name, this.decode(item)])));
  }

  #decodeTagged({ [TAG]: kind, data, chunks }: Fields): unknown {
    if (kind === 'text') return this.#textOf(chunks);
    if (kind === 'json') {
      const text = this.#textOf(chunks);
      return this.missing.size > 0 ? undefined : this.decode(JSON.parse(text));
    }
    if (kind === 'object') return this.#decodeFields(data as readonly [string, unknown][]);
    const decodeValue = typeof kind === 'string' && Object.hasOwn(values, kind) ? values[kind] : undefined;
    if (decodeValue !== undefined) return decodeValue(this.decode(data));
    return unreadable(`this version does not know a value of the kind ${String(kind)}`);
  }

  #textOf(names: unknown): string {
    if (!Array.isArray(names)) return unreadable('a value has another form');
    const texts = names.map((name: unknown) => {
      const text = this.#chunks.get(textOf(name));
      if (text === undefined) this.missing.add(textOf(name));
      return text;
    });
    return texts.join('');
  }
}

/** Decodes a message; its objects and arrays are frozen. @throws {UnreadableMessage} when it has another form, or a blob is missing or damaged. */
export async function decode(value: unknown, readChunk: ReadChunk): Promise<UnifiedMessage> {
  const chunks = new Map<string, string>();
  for (;;) {
    const decoder = new Decoder(chunks);
    let message: unknown;
    try {
      message = decoder.decode(value);
    } catch (error) {
      if (error instanceof UnreadableMessage) throw error;
      return unreadable('a value has another form');
    }
    if (decoder.missing.size === 0) return checked(message);
    // A part of JSON may have blobs itself.
    for (const name of decoder.missing) {
      const chunk = await readChunk(name);
      if (chunk === undefined) return unreadable(`its part ${shortNameOf(name)} is missing`);
      if (nameOf(chunk) !== name) return unreadable(`its part ${shortNameOf(name)} is damaged`);
      chunks.set(name, chunk);
    }
  }
}

function checked(message: unknown): UnifiedMessage {
  if (!isObject(message) || typeof message['role'] !== 'string') return unreadable('it is not a message');
  const { role, content } = message;
  if (typeof content === 'string' && role !== 'tool') return message as unknown as UnifiedMessage;
  if (!Array.isArray(content)) return unreadable('it is not a message');
  for (const part of content) {
    const problem = partProblem(role, part);
    if (problem !== undefined) return unreadable(`a part ${problem}`);
  }
  return message as unknown as UnifiedMessage;
}
