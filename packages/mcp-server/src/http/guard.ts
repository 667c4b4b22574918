import { localhostHostValidation, localhostOriginValidation } from '@modelcontextprotocol/node';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { refuseOn } from './refusal.ts';

const TOKEN_BYTES = 32;

/** Makes a random bearer token of 256 bits, in base64url. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Makes a check whether an `Authorization` header has the token. It takes constant time. */
export function createTokenCheck(token: string): (header: string | undefined) => boolean {
  const wanted = digestOf(token);
  return (header = '') => {
    const [, given = ''] = /^Bearer +(\S+) *$/iu.exec(header) ?? [];
    return timingSafeEqual(digestOf(given), wanted);
  };
}

/** The path of the endpoint. */
export const PATH = '/mcp';

const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];

/** Returns whether a request is allowed, and answers a request that is not. */
export type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Checks in this order: `Host` and `Origin`, against DNS rebinding; the token, when there is one; the path; the method. */
export function createGuard(token: string | undefined): Guard {
  const checks: readonly Guard[] = [localhostHostValidation(), localhostOriginValidation()];
  const hasToken = token === undefined ? undefined : createTokenCheck(token);
  return (request, response) => {
    // The SDK's check ignores a user before the host and a path after it.
    if (/[^\w.:[\]-]/u.test(request.headers.host ?? '')) {
      const message = `invalid Host ${request.headers.host}; use localhost or 127.0.0.1`;
      refuseOn(response, { status: 403, message });
      return false;
    }
    if (!checks.every((check) => check(request, response))) return false;
    if (hasToken && !hasToken(request.headers.authorization)) {
      const message = "unauthorized; send the server's token as 'Authorization: Bearer <token>'";
      refuseOn(response, { status: 401, message, headers: { 'WWW-Authenticate': 'Bearer' } });
      return false;
    }
    // The raw target: URL would parse `//host/mcp` as the path of another host.
    if (request.url?.replace(/[?#].*$/u, '') !== PATH) {
      refuseOn(response, { status: 404, message: `unknown path ${request.url}; use ${PATH}` });
      return false;
    }
    if (!METHODS.includes(request.method ?? '')) {
      const Allow = METHODS.join(', ');
      const message = `method ${request.method} is not allowed; use ${Allow}`;
      refuseOn(response, { status: 405, message, headers: { Allow } });
      return false;
    }
    return true;
  };
}
