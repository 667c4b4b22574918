import { inspect } from 'node:util';
import { ArgumentChecks, HintedError, isNamed } from '@cairn/tool/kernel';

/**
 * Why a call failed.
 *
 * - `INVALID_INPUT`, `INVALID_OPTION`: an argument is invalid.
 * - `NO_MODEL`: no model is configured.
 * - `MODEL_DENIED`: the server rejected the key.
 * - `MODEL_BUSY`: the server rejected the request for now, also after the retries.
 * - `MODEL_REFUSED`: the server rejected the request, such as for an unknown model.
 * - `MODEL_FAILED`: the server failed, or its answer was cut or not readable.
 * - `MODEL_UNAVAILABLE`: the server was not reachable, redirected to another origin, or did not answer in time.
 * - `TOO_LARGE`: a prompt is larger than its budget, or an answer than 8 MiB.
 * - `TURN_TOO_LONG`: a model made more requests than allowed without ending its turn.
 * - `UNKNOWN_RUN`: there is no run with this id to continue.
 * - `DELEGATION_REFUSED`: an agent called itself, or the depth of delegation is reached.
 * - `INVALID_RULE`: a rule about calls is invalid, or a file with rules.
 * - `NOT_TRUSTED`: the user has not allowed what comes with a repository.
 * - `INVALID_FUNCTIONS`: a module with functions is invalid.
 */
export type AgentErrorCode =
  | 'DELEGATION_REFUSED'
  | 'INVALID_FUNCTIONS'
  | 'INVALID_INPUT'
  | 'INVALID_OPTION'
  | 'INVALID_RULE'
  | 'MODEL_BUSY'
  | 'MODEL_DENIED'
  | 'MODEL_FAILED'
  | 'MODEL_REFUSED'
  | 'MODEL_UNAVAILABLE'
  | 'NO_MODEL'
  | 'NOT_TRUSTED'
  | 'TOO_LARGE'
  | 'TURN_TOO_LONG'
  | 'UNKNOWN_RUN';

/** An expected failure. Identify it with {@link AgentError.isInstance}, which also accepts errors of another copy of the package. */
export class AgentError extends HintedError<AgentErrorCode> {
  override readonly name: string = 'AgentError';

  static override readonly isInstance: (error: unknown) => error is AgentError = isNamed('AgentError');
}

/** Returns a thrown value as an error. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(typeof thrown === 'string' ? thrown : inspect(thrown), { cause: thrown });
}

export const checkArguments: ArgumentChecks = new ArgumentChecks((...given) => new AgentError(...given));
