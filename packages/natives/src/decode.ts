import { setImmediate } from 'node:timers/promises';
import { CairnError } from '@cairn/tool/kernel';

/** The types of columns, with the view that reads each. */
interface Views {
  readonly f64: Float64Array;
  readonly u32: Uint32Array;
  readonly u8: Uint8Array;
}

const views = { f64: Float64Array, u32: Uint32Array, u8: Uint8Array } as const;

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
  const text = new Text(Buffer.from(buffer, part(textBytes), textBytes), encoding);
  const columns: Record<string, unknown> = { text };
  for (const [index, [name, type]] of types.entries()) {
    const length = present(head[TEXT_FIELDS + index]);
    const View = views[type];
    columns[name] = new View(buffer, part(length * View.BYTES_PER_ELEMENT), length);
  }
  if (at !== end) throw wrongLayout();
  return columns;
}

/** The maximal bytes decoded and objects made before the event loop gets a turn. A smaller result needs no turn. */
const TURN_BYTES = 1 << 20;
const TURN_OBJECTS = 10_000;

/** The strings of a result, in sequence. Each is a slice of a part of the text, which is decoded part by part. */
class Text {
  readonly #bytes: Buffer;
  readonly #encoding: 'latin1' | 'utf8';
  #decodedBytes = 0;
  /** The part that the next string begins in, and where in it. */
  #text = '';
  #at = 0;
  /** The part after it, if that is decoded. */
  #next = '';

  constructor(bytes: Buffer, encoding: 'latin1' | 'utf8') {
    this.#bytes = bytes;
    this.#encoding = encoding;
    this.#text = this.#decode();
  }

  /** How many code units are decoded and not taken. */
  get available(): number {
    return this.#text.length - this.#at + this.#next.length;
  }

  /** Decodes the next part, unless a part is available. */
  advance(): void {
    if (this.available >= TURN_BYTES || this.#next !== '') return;
    this.#next = this.#decode();
  }

  #decode(): string {
    const bytes = this.#bytes;
    const start = this.#decodedBytes;
    let end = Math.min(start + TURN_BYTES, bytes.length);
    // A part ends where a character ends. The text is valid UTF-8.
    while (end < bytes.length && (present(bytes[end]) & 0xc0) === 0x80) end--;
    this.#decodedBytes = end;
    return bytes.toString(this.#encoding, start, end);
  }

  /** The next string, available in full. */
  take(length: number): string {
    const start = this.#at;
    const end = start + length;
    if (end <= this.#text.length) {
      this.#at = end;
      return this.#text.slice(start, end);
    }
    if (length > this.available) throw wrongLayout();
    const head = this.#text.slice(start);
    this.#text = this.#next;
    this.#next = '';
    this.#at = length - head.length;
    return head + this.#text.slice(0, this.#at);
  }

  /** The next string of any length, over as many turns as it takes. */
  async takeLarge(length: number, turn: Turn): Promise<string> {
    let string = this.take(Math.min(length, this.available));
    while (string.length < length) {
      await turn.next();
      if (this.available === 0) throw wrongLayout();
      string += this.take(Math.min(length - string.length, this.available));
    }
    return string;
  }

  /**
   * Calls `use` with the string of each of the `lengths` from index `start` up to `end`, as far as they are available.
   * Returns the index of the first one that is not. Faster than {@link take} for results of ten thousands of strings.
   */
  takeEach(lengths: Uint32Array, start: number, end: number, use: (string: string, index: number) => void): number {
    let text = this.#text;
    let at = this.#at;
    let index = start;
    for (; index < end; index++) {
      const length = present(lengths[index]);
      const next = at + length;
      if (next <= text.length) {
        use(text.slice(at, next), index);
        at = next;
        continue;
      }
      this.#at = at;
      if (length > this.available) return index;
      use(this.take(length), index);
      text = this.#text;
      at = this.#at;
    }
    this.#at = at;
    return index;
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

/** The work that is still allowed in this turn of the event loop. */
export class Turn {
  readonly #text: Text;
  readonly #signal: AbortSignal | undefined;
  /** How many objects may still be made. */
  objects: number = TURN_OBJECTS;

  /** @param signal ends the reading between two turns. */
  constructor(text: Text, signal: AbortSignal | undefined) {
    this.#text = text;
    this.#signal = signal;
  }

  /** Lets the event loop work and decodes more of the text. @throws the reason of the signal when it has aborted. */
  async next(): Promise<void> {
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.objects = TURN_OBJECTS;
    this.#text.advance();
  }

  /**
   * Calls `use`, which makes one object, with the string of each of the `lengths` from index `start` up to `end`, as far as
   * the turn allows. Returns the index of the first one that is left.
   */
  takeEach(lengths: Uint32Array, start: number, end: number, use: (string: string, index: number) => void): number {
    const reached = this.#text.takeEach(lengths, start, Math.min(end, start + this.objects), use);
    this.objects -= reached - start;
    return reached;
  }

  /** Makes `length` objects over as many turns as it takes. */
  async makeMany<T>(length: number, make: () => T | Promise<T>): Promise<T[]> {
    const items: T[] = [];
    items.length = length;
    for (let index = 0; index < length; index++) {
      if (this.objects === 0) await this.next();
      this.objects--;
      const item = make();
      items[index] = item instanceof Promise ? await item : item;
    }
    return items;
  }
}

/** Makes `length` items. The array has no room for more, unlike one that grows. */
export function makeArray<T>(length: number, make: () => T): T[] {
  const items: T[] = [];
  items.length = length;
  for (let index = 0; index < length; index++) items[index] = make();
  return items;
}

export interface ItemReader<T> {
  /**
   * Sets the items from index `start` up to `end`, as far as the turn allows. Returns the index of the first one that is not
   * set.
   */
  fill(items: T[], start: number, end: number): number;
  /** Makes the item at `index`, which is too large for one turn. */
  large?(index: number): Promise<T>;
}

/**
 * Makes `length` items and passes each to `onEach`. Between two turns of the event loop it decodes at most 1 MiB of text and
 * makes at most 10,000 objects, so that a large result does not block it.
 *
 * @throws the reason of the turn's signal when it aborts in between.
 */
export async function readAll<T>(
  length: number,
  reader: ItemReader<T>,
  turn: Turn,
  onEach?: ((error: null, item: T) => void) | null,
): Promise<T[]> {
  const items: T[] = [];
  // Set once: an array that grows by `push` is copied each time it has grown by half.
  items.length = length;
  let isFresh = turn.objects === TURN_OBJECTS;
  for (let start = 0; start < length;) {
    let end = reader.fill(items, start, length);
    if (end === start && isFresh) {
      if (!reader.large) throw wrongLayout();
      items[end++] = await reader.large(start);
    }
    if (onEach) for (const item of items.slice(start, end)) onEach(null, item);
    start = end;
    if (start === length) break;
    await turn.next();
    isFresh = true;
  }
  return items;
}

/** The bit of a path's flags that marks a path that is not valid UTF-8. */
export const LOSSY = 8;
