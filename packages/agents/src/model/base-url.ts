import { AgentError } from '../errors.ts';

export interface ServerAddress {
  /** The base URL with the version and without the query: `http://localhost:11434/v1`. */
  readonly url: string;
  /** The query of the URL, such as `api-version`. It may hold a key. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether what is sent can be read on the way: plain HTTP to another machine. */
  readonly isReadable: boolean;
}

const EXAMPLE = 'use one such as http://localhost:11434/v1 or https://host/v1.';

function isOwnMachine(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname);
}

/** Adds `/v1` to a URL without a path, and removes the path of the endpoint. @throws {AgentError} `INVALID_OPTION` */
export function parseBaseUrl(text: string): ServerAddress {
  const invalid = (what: string, hint: string): AgentError =>
    new AgentError('INVALID_OPTION', [`The base URL of the model ${what}`, hint], { option: 'baseUrl' });
  const url = URL.parse(text);
  // A text that is not a URL may hold a key too, such as one that was pasted into the wrong variable.
  if (url === null) throw invalid('is not a URL', `Correct CAIRN_BASE_URL: ${EXAMPLE}`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(`has the protocol "${url.protocol}"`, `Write http:// or https:// before the host: ${EXAMPLE}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('contains a user or a password', 'Remove them from the URL, and pass the key as CAIRN_API_KEY.');
  }
  const path = url.pathname.replace(/\/+$/u, '').replace(/\/chat\/completions$/u, '');
  return {
    url: `${url.origin}${path === '' ? '/v1' : path}`,
    query: Object.fromEntries(url.searchParams),
    isReadable: url.protocol === 'http:' && !isOwnMachine(url.hostname),
  };
}
