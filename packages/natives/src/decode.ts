import { setImmediate } from 'node:timers/promises';
import { CairnError } from './errors.ts';
import type { StopReason } from './options.ts';

/** Fields of the head before those of the result: see `crates/node/src/buffer.rs`. */
const HEAD = 5;

const stopReasons: readonly (StopReason | undefined)[] = [undefined, 'limit', 'timeout', 'budget'];

/**
 * Reads a result in the order in which the addon wrote it. The text is decoded once; its strings are slices of it.
 *
 * @throws {CairnError} `INTERNAL` on reading beyond the end: a fault of ours, as both sides are built together.
 */
export class ResultReader {
  readonly #doubles: Float64Array;
  readonly #words: Uint32Array;
  readonly #flags: Uint8Array;
  readonly #text: string;
  #double = HEAD;
  #word = 0;
  #flag = 0;
  #at = 0;

  constructor(data: Uint8Array) {
    // Views of more than a byte need an aligned beginning.
    const bytes = data.byteOffset % 8 === 0 ? data : data.slice();
    const head = new Float64Array(bytes.buffer, bytes.byteOffset, HEAD);
    const [doubles = 0, words = 0, flags = 0, textBytes = 0, ascii = 0] = head;
    let at = bytes.byteOffset;
    this.#doubles = new Float64Array(bytes.buffer, at, HEAD + doubles);
    at += this.#doubles.byteLength;
    this.#words = new Uint32Array(bytes.buffer, at, words);
    at += this.#words.byteLength;
    this.#flags = new Uint8Array(bytes.buffer, at, flags);
    at += flags;
    this.#text = Buffer.from(bytes.buffer, at, textBytes).toString(ascii === 1 ? 'latin1' : 'utf8');
  }

  double(): number {
    return present(this.#doubles[this.#double++]);
  }

  /** A double that is usually a small whole number, as one: such need no room beside the object they are in. */
  whole(): number {
    const value = this.double();
    const small = value | 0;
    return small === value ? small : value;
  }

  /** A double, of which NaN stands for none. */
  optionalDouble(): number | undefined {
    const value = this.double();
    return Number.isNaN(value) ? undefined : value;
  }

  word(): number {
    return present(this.#words[this.#word++]);
  }

  words(length: number): number[] {
    const words = Array.from(this.#words.subarray(this.#word, this.#word + length));
    this.#word += length;
    return words;
  }

  flag(): number {
    return present(this.#flags[this.#flag++]);
  }

  string(): string {
    const start = this.#at;
    this.#at += this.word();
    return this.#text.slice(start, this.#at);
  }

  stopReason(): StopReason | undefined {
    return stopReasons[this.double()];
  }
}

/** @throws {CairnError} `INTERNAL` when the result ended before its reader. */
export function present<T>(value: T | undefined): T {
  if (value === undefined)
    throw new CairnError('INTERNAL', 'a result from the addon is shorter than it says; please report it');
  return value;
}

/** How long objects are made before the event loop gets a turn, looked at after every so many. */
const SLICE_MS = 5;
const SLICE_CHECK = 1024;

/**
 * Makes `length` objects and hands each to `onEach`, with a turn for the event loop every few milliseconds, so that a large
 * result does not block it.
 *
 * @throws the reason of `signal` when it aborts in between.
 */
export async function readAll<T>(
  length: number,
  read: () => T,
  signal: AbortSignal | undefined,
  onEach: ((error: null, item: T) => void) | null | undefined,
): Promise<T[]> {
  const items: T[] = [];
  let began = performance.now();
  for (let index = 1; index <= length; index++) {
    const item = read();
    items.push(item);
    onEach?.(null, item);
    if (index % SLICE_CHECK === 0 && performance.now() - began > SLICE_MS) {
      await setImmediate();
      signal?.throwIfAborted();
      began = performance.now();
    }
  }
  return items;
}

/** The flag of a path that was not valid UTF-8. */
export const LOSSY = 8;
