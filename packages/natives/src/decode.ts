import { setImmediate } from 'node:timers/promises';
import { CairnError } from './errors.ts';
import type { StopReason } from './options.ts';

/** Fields of the head: see `crates/node/src/buffer.rs`. */
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
  #double = 0;
  #word = 0;
  #flag = 0;
  #at = 0;

  constructor(data: Uint8Array) {
    // Views of more than a byte need an aligned beginning.
    const bytes = data.byteOffset % 8 === 0 ? data : data.slice();
    const head = new Float64Array(bytes.buffer, bytes.byteOffset, HEAD);
    const [doubles = 0, words = 0, flags = 0, textBytes = 0, ascii = 0] = head;
    let at = bytes.byteOffset + head.byteLength;
    this.#text = Buffer.from(bytes.buffer, at, textBytes).toString(ascii === 1 ? 'latin1' : 'utf8');
    at += Math.ceil(textBytes / 8) * 8;
    this.#doubles = new Float64Array(bytes.buffer, at, doubles);
    at += this.#doubles.byteLength;
    this.#words = new Uint32Array(bytes.buffer, at, words);
    at += this.#words.byteLength;
    this.#flags = new Uint8Array(bytes.buffer, at, flags);
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

  /**
   * Puts what `make` makes of the next strings and flags, a flag for each string, at the places from `start` up to `end`.
   * Hits come by the ten thousand: here their text and numbers are looked up once, not once for each.
   */
  flaggedStrings<T>(items: T[], start: number, end: number, make: (text: string, flag: number) => T): void {
    const [words, flags, text] = [this.#words, this.#flags, this.#text];
    let [word, flag, at] = [this.#word, this.#flag, this.#at];
    for (let index = start; index < end; index++) {
      const behind = at + present(words[word++]);
      items[index] = make(text.slice(at, behind), present(flags[flag++]));
      at = behind;
    }
    [this.#word, this.#flag, this.#at] = [word, flag, at];
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

/** Puts objects at the places from `start` up to `end`. */
type Fill<T> = (items: T[], start: number, end: number) => void;

/** A {@link Fill} with what `read` gives, one after the other. */
export function fillWith<T>(read: () => T): Fill<T> {
  return (items, start, end) => {
    for (let index = start; index < end; index++) items[index] = read();
  };
}

/**
 * Makes `length` objects and hands each to `onEach`, with a turn for the event loop every few milliseconds, so that a large
 * result does not block it.
 *
 * @throws the reason of `signal` when it aborts in between.
 */
export async function readAll<T>(
  length: number,
  fill: Fill<T>,
  signal: AbortSignal | undefined,
  onEach: ((error: null, item: T) => void) | null | undefined,
): Promise<T[]> {
  const items: T[] = [];
  // At once as long as it will be: an array that is pushed to is copied whenever it has grown by half.
  items.length = length;
  let began = performance.now();
  for (let start = 0; start < length; start += SLICE_CHECK) {
    if (start > 0 && performance.now() - began > SLICE_MS) {
      await setImmediate();
      signal?.throwIfAborted();
      began = performance.now();
    }
    const end = Math.min(start + SLICE_CHECK, length);
    fill(items, start, end);
    if (onEach) for (const item of items.slice(start, end)) onEach(null, item);
  }
  return items;
}

/** The flag of a path that was not valid UTF-8. */
export const LOSSY = 8;
