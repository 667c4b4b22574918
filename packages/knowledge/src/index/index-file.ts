/**
 * The file of the index: what is known of all assets, so that a new process reads no asset that did not change. It is derived;
 * deleting it costs nothing but time.
 *
 * Line 1 is a JSON object, {@link IndexFileHeader}. Line 2 is an array of the first 200 listed assets in their order. Each further
 * line is one asset; those of a product line are together, in their order, and the header has their place. So the first assets
 * for any tech stack are found without reading the whole file.
 */
import { checkArguments } from '../errors.ts';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { AssetHead } from '../assets/asset.ts';
import { stackMatcherOf } from '../stack/match-stack.ts';
import type { Stack } from '../stack/stack.ts';
import { databaseState } from './database-state.ts';
import { createComparison } from './order.ts';
import { MAX_LISTED, omittedOf } from './selection.ts';
import type { IndexCounts, IndexOverview, Omitted } from './selection.ts';

/** Raise it with every change of the format. */
export const INDEX_FILE_VERSION = 2;

export function indexFilePath(directory: string): string {
  return join(directory, 'index.jsonl');
}

/** The database of the local store in a knowledge directory. */
export function databasePath(directory: string): string {
  return join(directory, 'knowledge.db');
}

/** How many assets of a product line are listed, and where its lines are, in bytes after line 2. */
type Group = readonly [productLine: string, offset: number, bytes: number, listed: number];

/** The first line of the file. */
export interface IndexFileHeader {
  readonly version: number;
  /** The state of the store's table that the file covers. */
  readonly epoch: string;
  readonly sequence: number;
  /** {@link databaseState} before the table was read; `null` when it says nothing. */
  readonly database: string | null;
  readonly counts: IndexCounts;
  readonly lastUpdatedMs: number | null;
  readonly unshared: { readonly count: number; readonly newest: readonly FileRow[] };
  /** What the owner of the index put in it. */
  readonly extra: unknown;
  /** Bytes after line 2. */
  readonly bytes: number;
  /** CRC-32 of the lines after the first. */
  readonly check: number;
  readonly groups: readonly Group[];
}

/** An asset in the file: its sequence, how often it was opened, and its head. */
export type FileRow = readonly [
  sequence: number,
  opened: number,
  productLine: string,
  name: string,
  type: AssetHead['type'],
  title: string,
  tags: readonly string[],
  status: AssetHead['status'],
  supersededBy: string | null,
  verifiedMs: number | null,
  paths: readonly string[],
  createdMs: number,
  changedMs: number,
  flags: number,
  characters: number,
];

const PROMOTED = 1;
const UNSHARED = 2;
const CONFLICT = 4;
const REVIEW = 8;

export function rowOf(head: AssetHead, sequence: number, opened: number): FileRow {
  const flags =
    (head.isPromoted ? PROMOTED : 0) |
    (head.isUnshared ? UNSHARED : 0) |
    (head.hasConflict ? CONFLICT : 0) |
    (head.needsReview ? REVIEW : 0);
  return [
    sequence,
    opened,
    head.productLine,
    head.name,
    head.type,
    head.title,
    head.tags,
    head.status,
    head.supersededBy ?? null,
    head.verifiedMs ?? null,
    head.paths,
    head.createdMs,
    head.changedMs,
    flags,
    head.characters,
  ];
}

export function headOfRow(row: FileRow): AssetHead {
  const [, , productLine, name, type, title, tags, status, supersededBy, verifiedMs, paths, createdMs, changedMs] = row;
  const flags = row[13];
  return {
    name,
    productLine,
    type,
    title,
    tags,
    status,
    ...(supersededBy !== null && { supersededBy }),
    ...(verifiedMs !== null && { verifiedMs }),
    paths,
    id: `${productLine}/${name}`,
    createdMs,
    changedMs,
    isPromoted: (flags & PROMOTED) !== 0,
    isUnshared: (flags & UNSHARED) !== 0,
    hasConflict: (flags & CONFLICT) !== 0,
    needsReview: (flags & REVIEW) !== 0,
    characters: row[14],
  };
}

export interface ReadIndexFileOptions {
  /** The tech stack of a project: assets of matching product lines come first. */
  readonly stack?: Stack | undefined;
  /** Whether only assets of matching product lines are selected. Has no effect without `stack`. @default false */
  readonly onlyMatching?: boolean | undefined;
  /** The number of assets, at most 200. @default 200 */
  readonly limit?: number | undefined;
}

/** What a session needs of the index without opening the store. */
export interface IndexFile extends IndexOverview {
  readonly epoch: string;
  readonly sequence: number;
  /** The first assets of the index in their order. */
  readonly heads: readonly AssetHead[];
  /** Returns the numbers of assets that are not listed when `listed` of the heads are. */
  readonly omitted: (listed: number) => Omitted;
  /** What the owner of the index put in it. */
  readonly extra: unknown;
  /** Whether the store has not changed since the file was written. */
  readonly isCurrent: boolean;
}

/** The first part of the file, which has the first two lines of most. */
const START_BYTES = 128 * 1024;

export function readBytes(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let length = 0;
  while (length < bytes) {
    const read = readSync(file, buffer, length, bytes - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

/** The first two lines of an open file, and where the third one begins. */
export interface IndexFileStart {
  readonly header: IndexFileHeader;
  readonly top: readonly FileRow[];
  readonly rowsAt: number;
}

/** Returns the first two lines; `undefined` for a file of another version, or one that is not whole. Throws for damaged ones. */
export function readStart(file: number): IndexFileStart | undefined {
  const { size } = fstatSync(file);
  for (const bytes of [START_BYTES, size]) {
    const start = readBytes(file, 0, Math.min(bytes, size));
    const headerEnd = start.indexOf('\n');
    const topEnd = headerEnd < 0 ? -1 : start.indexOf('\n', headerEnd + 1);
    if (topEnd < 0) continue;
    const header = JSON.parse(start.toString('utf8', 0, headerEnd)) as IndexFileHeader;
    if (header.version !== INDEX_FILE_VERSION || topEnd + 1 + header.bytes !== size) return undefined;
    const top = JSON.parse(start.toString('utf8', headerEnd + 1, topEnd)) as FileRow[];
    return { header, top, rowsAt: topEnd + 1 };
  }
  return undefined;
}

/** Returns the lines of a part of the file. */
function readLines(file: number, position: number, bytes: number): string[] {
  return readBytes(file, position, bytes).toString('utf8').split('\n').slice(0, -1);
}

/** Runs a function with the file open. @returns `undefined` without the file, and when a line of it is damaged. */
export function withIndexFile<T>(directory: string, run: (file: number) => T): T | undefined {
  let file: number;
  try {
    // Opening a pipe in its place would wait for a writer, and nothing could end that.
    file = openSync(indexFilePath(directory), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    return run(file);
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

const OPENED = 1;
const PRODUCT_LINE = 2;

/** Returns the heads in their order, at most `limit`. */
function firstOf(rows: readonly FileRow[], stack: Stack, limit: number): AssetHead[] {
  const opened = new Map<string, number>();
  const heads = rows.map((row) => {
    const head = headOfRow(row);
    opened.set(head.id, row[OPENED]);
    return head;
  });
  return heads.toSorted(createComparison({ stack, opened })).slice(0, limit);
}

function sumOfListed(groups: readonly Group[]): number {
  return groups.reduce((sum, [, , , listed]) => sum + listed, 0);
}

/**
 * Reads the file of the index in a knowledge directory: for the start of a session, which has no time to open the store. It is
 * synchronous, and reads only the start of the file and, with a stack, the product lines that match.
 *
 * @returns `undefined` when the file is missing, of another version or not whole; then open the store.
 */
export function readIndexFile(directory: string, options: ReadIndexFileOptions = {}): IndexFile | undefined {
  checkArguments.options('readIndexFile', options, { stack: 'optional', onlyMatching: 'optional', limit: 'optional' });
  const { stack, onlyMatching = false, limit: most = MAX_LISTED } = options;
  const limit = Math.min(most, MAX_LISTED);
  return withIndexFile(directory, (file) => {
    const start = readStart(file);
    if (start === undefined) return undefined;
    const { header, top, rowsAt } = start;
    const { epoch, sequence, counts, unshared, extra, database, groups } = header;
    let heads: readonly AssetHead[];
    let otherLines = 0;
    if (stack === undefined) {
      heads = top.slice(0, limit).map(headOfRow);
    } else {
      const matches = stackMatcherOf(stack);
      const matching = groups.filter(([productLine, , , listed]) => listed > 0 && matches(productLine));
      const first = matching.flatMap(([, offset, bytes, listed]) =>
        readLines(file, rowsAt + offset, bytes)
          .slice(0, Math.min(listed, limit))
          .map((line) => JSON.parse(line) as FileRow),
      );
      // The first 200 of all have enough of the others, whatever matches.
      const rest = onlyMatching ? [] : top.filter((row) => !matches(row[PRODUCT_LINE]));
      heads = firstOf([...first, ...rest], stack, limit);
      if (onlyMatching) otherLines = sumOfListed(groups) - sumOfListed(matching);
    }
    return {
      epoch,
      sequence,
      counts,
      lastUpdatedMs: header.lastUpdatedMs ?? undefined,
      heads,
      omitted: (listed) => omittedOf(counts, listed, otherLines),
      unshared: { count: unshared.count, newest: unshared.newest.map(headOfRow) },
      extra,
      isCurrent: database !== null && databaseState(databasePath(directory)) === database,
    };
  });
}
