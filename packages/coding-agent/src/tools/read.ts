import { succeed, ToolError, type ToolSuccess } from '@cairn/tool';
import { count, formatBytes } from '@cairn/tool/prompt';
import { z } from 'zod';
import { tagOf } from '../files/content-hash.ts';
import { recordOf, type FileRecord } from '../files/ledger.ts';
import { requireExisting } from '../files/near-names.ts';
import { openResolved } from '../files/open-resolved.ts';
import { readBytes, type FileStat, type OpenFile } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { sniffType, SNIFF_BYTES } from './file-type.ts';
import { inputSchema } from './input.ts';
import { listingOf, MAX_ENTRIES, type LsDetails } from './ls.ts';
import type { PageLimit } from './page-lines.ts';
import { readPage, type Page } from './read-page.ts';
import { readOnly, type Names, type RunContext, type RegisteredToolSpec } from './spec.ts';

const MAX_LINES = 2000;
const MAX_BYTES = 50 * 1024;
const MAX_COLUMNS = 2000;

/** As base64 this stays below the 5 MB that model hosts accept. */
const MAX_IMAGE_BYTES = 3_750_000;

const shape = {
  path: z.string(),
  offset: z.int().min(1).optional().describe('first line, from 1'),
  limit: z.int().min(1).optional().describe('number of lines'),
  encoding: z.string().optional().describe('if not UTF-8 or UTF-16'),
};

export interface ReadInput {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly encoding?: string | undefined;
}

/** A part of a text file. */
interface ReadTextDetails {
  readonly kind: 'text';
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The content tag: of the whole file, or of its first `taggedBytes`. */
  readonly tag: string;
  readonly taggedBytes: number;
  readonly encoding: string;
  /** The lines, without line ends; some may be cut. */
  readonly lines: readonly string[];
  /** The number of the first line, from 1. */
  readonly offset: number;
  /** Absent when the file was not read to its end. */
  readonly totalLines?: number;
  /** The limit that ended the page; absent when it reaches the end of the file. */
  readonly limit?: PageLimit;
  readonly cutLines: number;
}

/** An image; its data is in the content of the answer. */
interface ReadImageDetails {
  readonly kind: 'image';
  readonly path: string;
  readonly size: number;
  readonly tag: string;
  readonly mimeType: string;
}

export type ReadDetails = ReadTextDetails | ReadImageDetails | (LsDetails & { readonly kind: 'directory' });

/** Returns the tag, with the bytes that it covers when it does not cover the whole file. */
function tagText({ hash, length, size }: FileRecord): string {
  const tag = `tag ${tagOf(hash)}`;
  return length < size ? `${tag} of the first ${length} bytes` : tag;
}

function rangeText({ lines, totalLines }: Page, offset: number): string {
  if (lines.length === 0) return totalLines === 0 ? 'empty' : 'no lines';
  const range = `lines ${offset}-${offset + lines.length - 1}`;
  return totalLines === undefined ? range : `${range} of ${totalLines}`;
}

function headerOf(path: string, page: Page, offset: number): string {
  const { encoding, lineEnds, record, isBroken } = page;
  const notes = [rangeText(page, offset), formatBytes(record.size), tagText(record)];
  if (encoding.label !== 'utf-8') notes.push(encoding.label);
  if (encoding.mark.length > 0 && encoding.unit === 1) notes.push('byte order mark');
  if (lineEnds.crlf > 0) notes.push(lineEnds.lf > 0 ? 'CRLF and LF line ends' : 'CRLF line ends');
  if (isBroken) notes.push(`\ufffd stands for bytes that are not valid ${encoding.label}`);
  return `[${path}: ${notes.join(', ')}]`;
}

const cutBy: Readonly<Record<PageLimit, string>> = {
  lines: 'the number of lines',
  bytes: `the limit of ${formatBytes(MAX_BYTES)}`,
  scan: 'a very long line',
};

function notesOf({ limit, lines, totalLines, cutLines }: Page, offset: number, names: Names): string[] {
  const notes: string[] = [];
  const next = offset + lines.length;
  if (limit !== undefined) {
    const rest = totalLines === undefined ? 'more lines follow' : `${count(totalLines - next + 1, 'more line')}`;
    const call = limit === 'scan' ? names.tool('grep') : names.setting('read', 'offset', `${next}`);
    notes.push(`[cut by ${cutBy[limit]}: ${rest}; continue with ${call}]`);
  }
  if (cutLines > 0) notes.push(`[${count(cutLines, 'line')} cut to ${MAX_COLUMNS} characters]`);
  return notes;
}

function notText(path: string, size: number, type: string): ToolError {
  const summary = `${path} is not a text file: ${type}, ${formatBytes(size)}`;
  return new ToolError('BINARY', [summary, 'Only text and PNG, JPEG, GIF and WebP images can be read.'], { path });
}

async function readText(
  { input, context, target, type, note }: Request & { readonly type: string },
  file: OpenFile,
  stat: FileStat,
): Promise<ToolSuccess<ReadTextDetails>> {
  const { workspace, names, signal } = context;
  const { offset = 1, limit = MAX_LINES, encoding } = input;
  const limits = { maxLines: Math.min(limit, MAX_LINES), maxBytes: MAX_BYTES, maxColumns: MAX_COLUMNS };
  const page = await readPage(
    file,
    stat,
    { offset, ...limits, encoding },
    { known: workspace.ledger.get(target.real), signal },
  );
  const path = target.display;
  const { record, totalLines, lines } = page;
  if (page.isBinary) throw notText(path, record.size, type);
  if (lines.length === 0 && totalLines !== undefined && offset > Math.max(1, totalLines)) {
    const summary = `${path} has ${count(totalLines, 'line')}, so there is no line ${offset}`;
    const hint = `Give ${names.parameter('read', 'offset')} from 1 to ${Math.max(1, totalLines)}.`;
    throw new ToolError('INVALID_INPUT', [summary, hint], { path });
  }
  note(record);
  const text = [headerOf(path, page, offset), ...lines, ...notesOf(page, offset, names)].join('\n');
  return succeed(text, {
    kind: 'text',
    path: target.path,
    size: record.size,
    tag: tagOf(record.hash),
    taggedBytes: record.length,
    encoding: page.encoding.label,
    lines,
    offset,
    cutLines: page.cutLines,
    ...(totalLines !== undefined && { totalLines }),
    ...(page.limit && { limit: page.limit }),
  });
}

async function readImage(
  { target, type, note }: Request & { readonly type: string },
  mimeType: string,
  file: OpenFile,
): Promise<ToolSuccess<ReadImageDetails>> {
  const path = target.display;
  const { size } = await file.stat();
  if (size > MAX_IMAGE_BYTES) {
    const summary = `${path} is a ${type} of ${formatBytes(size)}, more than the ${formatBytes(MAX_IMAGE_BYTES)} that can be shown`;
    throw new ToolError('TOO_LARGE', [summary, 'Make a smaller copy of it and read that.'], { path });
  }
  const bytes = await readBytes(file);
  const record = recordOf(bytes);
  note(record);
  const text = `[${path}: ${type}, ${formatBytes(size)}, ${tagText(record)}]`;
  return {
    isError: false,
    content: [
      { type: 'text', text },
      { type: 'image', data: bytes.toString('base64'), mimeType },
    ],
    details: { kind: 'image', path: target.path, size, tag: tagOf(record.hash), mimeType },
  };
}

interface Request {
  readonly input: ReadInput;
  readonly context: RunContext;
  readonly target: ResolvedPath;
  /** Receives what the ledger should know when the answer is shown. */
  readonly note: (record: FileRecord) => void;
}

async function readAny(request: Request, file: OpenFile, stat: FileStat): Promise<ToolSuccess<ReadDetails>> {
  const head = Buffer.alloc(SNIFF_BYTES);
  const found = sniffType(head.subarray(0, await file.read(head, 0)));
  const type = found?.name ?? 'binary data';
  if (found?.imageType !== undefined) return readImage({ ...request, type }, found.imageType, file);
  return readText({ ...request, type }, file, stat);
}

interface UnshownAnswer {
  readonly result: ToolSuccess<ReadDetails>;
  /** Counts the content of the answer as read. */
  readonly countAsRead: () => void;
}

/** Reads like the tool; the content counts as read only when the caller says that it is shown. */
export async function readUnshown(input: ReadInput, context: RunContext): Promise<UnshownAnswer> {
  const { workspace } = context;
  const target = await workspace.resolve(input.path);
  const { kind } = await requireExisting(workspace, target);
  if (kind === 'directory') {
    const { offset = 1, limit = MAX_ENTRIES } = input;
    const request = { depth: 1, limit: Math.min(limit, MAX_ENTRIES), skip: offset - 1 };
    const { content, details } = await listingOf(target, request, context);
    return {
      result: { isError: false, content, details: { kind: 'directory', ...details } },
      countAsRead: () => undefined,
    };
  }
  const records: FileRecord[] = [];
  const request = { input, context, target, note: (record: FileRecord) => void records.push(record) };
  const result = await openResolved(workspace.operations, target, 'cached', (file, stat) =>
    readAny(request, file, stat),
  );
  const countAsRead = (): void => {
    for (const record of records) workspace.ledger.record(target.real, record);
    context.touched?.add(target.real);
  };
  return { result, countAsRead };
}

/** Reads a part of a text file, an image, or the listing of a directory. */
export const readTool: RegisteredToolSpec<ReadInput, ReadDetails> = {
  name: 'read',
  position: 10,
  description: 'Read a text file, an image or a directory. Long files in pages.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: readOnly('Read a file'),
  async run(input, context) {
    const { result, countAsRead } = await readUnshown(input, context);
    countAsRead();
    return result;
  },
};
