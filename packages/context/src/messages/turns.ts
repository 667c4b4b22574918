import { labelOf } from './message.ts';
import type { UnifiedMessage } from './message.ts';

/** Returns whether a message begins a turn: a message of the user that is not in the run of the message before it. */
export function beginsTurn(message: UnifiedMessage, previous: UnifiedMessage | undefined): boolean {
  if (previous === undefined) return true;
  if (message.role !== 'user') return false;
  const { run } = labelOf(message);
  return run === undefined || run !== labelOf(previous).run;
}

/**
 * Splits a history into turns: a message of the user, and what follows until the next one. Messages of one run stay together.
 * Only the first turn may begin with another message.
 */
export function turnsOf(messages: readonly UnifiedMessage[]): UnifiedMessage[][] {
  const turns: UnifiedMessage[][] = [];
  for (const [index, message] of messages.entries()) {
    if (beginsTurn(message, messages[index - 1])) turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}
