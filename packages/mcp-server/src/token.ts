import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A new token that nobody can guess. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether an `Authorization` header has the token. How long that takes says nothing about the token. */
export function createTokenCheck(token: string): (header: string | undefined) => boolean {
  const wanted = digestOf(token);
  return (header = '') => {
    const [, given = ''] = /^Bearer +(\S+) *$/iu.exec(header) ?? [];
    return timingSafeEqual(digestOf(given), wanted);
  };
}
