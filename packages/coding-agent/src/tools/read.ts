import { z } from 'zod';
import { ToolError } from '../errors.ts';
import { inputSchema } from '../input.ts';
import { tagOf } from '../ledger.ts';
import type { FileRecord } from '../ledger.ts';
import { openResolved } from '../mutation/snapshot.ts';
import { requireExisting } from '../near-names.ts';
import { readOnly } from '../spec.ts';
import type { Names, ToolSpec } from '../spec.ts';
import { succeed } from '../tool.ts';
import { formatBytes } from './format.ts';
import { readPage } from './read-page.ts';
import type { Page } from './read-page.ts';

const MAX_LINES = 2000;
const MAX_BYTES = 50 * 1024;
const MAX_COLUMNS = 2000;

const shape = {
  path: z.string(),
  offset: z.int().min(1).optional().describe('first line, from 1'),
  limit: z.int().min(1).optional().describe('lines'),
  encoding: z.string().optional().describe('when not UTF-8 or UTF-16'),
};

/** The parameters of `read`. */
export interface ReadInput {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly encoding?: string | undefined;
}

/** What `read` found. */
export interface ReadDetails {
  readonly kind: 'text';
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly tag: string;
  readonly encoding: string;
  /** The first shown line, from 1. */
  readonly offset: number;
  readonly shownLines: number;
  /** Absent when the file was not read to its end. */
  readonly totalLines?: number;
  readonly limit?: Page['limit'];
}

/** What the content tag stands for, when not for the whole file. */
function tagText(record: FileRecord): string {
  const tag = `tag ${tagOf(record.hash)}`;
  return record.length < record.size ? `${tag} of the first ${record.length} bytes` : tag;
}

function header(path: string, page: Page, offset: number): string {
  const { lines, totalLines, encoding, lineEnds, record } = page;
  const last = offset + lines.length - 1;
  const range =
    lines.length === 0 ? 'empty' : `lines ${offset}-${last}${totalLines === undefined ? '' : ` of ${totalLines}`}`;
  const notes = [range, formatBytes(record.size), tagText(record)];
  if (encoding.label !== 'utf-8') notes.push(encoding.label);
  if (encoding.mark.length > 0) notes.push('byte order mark');
  if (lineEnds.crlf > 0) notes.push(lineEnds.lf > 0 ? 'mixed CRLF and LF line ends' : 'CRLF line ends');
  if (page.invalid) notes.push(`\ufffd stands for bytes that are no ${encoding.label}`);
  return `[${path}: ${notes.join(', ')}]`;
}

function notice(page: Page, offset: number, names: Names): string[] {
  const notes: string[] = [];
  const next = offset + page.lines.length;
  const parameter = `${names.parameter('read', 'offset')}=${next}`;
  const why = {
    lines: 'the limit of lines',
    bytes: `the limit of ${MAX_BYTES} bytes`,
    scan: 'a line that goes on for megabytes',
  };
  if (page.limit !== undefined) {
    const total = page.totalLines === undefined ? 'more follow' : `${page.totalLines - next + 1} more lines follow`;
    const go = page.limit === 'scan' ? 'search it with grep' : `go on with ${parameter}`;
    notes.push(`[cut by ${why[page.limit]}: ${total}; ${go}]`);
  }
  if (page.cutLines > 0) notes.push(`[${page.cutLines} lines cut to ${MAX_COLUMNS} characters]`);
  return notes;
}

/** Reads a part of a file. */
export const readTool: ToolSpec<ReadInput, ReadDetails> = {
  name: 'read',
  description: 'Read a text file, an image, or the listing of a directory.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: readOnly('Read a file'),
  async run(input, { workspace, names, signal }) {
    const target = await workspace.resolve(input.path);
    await requireExisting(workspace, target);
    const { offset = 1, limit = MAX_LINES } = input;
    const request = {
      offset,
      maxLines: Math.min(limit, MAX_LINES),
      maxBytes: MAX_BYTES,
      maxColumns: MAX_COLUMNS,
      encoding: input.encoding,
    };
    const page = await openResolved(workspace.operations, target, (file, stat) =>
      readPage(file, stat, request, signal),
    );
    const path = target.display;
    const { record, totalLines } = page;
    if (page.binary) {
      const summary = `${path} is no text: ${formatBytes(record.size)} of binary data`;
      throw new ToolError('BINARY', [summary, 'Only text and images can be read.'], { path });
    }
    if (page.lines.length === 0 && totalLines !== undefined && offset > Math.max(1, totalLines)) {
      const summary = `${path} has ${totalLines} lines, so there is no line ${offset}`;
      throw new ToolError('INVALID_INPUT', [summary, `Read it from line 1 to ${totalLines}.`], { path });
    }
    workspace.ledger.record(target.real, record);
    const text = [header(path, page, offset), ...page.lines, ...notice(page, offset, names)].join('\n');
    return succeed(text, {
      kind: 'text',
      path,
      size: record.size,
      tag: tagOf(record.hash),
      encoding: page.encoding.label,
      offset,
      shownLines: page.lines.length,
      ...(totalLines !== undefined && { totalLines }),
      ...(page.limit && { limit: page.limit }),
    });
  },
};
