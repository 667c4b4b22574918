import { APICallError } from 'ai';
import type { AgentErrorCode } from '../errors.ts';
import { tooLong, TooLongError } from './too-long.ts';
import { failure, nameServer, reasonIn, RUN_AGAIN, unreadable } from './model-subject.ts';
import type { ModelFailure, ModelSubject } from './model-subject.ts';

/** An error that a server returned instead of an answer, or in the middle of one. */
export interface ApiError {
  /** 0 if the server gives none. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, where the provider could not read it. */
  readonly body?: string | undefined;
}

function field(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

export function apiErrorOf(error: unknown): ApiError | undefined {
  if (APICallError.isInstance(error)) {
    if (error.statusCode === undefined) return undefined;
    const details: unknown = Reflect.get(Object(error.data), 'error');
    const code = field(details, 'code') ?? field(details, 'type') ?? '';
    const { message, responseBody: body } = error;
    return { status: error.statusCode, code, message, headers: error.responseHeaders ?? {}, body };
  }
  // The error of a stream is an object without a class. Its code is a status, or a name.
  const message = error instanceof Error ? undefined : field(error, 'message');
  if (message === undefined) return undefined;
  const code = field(error, 'code') ?? field(error, 'type') ?? '';
  const status = Number(field(error, 'statusCode') ?? code);
  const named = /rate_?limit/iu.test(code) ? 429 : /overloaded|server_error|unavailable/iu.test(code) ? 503 : 0;
  const isStatus = Number.isInteger(status) && status >= 400 && status < 600;
  return { status: isStatus ? status : named, code, message, headers: {} };
}

/** Returns the time that a server asks to wait: in milliseconds (OpenAI), in seconds, or until a date. 0 or the past says nothing. */
function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const milliseconds = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (milliseconds > 0) return milliseconds;
  const text = headers['retry-after']?.trim() ?? '';
  const wait = /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return wait > 0 ? wait : undefined;
}

const NO_CREDIT = /insufficient_quota|billing|credit/iu;

export function serverFailure(error: ApiError, subject: ModelSubject): ModelFailure {
  const { status, code, message, headers } = error;
  const server = nameServer(subject);
  const model = subject.name === undefined ? 'the model' : `the model "${subject.name}"`;
  const reason = reasonIn(message, subject);
  const refused = (summary: string, hint: string): ModelFailure =>
    failure('MODEL_REFUSED', [`${summary} (${status})${reason}`, hint]);
  const transient = (name: AgentErrorCode, what: string, hint: string): ModelFailure => {
    const waitMs = retryAfterMs(headers);
    const wait = waitMs === undefined ? '' : `, and asks to wait ${Math.ceil(waitMs / 1000)} s`;
    const failed = failure(name, [`${server} ${what} (${status})${wait}${reason}`, hint], true);
    return { ...failed, retryAfterMs: waitMs };
  };
  // The message of this error often repeats a part of the key.
  if (status === 401) return failure('MODEL_DENIED', [`${server} rejects the key (401)`, 'Correct CAIRN_API_KEY.']);
  if (status === 402 || (status === 429 && NO_CREDIT.test(code))) {
    return refused('The account has no credit left', 'Add credit, or use another key.');
  }
  if (status === 403) {
    const summary = `${server} denies access to ${model} (403)${reason}`;
    return failure('MODEL_DENIED', [summary, 'Use a key that has access to it.']);
  }
  // Some servers give it the status of a failure.
  const length = tooLong(error);
  if (length !== undefined) {
    const hint = 'Lower the token budget of the context, or begin a new session.';
    const where = status === 0 ? '' : ` (${status})`;
    const text = [`The request is too long for ${model}${where}${reason}`, hint] as const;
    return { error: new TooLongError(text, length), isTransient: false };
  }
  if (status === 429) return transient('MODEL_BUSY', 'is busy', 'Run it again later.');
  if (status === 408 || status >= 500) return transient('MODEL_FAILED', 'failed', RUN_AGAIN);
  if (status === 404) {
    const hint = 'Correct CAIRN_MODEL or CAIRN_BASE_URL; run "cairn doctor" to check both.';
    return refused(`${server} does not have ${model}`, hint);
  }
  if (status >= 400) {
    return refused(`${server} rejects the request to ${model}`, 'Correct what the reason names, or use another model.');
  }
  if (status > 0) return unreadable(`${server} returned an answer that is not readable (${status})${reason}`);
  return failure('MODEL_FAILED', [`${server} returned an error in its answer${reason}`, RUN_AGAIN]);
}
