/** Copies of messages that cannot be changed from outside, and checks that each of their values can be stored. */
import { isObject, type Fields } from '@cairn/tool/kernel';
import { ContextError } from '../errors.ts';
import { partProblem, type UnifiedMessage } from '../messages/message.ts';

/** The largest message, in bytes of its texts and data. */
export const MAX_MESSAGE_BYTES: number = 20 * 1024 * 1024;
const MAX_DEPTH = 500;
const ROLES: readonly unknown[] = ['user', 'assistant', 'tool'];

function refuse(summary: string, hint: string): never {
  throw new ContextError('INVALID_INPUT', [summary, hint]);
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const name = (value.constructor as { readonly name?: string } | undefined)?.name ?? '';
  return name === 'Object' || name === '' ? 'an object with a class' : `a value of the class ${name}`;
}

class Copier {
  bytes = 0;
  readonly #parents: object[] = [];

  copy(value: unknown, path: string): unknown {
    if (typeof value === 'string') this.bytes += Buffer.byteLength(value);
    if (['string', 'undefined', 'boolean', 'number'].includes(typeof value) || value === null) return value;
    if (typeof value !== 'object') return this.#refuse(value, path);
    if (value instanceof Uint8Array || value instanceof ArrayBuffer) this.bytes += value.byteLength;
    if (Buffer.isBuffer(value)) return Buffer.from(value);
    if (value instanceof Uint8Array) return new Uint8Array(value);
    if (value instanceof ArrayBuffer) return value.slice(0);
    if (value instanceof URL) return new URL(value.href);
    if (value instanceof Date) return new Date(value);
    return this.#copyObject(value, path);
  }

  #copyObject(value: object, path: string): unknown {
    const isArray = Array.isArray(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    // An object of literals, from any realm, and not of a class.
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
    if (!isArray && (!isPlain || Object.getOwnPropertySymbols(value).length > 0)) return this.#refuse(value, path);
    if (this.#parents.includes(value)) return refuse(`${path} contains itself`, 'Remove the cycle.');
    if (this.#parents.length >= MAX_DEPTH)
      return refuse(`${path} is nested too deeply`, `Use at most ${MAX_DEPTH} levels.`);
    this.#parents.push(value);
    const copied = isArray
      ? Array.from(value as readonly unknown[], (item, index) => this.copy(item, `${path}[${index}]`))
      : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.copy(item, `${path}.${name}`)]));
    this.#parents.pop();
    return Object.freeze(copied);
  }

  #refuse(value: unknown, path: string): never {
    const hint = 'Use strings, numbers, booleans, null, arrays, plain objects, Uint8Array, ArrayBuffer, URL or Date.';
    return refuse(`${path} is ${nameOf(value)}, which cannot be stored`, hint);
  }
}

/**
 * Checks a message and copies it. Objects and arrays of the copy are frozen.
 *
 * @throws {ContextError} `INVALID_INPUT` when it is not a message, or has a value that cannot be stored; `TOO_LARGE`.
 */
export function copyMessage(message: unknown): UnifiedMessage {
  const { role, content }: Fields = isObject(message) ? message : {};
  if (!ROLES.includes(role)) {
    const hint = 'Use user, assistant or tool; the system prompt is not part of a history.';
    return refuse(`Invalid role ${JSON.stringify(role) ?? String(role)} of a message`, hint);
  }
  const isText = typeof content === 'string' && role !== 'tool';
  const hasParts =
    Array.isArray(content) && content.every((part: unknown) => isObject(part) && typeof part['type'] === 'string');
  if (!isText && !hasParts) {
    const hint =
      role === 'tool' ? 'Use an array of parts with a type.' : 'Use a string, or an array of parts with a type.';
    return refuse(`The content of a message with the role ${String(role)} is invalid`, hint);
  }
  const parts = typeof content === 'string' ? [] : (content as readonly unknown[]);
  for (const [index, part] of parts.entries()) {
    const problem = partProblem(role as string, part);
    if (problem !== undefined)
      return refuse(`message.content[${index}] ${problem}`, 'Use the form of messages of the AI SDK.');
  }
  const copier = new Copier();
  const copied = copier.copy(message, 'message') as UnifiedMessage;
  if (copier.bytes <= MAX_MESSAGE_BYTES) return copied;
  const summary = `A message has ${copier.bytes} bytes, more than ${MAX_MESSAGE_BYTES}`;
  throw new ContextError('TOO_LARGE', [summary, 'Pass a smaller file, or a part of it. Nothing was stored.']);
}

/** Returns the bytes of the texts and data of a value; `undefined` for one that cannot be stored. */
export function sizeOf(value: unknown): number | undefined {
  const copier = new Copier();
  try {
    copier.copy(value, 'value');
    return copier.bytes;
  } catch (error) {
    if (ContextError.isInstance(error)) return undefined;
    throw error;
  }
}
