/**
 * BM25 with the customary constants. `bench/retrieval` measured bonuses for covering the query, for words close to each
 * other and for prefixes, and a lower bound for long documents: each changed the figures by less than 0.01, up or down.
 */

/** How soon repetitions of a term stop adding to the score. */
const SATURATION = 1.2;
/** How strongly the length of a document lowers its score. */
const LENGTH_SHARE = 0.75;

/** Returns how much a term says about a document, from the number of documents that have it. Never negative. */
export function inverseDocumentFrequency(documentFrequency: number, documentCount: number): number {
  return Math.log(1 + (documentCount - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/**
 * Returns what a term adds to the score of a document, before the weight of the term.
 *
 * @param frequency how often the document has the term
 * @param length the number of terms in the document
 * @param averageLength the average number of terms in a document
 */
export function termFrequencyScore(frequency: number, length: number, averageLength: number): number {
  const verbosity = 1 - LENGTH_SHARE + LENGTH_SHARE * (length / averageLength);
  return (frequency * (SATURATION + 1)) / (frequency + SATURATION * verbosity);
}
