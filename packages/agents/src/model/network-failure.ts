import { failure, nameServer, reasonIn, RUN_AGAIN } from './model-subject.ts';
import type { ModelFailure, ModelSubject } from './model-subject.ts';

export function* causesOf(error: unknown): Generator<object> {
  const queue: unknown[] = [error];
  const seen = new Set<unknown>();
  for (const next of queue) {
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    yield next;
    if ('cause' in next) queue.push(next.cause);
    if (next instanceof AggregateError) queue.push(...(next.errors as unknown[]));
  }
}

interface NetworkError {
  readonly code: string;
  readonly message: string;
}

const NETWORK_CODE = /^(?:E[A-Z]{2,}|EAI_AGAIN|UND_ERR_\w+|ERR_(?:SSL|TLS)_\w+|[A-Z_]*CERT\w*|[A-Z_]*SIGNATURE\w*)$/u;

/** Returns the error of the system, of TLS or of `fetch` that caused an error. */
export function networkErrorOf(error: unknown): NetworkError | undefined {
  for (const cause of causesOf(error)) {
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code !== 'string' || !NETWORK_CODE.test(code)) continue;
    return { code, message: cause instanceof Error ? cause.message : '' };
  }
  return undefined;
}

type Row = readonly [codes: RegExp, what: string, hint: string, isTransient?: true];

const checkServer = 'Check that it runs, and that CAIRN_BASE_URL is right.';
const badCertificate = 'Correct CAIRN_BASE_URL, or name the file of the authority in NODE_EXTRA_CA_CERTS.';

/** The failures by the code of the error. The first row that matches counts. */
const rows: readonly Row[] = [
  [/^ECONNREFUSED$/u, 'is not reachable: nothing listens there', 'Start it, or correct CAIRN_BASE_URL.'],
  [
    /^(?:ENOTFOUND|EAI_AGAIN)$/u,
    'is not reachable: its host is not found',
    'Correct CAIRN_BASE_URL, or check the network.',
  ],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/u, 'broke the connection', RUN_AGAIN, true],
  [/TIMEDOUT|TIMEOUT/u, 'did not answer in time', checkServer],
  [/CERT|SSL|TLS|SIGNATURE/u, 'is not trusted: its certificate is not valid here', badCertificate],
];

export function networkFailure({ code, message }: NetworkError, subject: ModelSubject): ModelFailure {
  const other: Row = [/^/u, `is not reachable${reasonIn(message, subject)}`, checkServer];
  const [, what, hint, isTransient] = rows.find(([codes]) => codes.test(code)) ?? other;
  const summary = `${nameServer(subject)} ${what} (${code})`;
  return failure(isTransient ? 'MODEL_FAILED' : 'MODEL_UNAVAILABLE', [summary, hint], isTransient);
}
