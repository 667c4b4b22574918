import { succeed, ToolError, type ToolSuccess } from '@cairn/tool';
import { count } from '@cairn/tool/prompt';
import { quotePath } from '@cairn/tool/paths';
import { z } from 'zod';
import { requireExisting } from '../files/near-names.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { inputSchema } from './input.ts';
import { brokenNameNotes, entryText, listDirectory, unreadableNotes } from './listing.ts';
import type { Listing, ListingRequest } from './listing.ts';
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
