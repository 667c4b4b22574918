import { hash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Hosts whose paths do not depend on case. */
const FOLDING: ReadonlySet<string> = new Set(['github.com', 'gitlab.com', 'bitbucket.org']);
/** Other names of a host, for networks that block SSH. */
const ALIASES: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
};

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function named(host: string, path: string): string {
  const known = ALIASES[host.toLowerCase()] ?? host.toLowerCase();
  const name = path.replaceAll(/^\/+|(?:\.git)?\/*$/gu, '');
  return `${known}/${FOLDING.has(known.replace(/:\d+$/u, '')) ? name.toLowerCase() : name}`;
}

function fromUrl(url: string): string | undefined {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  if (protocol === 'file:') return attemptPath(url);
  if (hostname === '') return undefined;
  // The port of SSH says nothing about the repository: the same server has another one for HTTPS.
  const isWeb = protocol === 'https:' || protocol === 'http:';
  // Some servers name the repository in the query: https://example.com/git?repository=app
  return `${named(isWeb && port !== '' ? `${hostname}:${port}` : hostname, decoded(pathname))}${search}`;
}

function attemptPath(url: string): string | undefined {
  try {
    return `/${fileURLToPath(url).replaceAll(/^[\\/]+|(?:\.git)?[\\/]*$/gu, '')}`;
  } catch {
    return undefined;
  }
}

/**
 * Returns the repository that the URL of a remote names, such as `github.com/acme/app`: equal for SSH and HTTPS, and without user
 * and password. `undefined` for a relative path, which means nothing elsewhere.
 */
function remoteName(url: string): string | undefined {
  const text = url.trim();
  if (isAbsolute(text)) return `/${text.replaceAll(/^[\\/]+|(?:\.git)?[\\/]*$/gu, '')}`;
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(text)) return URL.canParse(text) ? fromUrl(text) : undefined;
  // git@github.com:acme/app.git
  const [, host, path = ''] = /^(?:[^@/\s]{1,256}@)?([\w.-]{2,255}):(?!\/\/)(.+)$/su.exec(text) ?? [];
  return host === undefined ? undefined : named(host, path);
}

/** Returns the form in which a remote is stored: a hash, so that the store has neither its name nor a token in its URL. */
export function remoteMark(url: string): string | undefined {
  const name = remoteName(url);
  return name === undefined ? undefined : hash('sha256', `remote ${name}`, 'base64url').slice(0, 22);
}
