import { ContextError } from '../errors.ts';
import type { TurnRange } from '../messages/render.ts';

/** @throws {ContextError} `INVALID_OPTION`. */
export function checkWindow(window: number): void {
  if (Number.isInteger(window) && window >= 1) return;
  const hint = 'Use a whole number of messages from 1, or leave it out to keep all that fit into the budget.';
  throw new ContextError('INVALID_OPTION', [`Invalid contextWindow ${String(window)}`, hint], {
    option: 'contextWindow',
  });
}

/** Returns the first turn of a window: the one that has the last `window`-th message. */
export function windowStart(turns: readonly TurnRange[], window: number): number {
  const first = (turns.at(-1)?.to ?? 0) - window;
  let start = turns.length;
  while (start > 0 && (turns[start - 1]?.to ?? 0) > Math.max(0, first)) start--;
  return start;
}
