/** Orders equally good documents: the latest first, then by id in the order of UTF-16 code units. */
export function compareByTime(
  left: { readonly id: string; readonly timeMs: number },
  right: { readonly id: string; readonly timeMs: number },
): number {
  return right.timeMs - left.timeMs || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0);
}

/** Returns the first `limit` items in the order of `compare`. Does not sort the items that it leaves out. */
export function selectBest<Item>(
  items: readonly Item[],
  limit: number,
  compare: (left: Item, right: Item) => number,
): Item[] {
  if (limit * 8 >= items.length) return items.toSorted(compare).slice(0, limit);
  const best: Item[] = [];
  for (const item of items) {
    const last = best[limit - 1];
    if (last !== undefined && compare(item, last) >= 0) continue;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // `middle` is below the length.
      if (compare(item, best[middle] as Item) < 0) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, item);
    if (best.length > limit) best.pop();
  }
  return best;
}
