/**
 * Reads the entries of an SQLite file page by page, without its trees, so that a damaged page hides no other page. The file format is
 * described at https://www.sqlite.org/fileformat2.html. The file must not change meanwhile, and have no log.
 */
import type { FileHandle } from 'node:fs/promises';

type RawValue = number | string | Buffer | null;

/** An entry of a table or of an index. */
export interface RawEntry {
  /** The rowid of an entry of a table; `undefined` in an index. */
  readonly rowid: number | undefined;
  readonly values: readonly RawValue[];
}

const DEFAULT_PAGE_SIZE = 4096;
/** The first page begins with the header of the file. */
const FILE_HEADER = 100;
/** More entries than these of one page are not plausible. */
const MAX_CELLS = 4096;
const INTERIOR_INDEX = 2;
const LEAF_INDEX = 10;
const LEAF_TABLE = 13;

/** The bytes of the numbers with the serial types 1 to 6. */
const NUMBER_BYTES = [0, 1, 2, 3, 4, 6, 8];

class Damage extends Error {}

/** Reads variable-length numbers and values from the beginning of a buffer on. */
class Cursor {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  take(count: number): Buffer {
    const end = this.at + count;
    if (!(count >= 0) || end > this.#bytes.length) throw new Damage();
    const taken = this.#bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  varint(): number {
    let value = 0n;
    for (let index = 0; index < 9; index++) {
      const [byte = 0] = this.take(1);
      if (index === 8) return Number(BigInt.asIntN(64, (value << 8n) | BigInt(byte)));
      value = (value << 7n) | BigInt(byte & 0x7f);
      if (byte < 0x80) return Number(value);
    }
    return Number(value);
  }

  value(type: number): RawValue {
    if (type === 0) return null;
    if (type === 8 || type === 9) return type - 8;
    if (type === 7) return this.take(8).readDoubleBE();
    const bytes = NUMBER_BYTES[type];
    if (bytes === 8) return Number(this.take(8).readBigInt64BE());
    if (bytes !== undefined) return this.take(bytes).readIntBE(0, bytes);
    if (type < 12) throw new Damage();
    const text = this.take(Math.floor((type - 12) / 2));
    return type % 2 === 0 ? Buffer.from(text) : text.toString('utf8');
  }
}

function parseRecord(payload: Buffer): RawValue[] {
  const header = new Cursor(payload, 0);
  const body = new Cursor(payload, header.varint());
  const end = body.at;
  const values: RawValue[] = [];
  while (header.at < end) values.push(body.value(header.varint()));
  if (header.at !== end || body.at !== payload.length) throw new Damage();
  return values;
}

/** The pages of a file. */
export class Pages {
  readonly #file: FileHandle;
  readonly #size: number;
  readonly count: number;

  private constructor(file: FileHandle, size: number, count: number) {
    this.#file = file;
    this.#size = size;
    this.count = count;
  }

  static async of(file: FileHandle): Promise<Pages> {
    const { buffer } = await file.read(Buffer.alloc(FILE_HEADER), 0, FILE_HEADER, 0);
    const stated = buffer.readUInt16BE(16);
    const isStated =
      buffer.toString('latin1', 0, 15) === 'SQLite format 3' && stated >= 512 && (stated & (stated - 1)) === 0;
    const size = isStated ? stated : DEFAULT_PAGE_SIZE;
    return new Pages(file, size, Math.ceil((await file.stat()).size / size));
  }

  /** Returns the readable entries of a page; nothing for a page of another kind. */
  async entriesOf(number: number): Promise<RawEntry[]> {
    const page = await this.#read(number);
    const start = number === 1 ? FILE_HEADER : 0;
    const type = page[start] ?? 0;
    if (type !== LEAF_TABLE && type !== LEAF_INDEX && type !== INTERIOR_INDEX) return [];
    const cells = page.readUInt16BE(start + 3);
    const pointers = start + (type === INTERIOR_INDEX ? 12 : 8);
    if (cells > MAX_CELLS || pointers + 2 * cells > this.#size) return [];
    const entries: RawEntry[] = [];
    for (let index = 0; index < cells; index++) {
      const entry = await this.#entryAt(page, page.readUInt16BE(pointers + 2 * index), type);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  async #read(number: number): Promise<Buffer> {
    const page = Buffer.alloc(this.#size);
    await this.#file.read(page, 0, this.#size, (number - 1) * this.#size);
    return page;
  }

  async #entryAt(page: Buffer, offset: number, type: number): Promise<RawEntry | undefined> {
    try {
      const cursor = new Cursor(page, offset + (type === INTERIOR_INDEX ? 4 : 0));
      const length = cursor.varint();
      const rowid = type === LEAF_TABLE ? cursor.varint() : undefined;
      return { rowid, values: parseRecord(await this.#payload(cursor, length, type === LEAF_TABLE)) };
    } catch (error) {
      if (error instanceof Damage) return undefined;
      throw error;
    }
  }

  async #payload(cursor: Cursor, length: number, isTable: boolean): Promise<Buffer> {
    const usable = this.#size;
    if (length > this.count * usable) throw new Damage();
    const maxLocal = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
    if (length <= maxLocal) return cursor.take(length);
    const minLocal = Math.floor(((usable - 12) * 32) / 255) - 23;
    const fitting = minLocal + ((length - minLocal) % (usable - 4));
    const parts = [cursor.take(fitting <= maxLocal ? fitting : minLocal)];
    let next = cursor.take(4).readUInt32BE();
    for (let rest = length - (parts[0]?.length ?? 0); rest > 0; rest -= usable - 4) {
      if (next < 2 || next > this.count) throw new Damage();
      const page = await this.#read(next);
      parts.push(page.subarray(4, 4 + Math.min(rest, usable - 4)));
      next = page.readUInt32BE();
    }
    if (next !== 0) throw new Damage();
    return Buffer.concat(parts);
  }
}
