/** Which messages of a history are kept: within a budget, within a window, and whole instead of in a summary. */
import type { TurnRange } from '../messages/render.ts';

/** A part of a conversation that is shown whole or not at all. */
export interface Sized {
  readonly tokens: number;
  /** The tokens that it had before it was answered. @default tokens */
  readonly promptTokens?: number;
}

/** The share that is kept when the limit is passed: the cut then stays in place until a quarter of the limit is filled again. */
const KEPT_SHARE = 3 / 4;

/**
 * Returns the first item that is kept, as if each had been added to a conversation that has to stay within the limit, and a request
 * then needs `extra` more tokens. It depends on the items alone, so that consecutive requests keep the same beginning. An item that
 * alone passes the limit is left out.
 */
export function firstKept(items: readonly Sized[], limit: number, extra = 0): number {
  let start = 0;
  let total = 0;
  const sizeOf = (item: Sized | undefined): number => (item === undefined || item.tokens > limit ? 0 : item.tokens);
  const makeRoom = (needed: number, end: number): void => {
    if (total + needed <= limit) return;
    while (start < end && total + needed > limit * KEPT_SHARE) total -= sizeOf(items[start++]);
  };
  for (const [index, item] of items.entries()) {
    // The room was made before the item was answered. A prompt that alone passes the limit was rejected.
    const prompt = item.promptTokens ?? item.tokens;
    makeRoom(prompt > limit ? 0 : prompt, index);
    total += sizeOf(item);
    makeRoom(0, index);
  }
  makeRoom(extra, items.length);
  return start;
}

/** Returns the first turn of a window: the one that has the last `window`-th message. */
export function windowStart(turns: readonly TurnRange[], window: number): number {
  const first = Math.max(0, (turns.at(-1)?.to ?? 0) - window);
  return turns.findLastIndex(({ to }) => to <= first) + 1;
}

/**
 * Returns the number of the oldest messages of a conversation to summarize: the older half when there are more than `after`, and
 * more each time that `after` more messages were added. It depends on the count alone, so that the summary is stable in between.
 */
export function foldedCount(count: number, after: number): number {
  const folds = Math.floor((count - 1) / after);
  return folds < 1 ? 0 : (folds - 1) * after + Math.floor((after + 1) / 2);
}
