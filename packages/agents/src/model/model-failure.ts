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
import { causesOf, networkErrorOf, networkFailure } from './network-failure.ts';
import { failure, nameServer, redact, RUN_AGAIN, unreadable } from './model-subject.ts';
import type { ModelFailure, ModelSubject } from './model-subject.ts';
import { apiErrorOf, serverFailure } from './server-failure.ts';

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
