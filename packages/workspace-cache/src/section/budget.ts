export interface Budget {
  readonly maxTokens: number;
  readonly count: (text: string) => number;
}

export function fits(text: string, { maxTokens, count }: Budget): boolean {
  return text === '' || count(text) <= maxTokens;
}

/**
 * Returns the largest number, from `most` down to 0, whose text fits; `undefined` when not even 0 fits. A text with a larger
 * number is longer.
 */
export function largestFitting(most: number, write: (count: number) => string, budget: Budget): number | undefined {
  if (fits(write(most), budget)) return most;
  if (!fits(write(0), budget)) return undefined;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(write(middle), budget)) low = middle;
    else high = middle;
  }
  return low;
}
