/**
 * BM25 as in the literature. The benchmark saw nothing better on real text than the customary constants: bonuses for
 * covering the query, for words close to each other, for prefixes and a floor under long documents changed figures by less
 * than a hundredth, to either side.
 */

/** How soon repetitions of a term stop to count. */
const SATURATION = 1.2;
/** How much of a document's length is taken for verbosity. */
const LENGTH_SHARE = 0.75;

/** How telling a term is that is in so many of all documents. Never negative. */
export function inverseDocumentFrequency(documentFrequency: number, documentCount: number): number {
  return Math.log(1 + (documentCount - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** What a term that a document has so often adds to its score, before the term's weight. Lengths are numbers of terms. */
export function termFrequencyScore(frequency: number, length: number, averageLength: number): number {
  const verbosity = 1 - LENGTH_SHARE + LENGTH_SHARE * (length / averageLength);
  return (frequency * (SATURATION + 1)) / (frequency + SATURATION * verbosity);
}
