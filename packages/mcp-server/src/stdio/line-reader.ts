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

/** Options of {@link createLineReader}. */
export interface LineReaderOptions {
  readonly maxBytes: number;
  /** Called with each line, without its line feed. */
  readonly onLine: (line: Buffer) => void;
  readonly onOversized: (line: OversizedLine) => void;
}

/** Splits a stream of bytes into lines. */
export interface LineReader {
  push(this: void, chunk: Buffer): void;
  /** Ends the stream. A last line without a line feed counts. */
  end(): void;
}

/** Makes a reader of lines. It never holds more than `maxBytes` of a line, plus one chunk. */
export function createLineReader({ maxBytes, onLine, onOversized }: LineReaderOptions): LineReader {
  let parts: Buffer[] = [];
  let length = 0;
  /** Set while the rest of a line that is too long is dropped. */
  let dropped: { head: string; tail: Buffer } | undefined;

  const add = (part: Buffer): void => {
    length += part.length;
    if (dropped === undefined && length <= maxBytes) {
      parts.push(part);
      return;
    }
    const before = dropped?.tail ?? Buffer.concat(parts);
    const head = dropped?.head ?? Buffer.concat([before, part]).subarray(0, KEPT_BYTES).toString('latin1');
    dropped = {
      head,
      tail: Buffer.from(
        Buffer.concat([before.subarray(-KEPT_BYTES), part.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES),
      ),
    };
    parts = [];
  };
  const finish = (): void => {
    if (dropped) onOversized({ bytes: length, head: dropped.head, tail: dropped.tail.toString('latin1') });
    else if (length > 0) onLine(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    parts = [];
    length = 0;
    dropped = undefined;
  };
  return {
    push: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        add(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
    end: finish,
  };
}
