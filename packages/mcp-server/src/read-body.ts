import type { IncomingMessage } from 'node:http';

/** Why a body is none that can be served. */
interface BodyRefusal {
  readonly status: number;
  readonly message: string;
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function tooLong(maxBytes: number): { readonly refused: BodyRefusal } {
  const message = `The message has more than the ${maxBytes} bytes that are taken; send less at once.`;
  // The rest is not read.
  return { refused: { status: 413, message, headers: { Connection: 'close' } } };
}

/**
 * The body of a POST as JSON; a failure as the answer to it. The SDK would put a replacement for bytes that are no UTF-8, which a
 * tool would then write into a file.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly body: unknown } | { readonly refused: BodyRefusal }> {
  if (request.method !== 'POST') return { body: undefined };
  if (Number(request.headers['content-length']) > maxBytes) return tooLong(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  // A request that is destroyed takes the connection with it, and nobody would hear why.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return tooLong(maxBytes);
    chunks.push(chunk);
  }
  try {
    return { body: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))) as unknown };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const message = `Parse error: ${what}. Send one JSON object, in UTF-8.`;
    return { refused: { status: 400, message, code: -32_700 } };
  }
}
