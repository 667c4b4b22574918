import { createCodingTools, readWholeFile, textOf, ToolError } from '@cairn/coding-agent';
import type { Workspace } from '@cairn/coding-agent';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { isUtf8 } from 'node:buffer';
import { pathOf } from './file-uri.ts';

/** A resource is sent in one message; as base64 this stays below what clients take by default (10 MB). */
const MOST_RESOURCE_BYTES = 4 * 1024 * 1024;

/** What a directory is called where types of content are named. */
export const DIRECTORY_TYPE = 'inode/directory';

async function typeOf(path: string, isText: boolean): Promise<string> {
  // Only who reads resources waits for the table of types.
  const { default: mime } = await import('mime');
  const type = mime.getType(path);
  if (!isText) return type ?? 'application/octet-stream';
  // The table takes `.ts` for video.
  return type !== null && /^(?:text\/|application\/(?:json|xml|javascript|toml|.*\+(?:json|xml)$))/u.test(type)
    ? type
    : 'text/plain';
}

function refusal(error: unknown, uri: string): unknown {
  if (!ToolError.isInstance(error)) return error;
  if (error.code === 'NOT_FOUND') return new ResourceNotFoundError(uri, error.message);
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { uri, reason: error.code });
}

/**
 * The content of the file that a URI names, under the sandbox of the tools: text when it is UTF-8, else its bytes. A
 * directory gives its listing.
 *
 * @throws {ProtocolError} for a URI that leads to nothing, or nowhere that is allowed, and for a file that is too large.
 */
export async function readResource(
  workspace: Workspace,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const path = pathOf(uri);
  if (path === undefined) {
    const message = `${uri} is no URI of a file of this machine. Name one such as file:///path/to/file, with other characters escaped.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri, reason: 'INVALID_INPUT' });
  }
  try {
    const { stat } = await workspace.resolve(path);
    if (stat?.kind === 'directory') {
      const listing = await createCodingTools({ workspace }).ls.execute({ path }, { signal });
      if (!listing.isError) return { contents: [{ uri, mimeType: 'text/plain', text: textOf(listing) }] };
    }
    const { bytes } = await readWholeFile(workspace, path, { maxBytes: MOST_RESOURCE_BYTES, signal });
    const isText = isUtf8(bytes) && !bytes.includes(0);
    const mimeType = await typeOf(path, isText);
    const content = isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
    return { contents: [{ uri, mimeType, ...content }] };
  } catch (error) {
    throw refusal(error, uri);
  }
}
