import { textOf, type ResourceContent } from '@cairn/tool';
import { isUtf8 } from 'node:buffer';
import { readWholeFile } from '../files/read-whole-file.ts';
import { ownNames } from '../tools/bind.ts';
import { lsTool } from '../tools/ls.ts';
import type { Workspace } from '../workspace.ts';
import { pathOf } from './file-uri.ts';

/** One message carries the whole resource; as base64 this stays below the default limit of clients (10 MB). */
const MAX_RESOURCE_BYTES = 4 * 1024 * 1024;

export const DIRECTORY_TYPE = 'inode/directory';

async function typeOf(path: string, isText: boolean): Promise<string> {
  // Loaded here, so that clients which read no resource do not wait for the table of types.
  const { default: mime } = await import('mime');
  const type = mime.getType(path);
  if (!isText) return type ?? 'application/octet-stream';
  // The table takes `.ts` for video.
  return type !== null && /^(?:text\/|application\/(?:json|xml|javascript|toml|.*\+(?:json|xml)$))/u.test(type)
    ? type
    : 'text/plain';
}

/**
 * Reads the file of a URI under the sandbox of the tools: UTF-8 as text, anything else as bytes, a directory as its listing.
 * Returns `undefined` for a URI that is not a file URI of this machine. At most 4 MiB.
 *
 * @throws {ToolError} for a path that is missing, not allowed or too large.
 */
export async function readResource(
  workspace: Workspace,
  uri: string,
  signal: AbortSignal,
): Promise<readonly ResourceContent[] | undefined> {
  const path = pathOf(uri);
  if (path === undefined) return undefined;
  const { stat } = await workspace.resolve(path);
  if (stat?.kind === 'directory') {
    const listing = await lsTool.run({ path }, { workspace, names: ownNames, signal, dryRun: false });
    return [{ uri, mimeType: 'text/plain', text: textOf(listing) }];
  }
  const { bytes } = await readWholeFile(workspace, path, { maxBytes: MAX_RESOURCE_BYTES, signal });
  const isText = isUtf8(bytes) && !bytes.includes(0);
  const mimeType = await typeOf(path, isText);
  return [{ uri, mimeType, ...(isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }) }];
}
