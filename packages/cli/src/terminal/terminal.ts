import { openSync, writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { ReadStream as TtyReadStream, WriteStream as TtyWriteStream } from 'node:tty';

/** A terminal that a command draws on and reads keys from. Standard output is not touched. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** Keys come as they are typed, without an echo, until it is closed. */
  onInput(listener: (text: string) => void): void;
  onResize(listener: () => void): void;
  onEnd(listener: () => void): void;
  /** Writes `farewell` immediately and restores the terminal. A second call does nothing. */
  close(farewell: string): void;
}

const ttyPath = process.platform === 'win32' ? undefined : '/dev/tty';

/** A stream, and the descriptor that was opened for it. */
interface Opened<T> {
  readonly stream: T;
  readonly fd?: number;
}

/** Returns a standard stream that is a terminal, or else opens the terminal of the process. */
function opened<T extends { readonly isTTY?: boolean }>(
  standard: T,
  mode: 'r' | 'w',
  create: (fd: number) => T,
): Opened<T> | undefined {
  if (standard.isTTY === true) return { stream: standard };
  if (ttyPath === undefined) return undefined;
  const fd = openSync(ttyPath, mode);
  return { stream: create(fd), fd };
}

/** The terminal of a process: its standard input and standard error, or the one that controls it. */
export function openTerminal(stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Terminal | undefined {
  let reader: Opened<ReadStream> | undefined;
  let writer: Opened<WriteStream> | undefined;
  try {
    reader = opened<ReadStream>(stdin, 'r', (fd) => new TtyReadStream(fd));
    writer = reader && opened<WriteStream>(stderr, 'w', (fd) => new TtyWriteStream(fd));
  } catch {
    // The process has no terminal, so /dev/tty cannot be opened.
    reader?.stream.destroy();
    return undefined;
  }
  if (!reader || !writer) return undefined;
  const input = reader.stream;
  const output = writer.stream;
  const writeFd = writer.fd;
  const listeners: (() => void)[] = [];
  let isOpen = true;
  input.setRawMode(true);
  input.setEncoding('utf8');
  // A terminal that is gone is noticed on the other side.
  output.on('error', () => undefined);
  return {
    get columns(): number {
      return Math.max(1, output.columns || 80);
    },
    get rows(): number {
      return Math.max(1, output.rows || 24);
    },
    // A late frame would be drawn on the screen that was given back.
    write: (text) => void (isOpen && output.write(text)),
    onInput: (listener) => {
      input.on('data', listener);
      // An earlier terminal of this process has paused the stream.
      input.resume();
      listeners.push(() => input.off('data', listener));
    },
    onResize: (listener) => {
      output.on('resize', listener);
      listeners.push(() => output.off('resize', listener));
    },
    onEnd: (listener) => {
      for (const event of ['end', 'error', 'close'] as const) {
        input.on(event, listener);
        listeners.push(() => input.off(event, listener));
      }
    },
    close: (farewell) => {
      if (!isOpen) return;
      isOpen = false;
      for (const remove of listeners) remove();
      input.on('error', () => undefined);
      // Each by itself: a terminal that takes no more text (Ctrl-S) is still to have its echo back.
      for (const giveBack of [() => input.setRawMode(false), () => writeSync(writeFd ?? 2, farewell)]) {
        try {
          giveBack();
        } catch {
          // The terminal is closed; there is nothing to restore.
        }
      }
      input.pause();
      if (reader.fd !== undefined) input.destroy();
      if (writeFd !== undefined) output.destroy();
    },
  };
}
