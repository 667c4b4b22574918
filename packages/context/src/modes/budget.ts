/** A part of a conversation that is shown whole or not at all. */
export interface Sized {
  readonly tokens: number;
  /** The tokens that it had before it was answered. @default tokens */
  readonly promptTokens?: number;
}

/** The part of a list that is kept: everything from `start` that is not larger than the limit. */
export interface Cut {
  start: number;
  /** The tokens of what is kept. */
  total: number;
  /** The number of items that were read. */
  read: number;
}

/** The share that is kept when the limit is passed: the cut then stays in place until a quarter of the limit is filled again. */
const KEPT_SHARE = 3 / 4;

export function createCut(start = 0): Cut {
  return { start, total: 0, read: start };
}

/** Returns the tokens of an item that is kept: one that alone passes the limit is left out. */
function sizeOf(item: Sized | undefined, limit: number): number {
  return item === undefined || item.tokens > limit ? 0 : item.tokens;
}

/** Drops the oldest items until there is room for `extra` tokens, if there is none. Keeps the items from `end`. */
function makeRoom(
  cut: Cut,
  items: readonly Sized[],
  limit: number,
  { extra, end }: { extra: number; end: number },
): void {
  if (cut.total + extra <= limit) return;
  while (cut.start < end && cut.total + extra > limit * KEPT_SHARE) {
    cut.total -= sizeOf(items[cut.start], limit);
    cut.start++;
  }
}

/**
 * Moves a cut over the next items, as if each had been added to a conversation that has to stay within the limit. It depends on the
 * items alone, so that consecutive requests keep the same beginning.
 */
export function readItems(cut: Cut, items: readonly Sized[], limit: number, end: number): void {
  for (; cut.read < end; cut.read++) {
    const item = items[cut.read];
    if (item === undefined) continue;
    // The room was made before the item was answered. A prompt that alone passes the limit was rejected.
    const prompt = item.promptTokens ?? item.tokens;
    makeRoom(cut, items, limit, { extra: prompt > limit ? 0 : prompt, end: cut.read });
    cut.total += sizeOf(item, limit);
    makeRoom(cut, items, limit, { extra: 0, end: cut.read });
  }
}

/** Returns the cut of items for a request that needs `extra` more tokens. */
export function cutFor(cut: Cut, items: readonly Sized[], limit: number, extra: number): Cut {
  const made = { ...cut };
  makeRoom(made, items, limit, { extra, end: items.length });
  return made;
}
