import type { AgentDefinition } from '@cairn/context';
import { AgentError } from '../errors.ts';
import type { RunOptions } from './agents.ts';

export interface RunLimits {
  readonly maxSteps: number;
  readonly maxTokens: number;
  readonly timeoutMs: number;
}

/** `setTimeout` fires at once for more. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function check(option: string, value: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${max}`;
  throw new AgentError('INVALID_OPTION', [`Invalid ${option} ${value}`, `Use a whole number ${range}.`], { option });
}

/** Returns the limits of a run: its arguments, else the definition's limits, else the defaults. */
export function limitsOf(options: RunOptions, definition: AgentDefinition): RunLimits {
  const { maxSteps = definition.maxSteps ?? 50, maxTokens = definition.maxTokens } = options;
  const { timeoutMs = definition.timeout === undefined ? 600_000 : definition.timeout * 1000 } = options;
  return {
    maxSteps: check('maxSteps', maxSteps),
    maxTokens: maxTokens === undefined ? Number.POSITIVE_INFINITY : check('maxTokens', maxTokens),
    timeoutMs: check('timeoutMs', Math.ceil(timeoutMs), MAX_TIMEOUT_MS),
  };
}
