import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { AssetHead } from '../assets/asset.ts';
import type { KnownAssets } from '../stores/changes.ts';
import type { Entries, Entry } from './entries.ts';
import { headOfRow, INDEX_FILE_VERSION, readBytes, readStart, rowOf, withIndexFile } from './index-file.ts';
import type { FileRow, IndexFileHeader } from './index-file.ts';
import { isListed, MAX_LISTED } from './selection.ts';

/** Lines that are parsed or made before other work runs. */
const SLICE = 500;

/** The state of the store that the entries cover. */
export type Covered = Pick<KnownAssets, 'epoch' | 'sequence'>;

/** Reads all assets of the file. Other work runs in between. @returns `undefined` for a file that cannot be used. */
export async function loadIndexFile(directory: string, entries: Entries): Promise<Covered | undefined> {
  const read = withIndexFile(directory, (file) => {
    const start = readStart(file);
    if (start === undefined) return undefined;
    const { header, rowsAt } = start;
    const whole = readBytes(file, 0, rowsAt + header.bytes);
    const isWhole = crc32(whole.subarray(whole.indexOf('\n') + 1)) === header.check;
    return isWhole ? { header, lines: whole.toString('utf8', rowsAt).split('\n').slice(0, -1) } : undefined;
  });
  if (read === undefined) return undefined;
  const opened = new Map<string, number>();
  try {
    for (const [number, line] of read.lines.entries()) {
      if (number % SLICE === SLICE - 1) await setImmediate();
      const row = JSON.parse(line) as FileRow;
      const head = headOfRow(row);
      entries.set(head, row[0]);
      opened.set(head.id, row[1]);
    }
  } catch {
    entries.clear();
    return undefined;
  }
  entries.opened = opened;
  entries.unreadable = read.header.counts.unreadable ?? 0;
  const { epoch, sequence } = read.header;
  return { epoch, sequence };
}

export interface IndexFileContent extends Covered {
  readonly database: string | null;
  readonly extra: unknown;
}

/** A file of the index, and the length of its first line, which differs when any part differs. */
export interface RenderedIndexFile {
  readonly data: Buffer;
  readonly startBytes: number;
}

/** Renders the file from the entries as they are now. Other work runs in between. */
export async function renderIndexFile(
  entries: Entries,
  { epoch, sequence, database, extra }: IndexFileContent,
): Promise<RenderedIndexFile> {
  const ordered = entries.ordered();
  const { opened } = entries;
  const openedOf = ({ id }: AssetHead): number => opened.get(id) ?? 0;
  const byLine = new Map<string, Entry[]>();
  for (const entry of ordered) {
    const group = byLine.get(entry.head.productLine);
    if (group === undefined) byLine.set(entry.head.productLine, [entry]);
    else group.push(entry);
  }
  const { counts, lastUpdatedMs, unshared } = entries.overview();
  const rowOfHead = (head: AssetHead): FileRow => rowOf(head, entries.sequences.get(head.id) ?? 0, openedOf(head));
  const newest = unshared.newest.map(rowOfHead);
  const listed: FileRow[] = [];
  for (const { head } of ordered) {
    if (isListed(head)) listed.push(rowOfHead(head));
    if (listed.length === MAX_LISTED) break;
  }
  const parts: Buffer[] = [];
  const groups: IndexFileHeader['groups'][number][] = [];
  let offset = 0;
  let left = SLICE;
  for (const [productLine, group] of byLine) {
    const listed = group.filter(({ head }) => isListed(head));
    const others = group.filter(({ head }) => !isListed(head));
    const rows = [...listed, ...others].map((entry) => `${entry.row(openedOf(entry.head))}\n`);
    const part = Buffer.from(rows.join(''));
    groups.push([productLine, offset, part.length, listed.length]);
    parts.push(part);
    offset += part.length;
    left -= group.length;
    if (left > 0) continue;
    left = SLICE;
    await setImmediate();
  }
  const top = Buffer.from(`${JSON.stringify(listed)}\n`);
  const rows = Buffer.concat([top, ...parts]);
  const header: IndexFileHeader = {
    version: INDEX_FILE_VERSION,
    epoch,
    sequence,
    database,
    counts,
    lastUpdatedMs: lastUpdatedMs ?? null,
    unshared: { count: unshared.count, newest },
    extra: extra ?? null,
    bytes: offset,
    check: crc32(rows),
    groups,
  };
  const first = Buffer.from(`${JSON.stringify(header)}\n`);
  return { data: Buffer.concat([first, rows]), startBytes: first.length };
}
