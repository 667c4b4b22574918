/**
 * Overwrites what SQLite leaves in the free space of pages. With `secure_delete` it overwrites a removed entry, but a page that was
 * divided keeps copies of entries in the gap before its first entry. The file format is described at
 * https://www.sqlite.org/fileformat2.html.
 */
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';

const FILE_HEADER = 100;
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** SQLite locks this byte of the file. Its page has nothing else. */
const LOCK_BYTE = 0x40_00_00_00;
const ENTRY_BYTES = 5;
/** The types of pages in the pointer map that have entries. */
const TREE_PAGES: ReadonlySet<number | undefined> = new Set([1, 5]);
/** The first byte of a page with entries, and the bytes of its header. */
const HEADER_BYTES: ReadonlyMap<number | undefined, number> = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
]);
const PAGES_PER_READ = 256;
const PAGES_PER_TURN = 1024;
const ZEROS: Buffer = Buffer.alloc(65_536);

/** The open files by their identity. */
const handles = new Map<string, number>();

/** Runs a task on a file. On POSIX, to close a file ends all locks of this process on it, so it stays open. */
async function withFile<T>(path: string, task: (handle: number) => Promise<T>): Promise<T> {
  const { dev, ino } = statSync(path);
  const identity = `${dev} ${ino}`;
  const handle = handles.get(identity) ?? openSync(path, 'r+');
  if (process.platform !== 'win32') handles.set(identity, handle);
  try {
    return await task(handle);
  } finally {
    if (process.platform === 'win32') closeSync(handle);
  }
}

function read(handle: number, bytes: number, position: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  return buffer.subarray(0, readSync(handle, buffer, 0, bytes, position));
}

function damaged(page: number): Error {
  return Object.assign(new Error(`page ${page} is damaged`), { errcode: 11 });
}

/** The pages of a file. */
class Pages {
  readonly #handle: number;
  readonly #size: number;
  /** The bytes of a page that SQLite uses. */
  readonly #usable: number;
  readonly count: number;
  #map: { readonly page: number; readonly bytes: Buffer } | undefined;
  hasChanged = false;

  constructor(handle: number) {
    this.#handle = handle;
    const header = read(handle, FILE_HEADER, 0);
    const size = header.readUInt16BE(16);
    this.#size = size === 1 ? 65_536 : size;
    this.#usable = this.#size - header.readUInt8(20);
    this.count = Math.floor(fstatSync(handle).size / this.#size);
  }

  /** Returns whether a page has entries. Page 1 has some, and is not in the pointer map. */
  #isTree(page: number): boolean {
    if (page === 1) return true;
    const locked = Math.floor(LOCK_BYTE / this.#size) + 1;
    const step = Math.floor(this.#usable / ENTRY_BYTES) + 1;
    const first = page - ((page - 2) % step);
    const map = first === locked ? first + 1 : first;
    if (page === locked || page <= map) return false;
    if (this.#map?.page !== map) {
      this.#map = { page: map, bytes: read(this.#handle, this.#size, (map - 1) * this.#size) };
    }
    return TREE_PAGES.has(this.#map.bytes[(page - map - 1) * ENTRY_BYTES]);
  }

  /** Overwrites the gaps of pages in sequence. @throws an error with SQLite's code for a damaged page. */
  scrub(from: number, count: number): void {
    const bytes = read(this.#handle, count * this.#size, (from - 1) * this.#size);
    for (let page = from; page < from + count; page++) {
      if (!this.#isTree(page)) continue;
      const start = (page - from) * this.#size;
      const header = start + (page === 1 ? FILE_HEADER : 0);
      const headerBytes = HEADER_BYTES.get(bytes[header]);
      if (headerBytes === undefined) throw damaged(page);
      const gap = header + headerBytes + 2 * bytes.readUInt16BE(header + 3);
      const end = start + (bytes.readUInt16BE(header + 5) || 65_536);
      if (gap > end || end > start + this.#usable) throw damaged(page);
      if (bytes.compare(ZEROS, 0, end - gap, gap, end) === 0) continue;
      writeSync(this.#handle, ZEROS, 0, end - gap, (from - 1) * this.#size + gap);
      this.hasChanged = true;
    }
  }
}

/** Joins pages in sequence, so that they are read together. */
function* runsOf(pages: Iterable<number>): Generator<readonly [from: number, count: number]> {
  let [from, count] = [0, 0];
  for (const page of pages) {
    if (page === from + count && count < PAGES_PER_READ) count += 1;
    else {
      if (count > 0) yield [from, count];
      [from, count] = [page, 1];
    }
  }
  if (count > 0) yield [from, count];
}

function* upTo(count: number): Generator<number> {
  for (let page = 1; page <= count; page++) yield page;
}

/**
 * Overwrites the gaps of the pages of a file, and syncs it. Its log must be empty, and no other process may write: a page that another
 * connection keeps would bring its gap back. Other work runs in between.
 *
 * @param changed the pages that changed since the last time. @default all
 * @returns the number of pages that were read.
 */
export function scrubPages(path: string, changed?: ReadonlySet<number>): Promise<number> {
  return withFile(path, async (handle) => {
    const pages = new Pages(handle);
    const chosen = changed && [...changed].filter((page) => page <= pages.count).toSorted((a, b) => a - b);
    let done = 0;
    for (const [from, count] of runsOf(chosen ?? upTo(pages.count))) {
      if (done % PAGES_PER_TURN >= PAGES_PER_TURN - PAGES_PER_READ) await setImmediate();
      pages.scrub(from, count);
      done += count;
    }
    if (pages.hasChanged) fdatasyncSync(handle);
    return done;
  });
}

/** The pages that a log has, and the name of the log: SQLite gives it another one when it begins again. */
export interface LoggedPages {
  readonly name: string;
  readonly pages: ReadonlySet<number>;
}

/** Reads which pages the log of a file has. No lock is on the log, so that it can be closed. */
export function loggedPages(path: string): LoggedPages | undefined {
  let handle: number;
  try {
    handle = openSync(`${path}-wal`, 'r');
  } catch {
    return undefined;
  }
  try {
    const header = read(handle, LOG_HEADER, 0);
    if (header.length < LOG_HEADER) return undefined;
    const name = header.toString('hex', 16, 24);
    const frameBytes = FRAME_HEADER + header.readUInt32BE(8);
    const pages = new Set<number>();
    for (let position = LOG_HEADER; ; position += frameBytes) {
      const frame = read(handle, FRAME_HEADER, position);
      // The next frames are of an earlier log.
      if (frame.length < FRAME_HEADER || frame.toString('hex', 8, 16) !== name) return { name, pages };
      pages.add(frame.readUInt32BE(0));
    }
  } finally {
    closeSync(handle);
  }
}
