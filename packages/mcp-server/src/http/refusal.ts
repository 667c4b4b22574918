import type { ServerResponse } from 'node:http';

/** The code of JSON-RPC for errors of the server, as the SDK uses it. */
const SERVER_ERROR = -32_000;

function bodyOf(code: number, message: string): object {
  return { jsonrpc: '2.0', error: { code, message }, id: null };
}

/** Makes the response to a request that is not served: the reason as an error of JSON-RPC. */
export function refuse(status: number, message: string, code: number = SERVER_ERROR): Response {
  return Response.json(bodyOf(code, message), { status });
}

/** The answer to a request that is not served. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly code?: number | undefined;
}

/** Like {@link refuse}, on the response of Node's server. */
export function refuseOn(response: ServerResponse, refusal: Refusal): void {
  const { status, message, headers = {}, code = SERVER_ERROR } = refusal;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(bodyOf(code, message)));
}
