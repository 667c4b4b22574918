import { FileType, glob } from '@cairn/natives';
import { ToolError, type Resource, type ResourcePage } from '@cairn/tool';
import { escapeControls, quotePath } from '@cairn/tool/paths';
import { join } from 'node:path';
import type { Workspace } from '../workspace.ts';
import { allowedOnly } from './allowed.ts';
import { uriOf } from './file-uri.ts';
import { DIRECTORY_TYPE } from './read.ts';

/** Files of a root that are listed. Clients fetch all pages and show them to a person. */
const MAX_LISTED = 1000;

const PAGE_SIZE = 200;

/** When a scan takes longer, the list has what it found until then. */
const TIMEOUT_MS = 5000;

/** Writes where a page starts: in which root, after which path. */
function cursorOf(root: number, after: string): string {
  return Buffer.from(JSON.stringify([root, after])).toString('base64url');
}

function positionOf(
  cursor: string | undefined,
  roots: readonly string[],
): { readonly root: number; readonly after: string } {
  if (cursor === undefined) return { root: 0, after: '' };
  try {
    const [root, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof root === 'number' && roots[root] !== undefined && typeof after === 'string') return { root, after };
  } catch {
    // Not JSON: rejected below.
  }
  const summary = `The cursor ${escapeControls(JSON.stringify(cursor))} is invalid`;
  throw new ToolError('INVALID_INPUT', [summary, 'List again without one.']);
}

function rootResource(path: string): Resource {
  const description =
    `The directory itself. Any file in it can be read by its URI; the first ${MAX_LISTED} that are neither hidden nor ignored ` +
    'are listed.';
  const name = quotePath(path);
  return { uri: uriOf(path), name, title: name, description, mimeType: DIRECTORY_TYPE };
}

/**
 * Returns one page of the readable files: each root, then its first files in the order of their paths. A path keeps its
 * place when other files come or go, so each page continues the one before it.
 *
 * @throws {ToolError} `INVALID_INPUT` for an unknown cursor.
 */
export async function listResources(
  { workspace, roots }: { readonly workspace: Workspace; readonly roots: readonly string[] },
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ResourcePage> {
  const position = positionOf(cursor, roots);
  const root = roots[position.root] ?? '';
  const { matches } = await glob({
    pattern: '**/*',
    path: root,
    fileType: FileType.File,
    maxResults: MAX_LISTED,
    cache: true,
    timeoutMs: TIMEOUT_MS,
    onTimeout: 'partial',
    signal,
  });
  const start = Buffer.from(position.after);
  const rest = matches.filter(({ path, lossyPath }) => !lossyPath && Buffer.compare(Buffer.from(path), start) > 0);
  const files = rest.slice(0, PAGE_SIZE).map(({ path }) => ({ name: path, path: join(root, path) }));
  const allowed = await allowedOnly(workspace, files);
  const page = allowed.map(({ name, path }): Resource => ({ uri: uriOf(path), name: quotePath(name) }));
  const resources = position.after === '' ? [rootResource(root), ...page] : page;
  const last = rest[PAGE_SIZE - 1];
  if (last && rest.length > PAGE_SIZE) {
    return { resources, nextCursor: cursorOf(position.root, last.path) };
  }
  const hasMoreRoots = position.root + 1 < roots.length;
  return { resources, ...(hasMoreRoots && { nextCursor: cursorOf(position.root + 1, '') }) };
}
