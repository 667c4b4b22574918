/** The number of bytes kept from each end of a line that is too long. */
const KEPT_BYTES = 256;

const LINE_FEED = 0x0a;

/** The facts of a line that was too long to keep. */
export interface OversizedLine {
  readonly bytes: number;
  /** The first and the last bytes, as Latin-1. */
  readonly head: string;
  readonly tail: string;
}

interface LineReaderOptions {
  readonly maxBytes: number;
  /** Called with each line, without its line feed. */
  readonly onLine: (line: Buffer) => void;
  readonly onOversized: (line: OversizedLine) => void;
}

/** Splits a stream of bytes into lines. It never holds more than `maxBytes` of a line, plus one chunk. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #length = 0;
  /** Set while the rest of a line that is too long is dropped. */
  #dropped: { readonly head: string; readonly tail: Buffer } | undefined;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  readonly push = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#add(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  };

  /** Ends the line, or the stream: a last line without a line feed counts. */
  end(): void {
    const { onLine, onOversized } = this.#options;
    const dropped = this.#dropped;
    if (dropped) onOversized({ bytes: this.#length, head: dropped.head, tail: dropped.tail.toString('latin1') });
    else if (this.#length > 0) onLine(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#length = 0;
    this.#dropped = undefined;
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#dropped === undefined && this.#length <= this.#options.maxBytes) {
      this.#parts.push(part);
      return;
    }
    const before = this.#dropped?.tail ?? Buffer.concat(this.#parts);
    const head = this.#dropped?.head ?? Buffer.concat([before, part]).subarray(0, KEPT_BYTES).toString('latin1');
    const ends = Buffer.concat([before.subarray(-KEPT_BYTES), part.subarray(-KEPT_BYTES)]);
    this.#dropped = { head, tail: Buffer.from(ends.subarray(-KEPT_BYTES)) };
    this.#parts = [];
  }
}
