import type { OptionNames } from '@cairn/tool/errors';
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidPromptError,
  InvalidResponseDataError,
  JSONParseError,
  NoOutputGeneratedError,
  RetryError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from 'ai';
import { AgentError, checkArguments } from '../errors.ts';
import { failure, nameServer, reasonIn, redact, RUN_AGAIN, unreadable } from './model-subject.ts';
import type { ModelFailure, ModelSubject } from './model-subject.ts';
import { apiErrorOf, serverFailure } from './server-failure.ts';

function* causesOf(error: unknown): Generator<object> {
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
function networkErrorOf(error: unknown): NetworkError | undefined {
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

function networkFailure({ code, message }: NetworkError, subject: ModelSubject): ModelFailure {
  const other: Row = [/^/u, `is not reachable${reasonIn(message, subject)}`, checkServer];
  const [, what, hint, isTransient] = rows.find(([codes]) => codes.test(code)) ?? other;
  const summary = `${nameServer(subject)} ${what} (${code})`;
  return failure(isTransient ? 'MODEL_FAILED' : 'MODEL_UNAVAILABLE', [summary, hint], isTransient);
}

/** An answer that is cut, late, too large, or not a stream. */
export class AnswerError extends Error {
  override readonly name: string = 'AnswerError';
  readonly kind: 'cut' | 'late' | 'not-a-stream' | 'too-large';

  /** `what` completes a sentence about the server, such as `did not answer within 60 s`. */
  constructor(kind: AnswerError['kind'], what: string) {
    super(what);
    this.kind = kind;
  }
}

function answerFailure({ kind, message }: AnswerError, subject: ModelSubject): ModelFailure {
  const summary = `${nameServer(subject)} ${message}`;
  switch (kind) {
    case 'cut':
      return failure('MODEL_FAILED', [summary, RUN_AGAIN], true);
    case 'late':
      return failure('MODEL_UNAVAILABLE', [summary, 'Check that it runs, or allow more time.']);
    case 'not-a-stream':
      return unreadable(summary);
    case 'too-large': {
      const hint = 'Ask for less at once; a model that repeats itself needs another prompt.';
      return failure('TOO_LARGE', [summary, hint]);
    }
  }
}

const unreadableErrors = [EmptyResponseBodyError, InvalidResponseDataError, JSONParseError, TypeValidationError];
const unsupportedErrors = [InvalidPromptError, UnsupportedFunctionalityError];

/** Interprets an error of a request to a model. An `AgentError` stays as it is. */
export function modelFailure(error: unknown, subject: ModelSubject = {}): ModelFailure {
  // The provider wraps what reading its answer throws.
  for (const cause of causesOf(error)) {
    if (AgentError.isInstance(cause)) return { error: cause, isTransient: false };
    if (cause instanceof AnswerError) return answerFailure(cause, subject);
  }
  if (RetryError.isInstance(error)) return modelFailure(error.lastError, subject);
  if (NoOutputGeneratedError.isInstance(error) && error.cause !== undefined) return modelFailure(error.cause, subject);
  const network = networkErrorOf(error);
  if (network !== undefined) return networkFailure(network, subject);
  const api = apiErrorOf(error);
  if (api) return serverFailure(api, subject);
  const words = redact(error instanceof Error ? error.message : String(error), subject);
  if (unreadableErrors.some((type) => type.isInstance(error))) {
    return unreadable(`The answer of the model server is not readable: ${words}`);
  }
  if (unsupportedErrors.some((type) => type.isInstance(error))) {
    return failure('MODEL_REFUSED', [`The model cannot be asked: ${words}`, 'Use a model that supports it.']);
  }
  const hint = 'Check that the model server runs, and that CAIRN_BASE_URL is right.';
  if (APICallError.isInstance(error)) {
    const reason = words.replace(/^Cannot connect to API:?\s*/u, '');
    const summary = `${nameServer(subject)} is not reachable${reason === '' ? '' : `: ${reason}`}`;
    return failure('MODEL_UNAVAILABLE', [summary, hint]);
  }
  return failure('MODEL_FAILED', [`The request to the model failed: ${words}`, hint]);
}

const modelSubject: OptionNames<ModelSubject> = { name: 'optional', server: 'optional', secrets: 'optional' };

/** Returns the `AgentError` for an error of a request to a model, without a cause: requests and answers may contain the key. */
export function mapModelError(error: unknown, subject?: ModelSubject): AgentError {
  checkArguments.options('mapModelError', subject, modelSubject);
  return modelFailure(error, subject).error;
}
