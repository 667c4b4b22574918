/** Bytes that are kept of both ends of a line that is too long. */
const KEPT = 256;

const LINE_FEED = 0x0a;

/** What is known of a line that was too long to be kept. */
export interface OversizedLine {
  readonly bytes: number;
  /** How it begins and ends, as Latin-1. */
  readonly head: string;
  readonly tail: string;
}

export interface LineReaderOptions {
  readonly maxBytes: number;
  /** Without its line feed. */
  readonly onLine: (line: Buffer) => void;
  readonly onOversized: (line: OversizedLine) => void;
}

/** Cuts a stream of bytes into lines. */
export interface LineReader {
  push(this: void, chunk: Buffer): void;
  /** The last line may lack its line feed. */
  end(): void;
}

/** A reader of lines that holds at most one of `maxBytes`, however long those are that come. */
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
    const head = dropped?.head ?? Buffer.concat([before, part]).subarray(0, KEPT).toString('latin1');
    dropped = {
      head,
      tail: Buffer.from(Buffer.concat([before.subarray(-KEPT), part.subarray(-KEPT)]).subarray(-KEPT)),
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
