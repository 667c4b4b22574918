import { findSecrets } from '@cairn/tool/prompt';
import { AgentError, type AgentErrorCode } from '../errors.ts';

/** What the messages of errors name. */
export interface ModelSubject {
  /** The id of the model. */
  readonly name?: string | undefined;
  /** The URL of its server. */
  readonly server?: string | undefined;
  /** What no message may contain. */
  readonly secrets?: readonly string[] | undefined;
}

export const RUN_AGAIN = 'Run it again, or check the log of the server.';

export interface ModelFailure {
  readonly error: AgentError;
  /** Whether the same request may succeed soon. */
  readonly isTransient: boolean;
  readonly retryAfterMs?: number | undefined;
}

export function failure(
  code: AgentErrorCode,
  text: readonly [summary: string, hint: string],
  isTransient: boolean = false,
): ModelFailure {
  return { error: new AgentError(code, text), isTransient };
}

/** Names an answer that is not one of the API. */
export function unreadable(summary: string): ModelFailure {
  const hint = 'Check that CAIRN_BASE_URL is the URL of a server with the chat completions of the OpenAI API.';
  return failure('MODEL_FAILED', [summary, hint]);
}

/** Begins a sentence about the server. */
export function nameServer({ server }: ModelSubject): string {
  return server === undefined ? 'The model server' : `The model server at ${server}`;
}

const MAX_LENGTH = 300;
/** Where the search for secrets ends. Servers return whole pages as errors, and a search through megabytes takes seconds. */
const MAX_SEARCHED = 64 * 1024;
/** Local servers document keys such as `ollama`, which protect nothing and are words of messages. */
const MIN_SECRET_LENGTH = 8;

/** Returns a message from a server or a library on one line, without secrets and without a full stop. */
export function redact(text: string, { secrets = [] }: ModelSubject): string {
  let words = text.slice(0, MAX_SEARCHED);
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_LENGTH) words = words.replaceAll(secret, '[key]');
  }
  for (const { start, end } of findSecrets(words).toReversed()) {
    words = `${words.slice(0, start)}[key]${words.slice(end)}`;
  }
  words = words.replaceAll(/\s+/gu, ' ').trim().replace(/\.$/u, '');
  if (words.length > MAX_LENGTH) return `${words.slice(0, MAX_LENGTH)}…`;
  // The last word may be the beginning of a secret.
  return text.length > MAX_SEARCHED ? `${words.replace(/\S*$/u, '')}…` : words;
}

export function reasonIn(message: string, subject: ModelSubject): string {
  const words = redact(message, subject);
  return words === '' ? '' : `: ${words}`;
}
