import { MemoryError } from '../errors.ts';

/** Returns the URL without user and password, for messages. */
export function shownUrl(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  } catch {
    return 'the server';
  }
}

/** Returns whether user and password are percent-encoded, as the driver expects. */
function isEscaped({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** @throws {MemoryError} `INVALID_OPTION`. The message leaves the URL out, because it may contain a password. */
export function checkUrl(url: string): void {
  if (URL.canParse(url) && /^rediss?:$/u.test(new URL(url).protocol) && isEscaped(new URL(url))) return;
  const summary = '[memory:redis] The url is not a Redis URL';
  throw new MemoryError('INVALID_OPTION', [summary, 'Use redis://user:password@host:6379/0, percent-encoded.'], {
    option: 'url',
  });
}
