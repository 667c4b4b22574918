import { hash } from 'node:crypto';
import { MemoryError } from '../errors.ts';

/** The server that the environment names. */
export interface EmbeddingSettings {
  readonly model: string;
  /** The base URL with the version and without the query: `http://localhost:11434/v1`. */
  readonly url: string;
  /**
   * What people, and their consent, name the server by: the URL, and a hash of its query, which may hold a key:
   * `https://host/v1?… (8f3a6c1e90b2)`.
   */
  readonly server: string;
  /** The query of the URL, such as `api-version`. It may hold a key. */
  readonly query: Readonly<Record<string, string>>;
  readonly key: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const EXAMPLE = 'use one such as http://localhost:11434/v1 or https://host/v1.';

function invalid(summary: string, hint: string, option: string): MemoryError {
  return new MemoryError('INVALID_OPTION', [summary, hint], { option });
}

function isOwnMachine(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname);
}

/** Adds `/v1` to a URL without a path, and removes the path of the endpoint. */
function parseUrl(text: string): URL & { readonly base: string } {
  const wrong = (what: string, hint: string): MemoryError =>
    invalid(`CAIRN_EMBED_BASE_URL ${what}`, hint, 'CAIRN_EMBED_BASE_URL');
  const url = URL.parse(text);
  // A string that is not a URL may hold a key, such as one that was pasted into the wrong variable.
  if (url === null) throw wrong('is not a URL', `Correct it: ${EXAMPLE}`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw wrong(`has the protocol "${url.protocol}"`, `Write http:// or https:// before the host: ${EXAMPLE}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw wrong('contains a user or a password', 'Remove them, and pass the key as CAIRN_EMBED_API_KEY.');
  }
  const path = url.pathname.replace(/\/+$/u, '').replace(/\/embeddings$/u, '');
  return Object.assign(url, { base: `${url.origin}${path === '' ? '/v1' : path}` });
}

/** Two queries may be two servers. Their order makes no difference. */
function serverOf(url: string, query: Readonly<Record<string, string>>): string {
  const entries = Object.entries(query).toSorted(([left], [right]) => (left < right ? -1 : 1));
  if (entries.length === 0) return url;
  return `${url}?… (${hash('sha256', JSON.stringify(entries), 'hex').slice(0, 12)})`;
}

/**
 * Returns the server of embeddings that the environment names: `CAIRN_EMBED_BASE_URL`, `CAIRN_EMBED_MODEL` and, if the server needs
 * one, `CAIRN_EMBED_API_KEY`. An empty variable counts as not set. `undefined` when none is named.
 *
 * @throws {MemoryError} `INVALID_OPTION` when a variable is missing or invalid.
 */
export function embeddingSettings(env: Environment): EmbeddingSettings | undefined {
  const valueOf = (name: string): string | undefined => env[name]?.trim() || undefined;
  const model = valueOf('CAIRN_EMBED_MODEL');
  const base = valueOf('CAIRN_EMBED_BASE_URL');
  if (model === undefined && base === undefined) return undefined;
  if (base === undefined) {
    const hint = `Set it to the URL of the server: ${EXAMPLE}`;
    throw invalid('CAIRN_EMBED_MODEL is set, and CAIRN_EMBED_BASE_URL is not', hint, 'CAIRN_EMBED_BASE_URL');
  }
  if (model === undefined) {
    const hint = 'Set it to a model of the server, such as nomic-embed-text.';
    throw invalid('CAIRN_EMBED_BASE_URL is set, and CAIRN_EMBED_MODEL is not', hint, 'CAIRN_EMBED_MODEL');
  }
  const url = parseUrl(base);
  const key = valueOf('CAIRN_EMBED_API_KEY');
  if (key !== undefined && !/^[\x21-\x7e]+$/u.test(key)) {
    const summary = 'CAIRN_EMBED_API_KEY contains spaces or characters outside ASCII';
    throw invalid(summary, 'Copy the key again.', 'CAIRN_EMBED_API_KEY');
  }
  if (key !== undefined && url.protocol === 'http:' && !isOwnMachine(url.hostname)) {
    const summary = `CAIRN_EMBED_API_KEY would be sent unencrypted to ${url.base}`;
    throw invalid(summary, 'Use https://, or a server on this machine.', 'CAIRN_EMBED_BASE_URL');
  }
  const query = Object.fromEntries(url.searchParams);
  return { model, url: url.base, server: serverOf(url.base, query), query, key };
}
