export { inverseDocumentFrequency, termFrequencyScore } from './bm25.ts';
export { cacheEmbeddings } from './embed.ts';
export type { Embed, Vector } from './embed.ts';
export { RetrievalError } from './errors.ts';
export type { RetrievalErrorCode } from './errors.ts';
export { excerptOf } from './excerpt.ts';
export type { Excerpt } from './excerpt.ts';
export { foundSlots } from './found.ts';
export type { FoundSlot } from './found.ts';
export { readQuery } from './query.ts';
export type { Query, QueryTerm } from './query.ts';
export { noticesOf, rankDocuments } from './rank.ts';
export type { RankNotice, RankOptions } from './rank.ts';
export { scoreParts } from './score.ts';
export type { CountedTerm, Part, Postings, ScoredSlot, Scores, Statistics } from './score.ts';
export {
  blockOf,
  mergeSegments,
  readBlock,
  readColumns,
  SEGMENT_VERSION,
  termsOfBlock,
  writeSegment,
} from './segment.ts';
export type { MergeInput, SegmentColumns, SegmentRows } from './segment.ts';
export { SegmentBuilder } from './segment-builder.ts';
export type { SequencedDocument } from './segment-builder.ts';
export { similarTerms } from './similar.ts';
export { snippetOf } from './snippet.ts';
export type { Snippet, SnippetLimits } from './snippet.ts';
export { createTermIndex } from './term-index.ts';
export type { RankDocument, RankedDocument, TermIndex } from './term-index.ts';
export { TERMS_VERSION, termsOf } from './terms.ts';
