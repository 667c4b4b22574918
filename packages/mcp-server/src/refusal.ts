import type { ServerResponse } from 'node:http';

/** The code of errors that are the server's own, as the SDK has it. */
const SERVER_ERROR = -32_000;

function bodyOf(code: number, message: string): object {
  return { jsonrpc: '2.0', error: { code, message }, id: null };
}

/** A request that is not served, and why, as JSON-RPC. */
export function refuse(status: number, message: string, code: number = SERVER_ERROR): Response {
  return Response.json(bodyOf(code, message), { status });
}

/** The same, before there is a request of the web's kind. */
export function refuseOn(
  response: ServerResponse,
  status: number,
  {
    message,
    headers = {},
    code = SERVER_ERROR,
  }: {
    readonly message: string;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly code?: number | undefined;
  },
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(bodyOf(code, message)));
}
