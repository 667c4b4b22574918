import type { IncomingMessage } from 'node:http';
import { toError } from '../transport.ts';
import type { Refusal } from './refusal.ts';

function tooLong(maxBytes: number): { readonly refused: Refusal } {
  const message = `the message is longer than the limit of ${maxBytes} bytes; send a shorter message`;
  // The rest of the body stays unread, so the connection cannot be used again.
  return { refused: { status: 413, message, headers: { Connection: 'close' } } };
}

/**
 * Reads the body of a POST as JSON, or returns the answer to an invalid body. Other methods have no body.
 *
 * The SDK would replace bytes that are not valid UTF-8, and a tool would then write the replacements into a file.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly body: unknown } | { readonly refused: Refusal }> {
  if (request.method !== 'POST') return { body: undefined };
  if (Number(request.headers['content-length']) > maxBytes) return tooLong(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  // Destroying the request would close the connection before the client has the reason.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return tooLong(maxBytes);
    chunks.push(chunk);
  }
  try {
    return { body: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))) as unknown };
  } catch (error) {
    const message = `parse error: ${toError(error).message}; send one JSON object, in UTF-8`;
    return { refused: { status: 400, message, code: -32_700 } };
  }
}
