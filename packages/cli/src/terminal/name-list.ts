import { unquotePath } from '@cairn/tool/paths';
import { CommandError } from './errors.ts';
import { bytesOfGitName } from './git-names.ts';
import { formatBytes } from './text.ts';

export interface NameList {
  readonly names: readonly string[];
  /** Those that are not valid UTF-8, as in `names`: with replacement characters. */
  readonly lossyNames: ReadonlySet<string>;
}

const NUL = 0;
const LINE_FEED = 10;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Collects the names of a list while it arrives: one a line, in quotes where Cairn or git prints a name in quotes, or each with a
 * NUL after it. The first NUL decides, because no name holds one. Empty lines are dropped.
 */
export class NameReader {
  readonly #names: string[] = [];
  readonly #lossyNames = new Set<string>();
  /** The beginning of the next name. */
  #pending: Uint8Array[] = [];
  #separator: number = LINE_FEED;

  get list(): NameList {
    return { names: this.#names, lossyNames: this.#lossyNames };
  }

  add(bytes: Uint8Array): void {
    if (this.#separator === LINE_FEED && bytes.includes(NUL)) this.#separator = NUL;
    const end = bytes.lastIndexOf(this.#separator) + 1;
    if (end > 0) {
      this.#take(Buffer.concat([...this.#pending, bytes.subarray(0, end)]));
      this.#pending = [];
    }
    if (end < bytes.length) this.#pending.push(bytes.slice(end));
  }

  /** Takes the last name, which may have nothing after it. */
  end(): void {
    this.#take(Buffer.concat(this.#pending));
    this.#pending = [];
  }

  #take(block: Buffer): void {
    const text = decoded(block);
    const end = String.fromCharCode(this.#separator);
    if (text !== undefined) {
      for (const name of text.split(end)) this.#push(name);
      return;
    }
    for (let start = 0; start < block.length;) {
      const found = block.indexOf(this.#separator, start);
      const line = block.subarray(start, found === -1 ? block.length : found);
      this.#push(decoded(line) ?? this.#lossy(line));
      start += line.length + 1;
    }
  }

  #lossy(bytes: Buffer): string {
    const name = bytes.toString();
    this.#lossyNames.add(this.#separator === NUL ? name : withoutReturn(name));
    return name;
  }

  #push(line: string): void {
    const name = this.#separator === NUL ? line : this.#nameOf(withoutReturn(line));
    if (name !== '') this.#names.push(name);
  }

  #nameOf(line: string): string {
    if (!line.startsWith('"')) return line;
    const name = unquotePath(line);
    const bytes = name === line ? bytesOfGitName(line) : undefined;
    return bytes === undefined ? name : (decoded(bytes) ?? this.#lossy(bytes));
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** A longer list fills the memory. */
const MAX_BYTES = 256 * 1024 ** 2;

/** Reads names until their end. `onNames` is called after each part. @throws CommandError when the list is too long */
export async function readNames(
  stream: AsyncIterable<Uint8Array>,
  onNames: (list: NameList) => void = () => undefined,
): Promise<NameList> {
  const reader = new NameReader();
  let size = 0;
  for await (const bytes of stream) {
    size += bytes.length;
    if (size > MAX_BYTES) {
      const message = `standard input is longer than ${formatBytes(MAX_BYTES)}`;
      throw new CommandError({ code: 'TOO_LARGE', message, fix: 'give a shorter list' });
    }
    reader.add(bytes);
    onNames(reader.list);
  }
  reader.end();
  return reader.list;
}
