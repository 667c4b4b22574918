/** More typing errors than this make another word. */
const MAX_DISTANCE = 3;
const MIN_SIMILARITY = 0.5;

/** Returns the number of characters that were inserted, deleted, replaced or swapped with their neighbour. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const replaced = (above[column - 1] ?? 0) + (isSame ? 0 : 1);
      let best = Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced);
      if (one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        best = Math.min(best, (before[column - 2] ?? Infinity) + 1);
      }
      current.push(best);
    }
    before = above;
    above = current;
  }
  return above[other.length] ?? 0;
}

export function closest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, errors: distance(word, candidate) }))
    .filter(({ candidate, errors }) => {
      const length = Math.max(word.length, candidate.length);
      return errors <= MAX_DISTANCE && (length - errors) / length >= MIN_SIMILARITY;
    })
    .toSorted((one, other) => one.errors - other.errors);
  return ranked[0]?.candidate;
}
