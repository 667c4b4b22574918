import { succeed, ToolError, type ToolSuccess } from '@cairn/tool';
import { count, formatBytes } from '@cairn/tool/prompt';
import { z } from 'zod';
import { tagOf } from '../files/content-hash.ts';
import { recordOf, type FileRecord } from '../files/ledger.ts';
import { requireExisting } from '../files/near-names.ts';
import { openResolved } from '../files/open-resolved.ts';
import { readBytes, type FileStat, type OpenFile } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { sniffType, SNIFF_BYTES, type SniffedType } from './file-type.ts';
import { inputSchema } from './input.ts';
import { listingOf, MAX_ENTRIES, type LsDetails } from './ls.ts';
import { readPage, type Page, type PageLimit } from './read-page.ts';
import { readOnly, type Names, type RunContext, type CodingToolSpec } from './spec.ts';

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

/** An answer about a file, and what the ledger should know when it is shown. */
interface FileAnswer {
  readonly result: ToolSuccess<ReadDetails>;
  readonly record: FileRecord;
}

interface Request {
  readonly input: ReadInput;
  readonly context: RunContext;
  readonly target: ResolvedPath;
}

async function readText(
  { input, context: { workspace, names, signal }, target }: Request,
  type: string,
  file: OpenFile,
  stat: FileStat,
): Promise<FileAnswer> {
  const { offset = 1, limit = MAX_LINES, encoding } = input;
  const maxLines = Math.min(limit, MAX_LINES);
  const request = { offset, maxLines, maxBytes: MAX_BYTES, maxColumns: MAX_COLUMNS, encoding };
  const page = await readPage(file, stat, request, { known: workspace.ledger.get(target.real), signal });
  const path = target.display;
  const { record, totalLines, lines } = page;
  if (page.isBinary) {
    const summary = `${path} is not a text file: ${type}, ${formatBytes(record.size)}`;
    throw new ToolError('BINARY', [summary, 'Only text and PNG, JPEG, GIF and WebP images can be read.'], { path });
  }
  if (lines.length === 0 && totalLines !== undefined && offset > Math.max(1, totalLines)) {
    const summary = `${path} has ${count(totalLines, 'line')}, so there is no line ${offset}`;
    const hint = `Give ${names.parameter('read', 'offset')} from 1 to ${Math.max(1, totalLines)}.`;
    throw new ToolError('INVALID_INPUT', [summary, hint], { path });
  }
  const text = [headerOf(path, page, offset), ...lines, ...notesOf(page, offset, names)].join('\n');
  const details: ReadTextDetails = {
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
  };
  return { result: succeed(text, details), record };
}

async function readImage(
  { display, path }: ResolvedPath,
  { name, imageType: mimeType }: SniffedType & { readonly imageType: string },
  file: OpenFile,
): Promise<FileAnswer> {
  const { size } = await file.stat();
  if (size > MAX_IMAGE_BYTES) {
    const summary = `${display} is a ${name} of ${formatBytes(size)}, more than the ${formatBytes(MAX_IMAGE_BYTES)} that can be shown`;
    throw new ToolError('TOO_LARGE', [summary, 'Make a smaller copy of it and read that.'], { path: display });
  }
  const bytes = await readBytes(file);
  const record = recordOf(bytes);
  const text = `[${display}: ${name}, ${formatBytes(size)}, ${tagText(record)}]`;
  const { content, ...rest } = succeed(text, { kind: 'image', path, size, tag: tagOf(record.hash), mimeType } as const);
  return {
    result: { ...rest, content: [...content, { type: 'image', data: bytes.toString('base64'), mimeType }] },
    record,
  };
}

async function readFile(request: Request, file: OpenFile, stat: FileStat): Promise<FileAnswer> {
  const head = Buffer.alloc(SNIFF_BYTES);
  const found = sniffType(head.subarray(0, await file.read(head, 0)));
  const { name = 'binary data', imageType } = found ?? {};
  if (imageType !== undefined) return readImage(request.target, { name, imageType }, file);
  return readText(request, name, file, stat);
}

/** Reads like the tool; the content counts as read when the caller calls `countAsRead`, because it is shown. */
export async function readUnshown(
  input: ReadInput,
  context: RunContext,
): Promise<{ readonly result: ToolSuccess<ReadDetails>; readonly countAsRead: () => void }> {
  const { workspace } = context;
  const target = await workspace.resolve(input.path);
  const { kind } = await requireExisting(workspace, target);
  if (kind === 'directory') {
    const { offset = 1, limit = MAX_ENTRIES } = input;
    const request = { depth: 1, limit: Math.min(limit, MAX_ENTRIES), skip: offset - 1 };
    const { details, ...rest } = await listingOf(target, request, context);
    return { result: { ...rest, details: { kind, ...details } }, countAsRead: () => undefined };
  }
  const request = { input, context, target };
  const { result, record } = await openResolved(workspace.operations, target, 'cached', (file, stat) =>
    readFile(request, file, stat),
  );
  const countAsRead = (): void => {
    workspace.ledger.record(target.real, record);
    context.touched?.add(target.real);
  };
  return { result, countAsRead };
}

export const readTool: CodingToolSpec<ReadInput, ReadDetails> = {
  name: 'read',
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
