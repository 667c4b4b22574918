import { setImmediate } from 'node:timers/promises';
import { CairnError } from './errors.ts';

/** The types of columns, with the view that reads each. */
interface Views {
  readonly f64: Float64Array;
  readonly u32: Uint32Array;
  readonly u8: Uint8Array;
}

const views: { readonly [Type in keyof Views]: ViewConstructor } = {
  f64: Float64Array,
  u32: Uint32Array,
  u8: Uint8Array,
};

interface ViewConstructor {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): Views[keyof Views];
}

/**
 * The columns of a result by name, in the order in which the addon packs them: see `docs/design/border.md`. The list with
 * the same order is at the end of the function `encode` in `crates/node/src`.
 */
export type Layout = Readonly<Record<string, keyof Views>>;

/** The columns of a result, and the text that its strings are parts of. */
export type Columns<L extends Layout> = { readonly [Name in keyof L]: Views[L[Name]] } & {
  readonly text: Text;
};

/** Fields of the head before the lengths of the columns: the bytes of text, and whether the text is ASCII. */
const TEXT_FIELDS = 2;
/** Every part begins at a multiple of this. */
const ALIGNMENT = 8;

/**
 * Returns a function that views the columns of a buffer from the addon, without copying them.
 *
 * It throws a `CairnError` with code `INTERNAL` when the buffer does not have this layout. Both sides are built together, so
 * that is our fault.
 */
export function columnReader<L extends Layout>(layout: L): (data: Uint8Array) => Columns<L> {
  const types = Object.entries(layout);
  return (data) => readColumns(data, types) as Columns<L>;
}

function readColumns(data: Uint8Array, types: readonly [string, keyof Views][]): Record<string, unknown> {
  // A view of more than one byte needs an aligned start.
  const bytes = data.byteOffset % ALIGNMENT === 0 ? data : data.slice();
  const { byteOffset, byteLength } = bytes;
  // The addon never makes a shared buffer.
  const buffer = bytes.buffer as ArrayBuffer;
  const headLength = TEXT_FIELDS + types.length;
  if (byteLength < headLength * ALIGNMENT) throw wrongLayout();
  const head = new Float64Array(buffer, byteOffset, headLength);
  const end = byteOffset + byteLength;
  let at = byteOffset + head.byteLength;
  const part = (bytes: number): number => {
    const start = at;
    at = start + bytes;
    if (at > end) throw wrongLayout();
    // The last part ends where the buffer ends.
    if (at < end) at = Math.ceil(at / ALIGNMENT) * ALIGNMENT;
    return start;
  };
  const textBytes = present(head[0]);
  const encoding = head[1] === 1 ? 'latin1' : 'utf8';
  const text = new Text(Buffer.from(buffer, part(textBytes), textBytes).toString(encoding));
  const columns: Record<string, unknown> = { text };
  for (const [index, [name, type]] of types.entries()) {
    const length = present(head[TEXT_FIELDS + index]);
    const View = views[type];
    columns[name] = new View(buffer, part(length * View.BYTES_PER_ELEMENT), length);
  }
  if (at !== end) throw wrongLayout();
  return columns;
}

/** The strings of a result, one after the other. Each is a slice of one text, which is decoded once. */
class Text {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next string. */
  take(length: number): string {
    const start = this.#at;
    this.#at = start + length;
    return this.#text.slice(start, this.#at);
  }

  /**
   * Calls `use` with the string of each of the `lengths` from index `start` up to `end`. Faster than {@link take} for
   * results of ten thousands of strings.
   */
  takeEach(lengths: Uint32Array, start: number, end: number, use: (string: string, index: number) => void): void {
    const text = this.#text;
    let at = this.#at;
    for (let index = start; index < end; index++) {
      const next = at + present(lengths[index]);
      use(text.slice(at, next), index);
      at = next;
    }
    this.#at = at;
  }
}

/** A value that the layout promises. @throws {CairnError} `INTERNAL` when it is missing. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw wrongLayout();
  return value;
}

function wrongLayout(): CairnError {
  return new CairnError('INTERNAL', 'the addon returned a result with an unexpected layout; report this bug');
}

/** How long objects are made before the event loop gets a turn, and how many objects are made between two checks. */
const SLICE_MS = 5;
const SLICE_ITEMS = 1024;

/** Sets the items from index `start` up to `end`. */
type Fill<T> = (items: T[], start: number, end: number) => void;

/** A {@link Fill} with the results of `read`, called with one index after the other. */
export function fillWith<T>(read: (index: number) => T): Fill<T> {
  return (items, start, end) => {
    for (let index = start; index < end; index++) items[index] = read(index);
  };
}

/**
 * Makes `length` objects and passes each to `onEach`. Gives the event loop a turn every few milliseconds, so that a large
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
  // Set once: an array that grows by `push` is copied each time it has grown by half.
  items.length = length;
  let began = performance.now();
  for (let start = 0; start < length; start += SLICE_ITEMS) {
    if (start > 0 && performance.now() - began > SLICE_MS) {
      await setImmediate();
      signal?.throwIfAborted();
      began = performance.now();
    }
    const end = Math.min(start + SLICE_ITEMS, length);
    fill(items, start, end);
    if (onEach) for (const item of items.slice(start, end)) onEach(null, item);
  }
  return items;
}

/** The bit of a path's flags that marks a path that is not valid UTF-8. */
export const LOSSY = 8;
