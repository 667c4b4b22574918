import { errnoOf } from '@cairn/tool/internal';
import { closeSync, writeSync } from 'node:fs';
import { countLineFeeds } from '../edit/document.ts';

/** Bytes of the start of an output, and as many of its end, that stay in memory: enough for 8,000 characters of any kind. */
export const KEPT_BYTES = 24_000;

/** The largest file of an output. */
export const MAX_FILE_BYTES: number = 64 * 1024 * 1024;

export interface CreatedFile {
  readonly path: string;
  readonly fd: number;
}

/** The file with an output. */
interface OutputFile {
  /** Absent when no file could be created. */
  readonly path: string | undefined;
  readonly bytes: number;
  /** The code of the error that ended it. */
  readonly problem: string | undefined;
}

const LF = 0x0a;

/**
 * The output of one command, as it arrives. Its start and its end stay in memory, whatever its size. An output that is larger than
 * the start goes to a file, up to {@link MAX_FILE_BYTES}.
 */
export class CommandOutput {
  readonly #create: () => CreatedFile;
  readonly #head = Buffer.allocUnsafeSlow(KEPT_BYTES);
  /** A ring: the byte at `bytes % KEPT_BYTES` is the oldest. */
  readonly #tail = Buffer.allocUnsafeSlow(KEPT_BYTES);
  #file: CreatedFile | undefined;
  #fileBytes = 0;
  #problem: string | undefined;
  #isClosed = false;
  #lineFeeds = 0;
  #endsLine = true;
  /** All bytes that arrived. */
  bytes = 0;

  /** @param create creates the file, at the first need. */
  constructor(create: () => CreatedFile) {
    this.#create = create;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (this.bytes + chunk.length > KEPT_BYTES) this.keepFile();
    chunk.copy(this.#head, Math.min(this.bytes, KEPT_BYTES));
    const end = chunk.subarray(-KEPT_BYTES);
    const at = (this.bytes + chunk.length - end.length) % KEPT_BYTES;
    const fitting = end.copy(this.#tail, at);
    end.copy(this.#tail, 0, fitting);
    this.bytes += chunk.length;
    this.#lineFeeds += countLineFeeds(chunk, 0, chunk.length);
    this.#endsLine = chunk.at(-1) === LF;
    if (this.#file) this.#write(chunk);
  }

  /** Returns the first bytes, at most {@link KEPT_BYTES}. */
  head(): Buffer {
    return this.#head.subarray(0, Math.min(this.bytes, KEPT_BYTES));
  }

  /** Returns the last bytes, at most {@link KEPT_BYTES}. */
  tail(): Buffer {
    if (this.bytes <= KEPT_BYTES) return this.head();
    const at = this.bytes % KEPT_BYTES;
    return Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)]);
  }

  /** Returns the number of lines; the last one may have no line end. */
  lines(): number {
    return this.#lineFeeds + (this.#endsLine ? 0 : 1);
  }

  /** Keeps the output, and what is added later, in a file. */
  keepFile(): void {
    if (this.#file !== undefined || this.#problem !== undefined || this.#isClosed) return;
    try {
      this.#file = this.#create();
    } catch (error) {
      this.#problem = errnoOf(error) ?? String(error);
      return;
    }
    this.#write(this.head());
  }

  /** Returns the file; `undefined` when nothing asked for one. */
  file(): OutputFile | undefined {
    if (this.#file === undefined && this.#problem === undefined) return undefined;
    return { path: this.#file?.path, bytes: this.#fileBytes, problem: this.#problem };
  }

  /** Ends the file. Later output is counted and not kept in it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#file) return;
    try {
      closeSync(this.#file.fd);
    } catch (error) {
      // Some file systems report only here that the disk is full.
      this.#problem ??= errnoOf(error) ?? String(error);
    }
  }

  #write(chunk: Buffer): void {
    if (this.#file === undefined || this.#problem !== undefined || this.#isClosed) return;
    let rest = chunk.subarray(0, MAX_FILE_BYTES - this.#fileBytes);
    try {
      while (rest.length > 0) {
        const written = writeSync(this.#file.fd, rest);
        this.#fileBytes += written;
        rest = rest.subarray(written);
      }
    } catch (error) {
      this.#problem = errnoOf(error) ?? String(error);
    }
  }
}
