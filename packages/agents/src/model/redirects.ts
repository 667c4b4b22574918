import { AgentError } from '../errors.ts';

const MAX_REDIRECTS = 5;

/** Sends a request, also after redirects within the origin. @throws {AgentError} `MODEL_UNAVAILABLE` for others, and after five. */
export async function fetchWithinOrigin(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const first = new URL(url);
  const failed = (what: string, hint: string): AgentError =>
    new AgentError('MODEL_UNAVAILABLE', [`The model server at ${first.origin} redirects ${what}`, hint]);
  let address = first;
  for (let count = 0; ; count += 1) {
    const response = await fetch(address.href, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const target = URL.parse(location, address.href);
    if (target?.origin !== first.origin) {
      const where = target === null ? 'an invalid address' : `${target.protocol}//${target.host}`;
      const hint = 'Set CAIRN_BASE_URL to the address of the server itself.';
      throw failed(`to ${where}, and nothing was sent there`, hint);
    }
    if (count === MAX_REDIRECTS) throw failed(`more than ${MAX_REDIRECTS} times`, 'Correct CAIRN_BASE_URL.');
    address = target;
  }
}
