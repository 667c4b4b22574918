import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

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
