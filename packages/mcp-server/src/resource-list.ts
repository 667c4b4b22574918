import type { Workspace } from '@cairn/coding-agent';
import { FileType, glob } from '@cairn/natives';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ListResourcesResult, Resource } from '@modelcontextprotocol/server';
import { join } from 'node:path';
import { allowedOnly } from './allowed.ts';
import { uriOf } from './file-uri.ts';
import { DIRECTORY_TYPE } from './resource-read.ts';

/** Files of a root that are listed. Clients fetch all pages and show them to a person. */
const MOST_LISTED = 1000;

/** Files in a page. */
const PAGE = 200;

/** A scan of a tree that takes longer is listed as far as it came. */
const TIMEOUT_MS = 5000;

/** Where the next page starts: in which root, behind which path. */
interface Position {
  readonly root: number;
  readonly behind: string;
}

function cursorOf({ root, behind }: Position): string {
  return Buffer.from(JSON.stringify([root, behind])).toString('base64url');
}

function positionOf(cursor: string | undefined, roots: readonly string[]): Position {
  if (cursor === undefined) return { root: 0, behind: '' };
  try {
    const [root, behind] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof root === 'number' && roots[root] !== undefined && typeof behind === 'string') return { root, behind };
  } catch {
    // Told below.
  }
  const message = 'The cursor is none of this server. List again without one.';
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { cursor });
}

function rootResource(path: string): Resource {
  const description =
    `The directory itself. Any file in it can be read by its URI; the first ${MOST_LISTED} that are neither hidden nor ignored ` +
    'are listed.';
  return { uri: uriOf(path), name: path, title: path, description, mimeType: DIRECTORY_TYPE };
}

/**
 * A page of the files that can be read: each root, and its first files in the order of their paths. Paths stay where they
 * are when others come or go, so a page follows the one before it.
 */
export async function listResources(
  { workspace, roots }: { readonly workspace: Workspace; readonly roots: readonly string[] },
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const position = positionOf(cursor, roots);
  const root = roots[position.root] ?? '';
  const { matches } = await glob({
    pattern: '**/*',
    path: root,
    fileType: FileType.File,
    maxResults: MOST_LISTED,
    cache: true,
    timeoutMs: TIMEOUT_MS,
    onTimeout: 'partial',
    signal,
  });
  const start = Buffer.from(position.behind);
  const rest = matches.filter(
    ({ path, lossyPath }) =>
      lossyPath !== true && (position.behind === '' || Buffer.compare(Buffer.from(path), start) > 0),
  );
  const files = rest.slice(0, PAGE).map(({ path }) => ({ name: path, path: join(root, path) }));
  const allowed = await allowedOnly(workspace, files);
  const page = allowed.map(({ name, path }): Resource => ({ uri: uriOf(path), name }));
  const resources = position.behind === '' ? [rootResource(root), ...page] : page;
  const last = rest[PAGE - 1];
  if (last && rest.length > PAGE)
    return { resources, nextCursor: cursorOf({ root: position.root, behind: last.path }) };
  const hasMoreRoots = position.root + 1 < roots.length;
  return { resources, ...(hasMoreRoots && { nextCursor: cursorOf({ root: position.root + 1, behind: '' }) }) };
}
