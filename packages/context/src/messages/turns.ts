import { labelOf } from './message.ts';
import type { UnifiedMessage } from './message.ts';

/**
 * Returns whether a message begins a turn: a message of the user that is not in the run of the message before it, or an answer that
 * a run handed to main without its prompt.
 */
export function beginsTurn(message: UnifiedMessage, previous: UnifiedMessage | undefined): boolean {
  if (previous === undefined) return true;
  const { run } = labelOf(message);
  const isSameRun = run !== undefined && run === labelOf(previous).run;
  if (message.role === 'user') return !isSameRun;
  return message.role === 'assistant' && run !== undefined && !isSameRun;
}

/**
 * Splits a history into turns: a message of the user, and what follows until the next one. Messages of one run stay together.
 * The first turn, and one that a run handed to main, may begin with another message.
 */
export function turnsOf(messages: readonly UnifiedMessage[]): UnifiedMessage[][] {
  const turns: UnifiedMessage[][] = [];
  for (const [index, message] of messages.entries()) {
    if (beginsTurn(message, messages[index - 1])) turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}
