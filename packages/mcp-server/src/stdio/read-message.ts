import { isObject } from '@cairn/tool/kernel';
import { parseJSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { toError } from '../transport.ts';
import type { OversizedLine } from './line-reader.ts';

/** An error of JSON-RPC. The SDK's type has no `null` for the id. */
export interface ErrorResponse {
  readonly jsonrpc: '2.0';
  /** `null` when the message had no readable id. */
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

export function invalidRequest(id: RequestId | null, what: string): ErrorResponse {
  const error = { code: ProtocolErrorCode.InvalidRequest, message: `invalid request: ${what}` };
  return { jsonrpc: '2.0', id, error };
}

/** Returns the id in a value that is not a valid message, so that the client can match the answer. */
function idIn(value: unknown): RequestId | null {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Returns the id of a request that was too long to keep. Clients write it at the beginning or at the end. */
export function idAround({ head, tail }: OversizedLine): RequestId | null {
  const id = String.raw`"jsonrpc":"2\.0","id":(\d+|"[^"\\]*")`;
  const found = new RegExp(String.raw`^\{${id},`, 'u').exec(head) ?? new RegExp(String.raw`,${id}\}$`, 'u').exec(tail);
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as RequestId);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Returns whether a line holds only spaces. */
export function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** Parses one line into a message, or into the error that answers an invalid line. */
export function readMessage(
  line: Uint8Array,
): { readonly message: JSONRPCMessage } | { readonly refused: ErrorResponse } {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch (error) {
    const message = `parse error: ${toError(error).message}; send one JSON object per line, in UTF-8`;
    return { refused: { jsonrpc: '2.0', id: null, error: { code: ProtocolErrorCode.ParseError, message } } };
  }
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    const what = 'not a JSON-RPC 2.0 message; send an object with jsonrpc, method and, for a request, id';
    return { refused: invalidRequest(idIn(value), what) };
  }
}
