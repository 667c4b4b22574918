const MAX_NAMES = 3;
const MIN_SIMILARITY = 0.4;

function pairsOf(name: string): Set<string> {
  const text = ` ${name.toLowerCase()} `;
  return new Set(Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2)));
}

/** Returns up to three names that are similar to a name, the most similar first. */
export function nearNames(name: string, names: Iterable<string>): string[] {
  const wanted = pairsOf(name);
  return [...names]
    .map((candidate) => {
      const pairs = pairsOf(candidate);
      const common = [...pairs].filter((pair) => wanted.has(pair)).length;
      return { candidate, similarity: (2 * common) / (pairs.size + wanted.size) };
    })
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .toSorted((one, other) => other.similarity - one.similarity)
    .slice(0, MAX_NAMES)
    .map(({ candidate }) => candidate);
}
