import { isMissing } from '@cairn/tool/kernel';
import { explaining } from '@cairn/tool/internal';
import { succeed, ToolError, type ToolSuccess } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { quotePath } from '@cairn/tool/paths';
import { join } from 'node:path';
import { z } from 'zod';
import { requireExisting } from '../files/near-names.ts';
import { OWN_TEMPORARY, type FileKind, type FileOperations } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { inputSchema } from './input.ts';
import { brokenNameNotes, unreadableNotes } from './search.ts';
import { readOnly, type RunContext, type CodingToolSpec } from './spec.ts';

const QUOTED_ENTRIES =
  '[a name in quotes is a JSON string; to pass a path with such a name, quote all of it: "dir/a\\nb"]';

export const MAX_ENTRIES = 500;

const shape = {
  path: z.string().optional(),
  depth: z.int().min(1).max(20).optional().describe('levels, 1 by default'),
  limit: z.int().min(1).optional(),
  skip: z.int().min(0).optional(),
};

export interface LsInput {
  readonly path?: string | undefined;
  readonly depth?: number | undefined;
  readonly limit?: number | undefined;
  readonly skip?: number | undefined;
}

export interface ListedEntry {
  /** Relative to the listed directory, `/` separated. */
  readonly path: string;
  readonly kind: FileKind;
  /** The target of a link, as it is stored in the link. */
  readonly target?: string;
}

interface Listing {
  readonly entries: readonly ListedEntry[];
  /** The number of entries; a lower bound when `isTotalKnown` is false. */
  readonly total: number;
  readonly isTotalKnown: boolean;
  /** Directories below it that could not be read. */
  readonly unreadable: number;
  /** The first of them. */
  readonly unreadablePaths?: readonly string[];
}

interface ListingRequest {
  /** 1 lists the directory itself only. */
  readonly depth: number;
  readonly limit: number;
  readonly skip: number;
  readonly signal: AbortSignal | undefined;
}

/** How many entries after the skipped ones are counted. */
const MAX_COUNTED = 20_000;

const MAX_NAMED = 16;

/**
 * Lists a directory in the order of names, the content of a directory after it. Hidden names are included, but the content of
 * `.git` is not, and links are not followed. Our own temporary files are left out.
 */
async function listDirectory(
  operations: FileOperations,
  directory: ResolvedPath,
  request: ListingRequest,
): Promise<Listing> {
  const entries: ListedEntry[] = [];
  let total = 0;
  const unread: string[] = [];
  let isTotalKnown = true;
  const most = request.skip + MAX_COUNTED;
  const visit = async (path: string, prefix: string, depth: number): Promise<void> => {
    const listed = await (operations.listCached?.(path) ?? operations.list(path));
    // By code units, so that the order is the same on every machine.
    for (const { name, kind } of listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      request.signal?.throwIfAborted();
      if (kind === 'file' && OWN_TEMPORARY.test(name)) continue;
      if (total >= most) {
        isTotalKnown = false;
        return;
      }
      total++;
      const shown = prefix + name;
      if (total > request.skip && entries.length < request.limit) {
        entries.push({ path: shown, kind, ...(kind === 'symlink' && (await targetOf(operations, join(path, name)))) });
      }
      if (kind !== 'directory' || depth === 1 || name === '.git') continue;
      try {
        await visit(join(path, name), `${shown}/`, depth - 1);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!isMissing(error)) unread.push(shown);
      }
    }
  };
  await explaining(directory.display, () => visit(directory.real, '', request.depth));
  const named = unread.length > 0 && { unreadablePaths: unread.slice(0, MAX_NAMED) };
  return { entries, total, isTotalKnown, unreadable: unread.length, ...named };
}

async function targetOf(operations: FileOperations, path: string): Promise<{ readonly target?: string }> {
  try {
    return { target: await operations.readLink(path) };
  } catch {
    // The link is gone or unreadable: it is listed without its target.
    return {};
  }
}

export interface LsDetails extends Listing {
  readonly path: string;
  readonly skip: number;
}

function header({ path: shown, entries, total, isTotalKnown, skip }: LsDetails): string {
  const path = quotePath(shown);
  if (total === 0) return `[${path}: empty directory]`;
  const all = `${isTotalKnown ? '' : 'at least '}${count(total, 'entry', 'entries')}`;
  if (entries.length === 0) return `[${path}: no more entries: there are ${isTotalKnown ? '' : 'at least '}${total}]`;
  if (entries.length === total) return `[${path}: ${all}]`;
  return `[${path}: entries ${skip + 1}-${skip + entries.length} of ${all}]`;
}

/** Returns the line of an entry: directories end with `/`, links show their target. */
function entryText({ path, kind, target }: ListedEntry): string {
  if (kind === 'directory') return quotePath(`${path}/`);
  if (kind === 'symlink') return `${quotePath(path)} -> ${target === undefined ? '?' : quotePath(target)}`;
  return kind === 'other' ? `${quotePath(path)} (not a regular file)` : quotePath(path);
}

/** Returns the listing of a directory that is empty or does not exist yet. */
export function emptyListing(path: string): ToolSuccess<LsDetails> {
  const details: LsDetails = { path, skip: 0, entries: [], total: 0, isTotalKnown: true, unreadable: 0 };
  return succeed(header(details), details);
}

export async function listingOf(
  directory: ResolvedPath,
  request: Omit<ListingRequest, 'signal'>,
  { workspace, names, signal }: RunContext,
): Promise<ToolSuccess<LsDetails>> {
  const listing = await listDirectory(workspace.operations, directory, { ...request, signal });
  const details: LsDetails = { path: directory.path, skip: request.skip, ...listing };
  const notes: string[] = [];
  const shown = request.skip + listing.entries.length;
  if (listing.entries.length > 0 && (shown < listing.total || !listing.isTotalKnown)) {
    const next = names.setting('ls', 'skip', `${shown}`);
    const limit = count(request.limit, 'entry', 'entries');
    notes.push(`[cut by the limit of ${limit}; continue with ${names.tool('ls')} ${next}]`);
  }
  notes.push(...unreadableNotes(listing.unreadable, ['directory', 'directories'], listing.unreadablePaths));
  notes.push(...brokenNameNotes(listing.entries.filter(({ path }) => path.includes('\ufffd')).length));
  const lines = listing.entries.map(entryText);
  if (lines.some((line) => line.startsWith('"'))) notes.push(QUOTED_ENTRIES);
  return succeed([header(details), ...lines, ...notes].join('\n'), details);
}

export const lsTool: CodingToolSpec<LsInput, LsDetails> = {
  name: 'ls',
  description: 'List a directory; names of directories end with /.',
  shape,
  inputSchema: inputSchema(shape),
  annotations: readOnly('List a directory'),
  async run({ path = '.', depth = 1, limit = MAX_ENTRIES, skip = 0 }, context) {
    const target = await context.workspace.resolve(path);
    const stat = await requireExisting(context.workspace, target);
    if (stat.kind !== 'directory') {
      const hint = `Read it with ${context.names.tool('read')}, or list the directory that contains it.`;
      throw new ToolError('NOT_A_DIRECTORY', [`${target.display} is not a directory`, hint], { path: target.display });
    }
    return listingOf(target, { depth, limit: Math.min(limit, MAX_ENTRIES), skip }, context);
  },
};
