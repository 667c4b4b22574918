/**
 * Returns the number of the oldest messages of a conversation to summarize: the older half when there are more than `after`, and
 * more each time that `after` more messages were added. It depends on the count alone, so that the summary is stable in between.
 */
export function foldedCount(count: number, after: number): number {
  const folds = Math.floor((count - 1) / after);
  return folds < 1 ? 0 : (folds - 1) * after + Math.floor((after + 1) / 2);
}
