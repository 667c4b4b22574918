/** Returns the pairs of neighbouring characters in a line or a name. */
export function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index++) pairs.add(text.slice(index, index + 2));
  return pairs;
}

/** Returns the similarity of two sets of pairs, from 0 to 1: the share of pairs that both have. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common++;
  return (2 * common) / Math.max(1, a.size + b.size);
}

/** The first and the last letter of a name have pairs of their own. */
const pairsOfName = (name: string): Set<string> => pairsOf(` ${name.toLowerCase()} `);

/** Returns the names that are similar to a name, the most similar first; by default up to three. Case does not matter. */
export function nearNames(
  name: string,
  names: Iterable<string>,
  { minSimilarity = 0.4, most = 3 }: { readonly minSimilarity?: number; readonly most?: number } = {},
): string[] {
  const wanted = pairsOfName(name);
  return [...names]
    .map((candidate) => ({ candidate, score: similarity(pairsOfName(candidate), wanted) }))
    .filter(({ score }) => score >= minSimilarity)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}
