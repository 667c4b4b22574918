export interface Budget {
  readonly maxTokens: number;
  readonly count: (text: string) => number;
}

export function fits(text: string, { maxTokens, count }: Budget): boolean {
  return text === '' || count(text) <= maxTokens;
}

/** Returns the largest number from `most` down to 0 that fits; `undefined` when not even 0 fits. A number below one that fits, fits. */
export function largestFitting(most: number, isFitting: (count: number) => boolean): number | undefined {
  if (isFitting(most)) return most;
  if (!isFitting(0)) return undefined;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isFitting(middle)) low = middle;
    else high = middle;
  }
  return low;
}
