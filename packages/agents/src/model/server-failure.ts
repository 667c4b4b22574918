import { APICallError } from 'ai';
import { AgentError, type AgentErrorCode } from '../errors.ts';
import { nameModel, nameServer, redact, type ModelFailure, type ModelSubject } from './model-subject.ts';

/** An error that a server returned instead of an answer, or in the middle of one. */
export interface ApiError {
  /** 0 if the server gives none. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a text or a number in a field. */
function field(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600;
}

/** Reads the error of a server; `undefined` for another error. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  if (APICallError.isInstance(error)) {
    if (error.statusCode === undefined) return undefined;
    const details: unknown = Reflect.get(Object(error.data), 'error');
    const code = field(details, 'code') ?? field(details, 'type') ?? '';
    return { status: error.statusCode, code, message: error.message, headers: error.responseHeaders ?? {} };
  }
  // The error of a stream is an object without a class. Its code is a status, or a name.
  const message = error instanceof Error ? undefined : field(error, 'message');
  if (message === undefined) return undefined;
  const code = field(error, 'code') ?? field(error, 'type') ?? '';
  const status = Number(field(error, 'statusCode') ?? code);
  const named = /rate_?limit/iu.test(code) ? 429 : /overloaded|server_error|unavailable/iu.test(code) ? 503 : 0;
  return { status: isErrorStatus(status) ? status : named, code, message, headers: {} };
}

/**
 * Returns the time that a server asks to wait: in milliseconds, which only OpenAI sends, in seconds, or until a date. A time of 0 or in the
 * past says nothing: the server is busy now.
 */
function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const milliseconds = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (milliseconds > 0) return milliseconds;
  const text = headers['retry-after']?.trim() ?? '';
  const wait = /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return wait > 0 ? wait : undefined;
}

/** Names an answer that is not one of the API. */
export function unreadable(summary: string): ModelFailure {
  const hint = 'Check that CAIRN_BASE_URL is the URL of a server with the chat completions of the OpenAI API.';
  return { error: new AgentError('MODEL_FAILED', [summary, hint]), isTransient: false };
}

const TOO_LONG = /context.{0,10}(?:length|window|size)|maximum.{0,20}tokens|too (?:long|many tokens)/iu;
const NO_CREDIT = /insufficient_quota|billing|credit/iu;

/** Interprets the error of a server. */
export function serverFailure({ status, code, message, headers }: ApiError, subject: ModelSubject): ModelFailure {
  const server = nameServer(subject);
  const model = nameModel(subject);
  const words = redact(message, subject);
  const reason = words === '' ? '' : `: ${words}`;
  const lasting = (name: AgentErrorCode, summary: string, hint: string): ModelFailure => ({
    error: new AgentError(name, [summary, hint]),
    isTransient: false,
  });
  const transient = (name: AgentErrorCode, summary: string, hint: string): ModelFailure => {
    const waitMs = retryAfterMs(headers);
    const wait = waitMs === undefined ? '' : `, and asks to wait ${Math.ceil(waitMs / 1000)} s`;
    return {
      error: new AgentError(name, [`${summary}${wait}${reason}`, hint]),
      isTransient: true,
      retryAfterMs: waitMs,
    };
  };
  // The message of this error often repeats a part of the key.
  if (status === 401) return lasting('MODEL_DENIED', `${server} rejects the key (401)`, 'Correct CAIRN_API_KEY.');
  if (status === 402 || (status === 429 && NO_CREDIT.test(code))) {
    return lasting(
      'MODEL_REFUSED',
      `The account has no credit left (${status})${reason}`,
      'Add credit, or use another key.',
    );
  }
  if (status === 403) {
    return lasting(
      'MODEL_DENIED',
      `${server} denies access to ${model} (403)${reason}`,
      'Use a key that has access to it.',
    );
  }
  if (status === 429) return transient('MODEL_BUSY', `${server} is busy (429)`, 'Run it again later.');
  if (status === 408 || status >= 500) {
    return transient('MODEL_FAILED', `${server} failed (${status})`, 'Run it again, or check the log of the server.');
  }
  if (status === 413 || (status >= 400 && TOO_LONG.test(`${code} ${message}`))) {
    const hint = 'Lower the token budget of the context, or begin a new session.';
    return lasting('MODEL_REFUSED', `The request is too long for ${model} (${status})${reason}`, hint);
  }
  if (status === 404) {
    const hint = 'Correct CAIRN_MODEL or CAIRN_BASE_URL; run "cairn doctor" to check both.';
    return lasting('MODEL_REFUSED', `${server} does not have ${model} (404)${reason}`, hint);
  }
  if (status >= 400) {
    const hint = 'Correct what the reason names, or use another model.';
    return lasting('MODEL_REFUSED', `${server} rejects the request to ${model} (${status})${reason}`, hint);
  }
  if (status > 0) return unreadable(`${server} returned an answer that is not readable (${status})${reason}`);
  const hint = 'Run it again, or check the log of the server.';
  return lasting('MODEL_FAILED', `${server} returned an error in its answer${reason}`, hint);
}
