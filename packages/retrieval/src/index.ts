export { inverseDocumentFrequency } from './bm25.ts';
export { cacheEmbeddings } from './embed.ts';
export type { Embed, Vector } from './embed.ts';
export { RetrievalError } from './errors.ts';
export type { RetrievalErrorCode } from './errors.ts';
export { fuseRanks, MAX_FUSED_SCORE, standsOut } from './fuse.ts';
export { excerptOf } from './excerpt.ts';
export type { Excerpt } from './excerpt.ts';
export { withEvidence } from './evidence.ts';
export type { Coverage, Evidence, EvidenceOptions, EvidenceRelation } from './evidence.ts';
export { foundSlots } from './found.ts';
export type { FoundSlot } from './found.ts';
export { readQuery } from './query.ts';
export type { Query, QueryTerm, Relation } from './query.ts';
export { matchedTerms, Misspelled, relatedQuery } from './relate.ts';
export { createGlossary } from './glossary/glossary.ts';
export type { Glossary, RelatedWord } from './glossary/glossary.ts';
export { parseGlossary } from './glossary/parse.ts';
export type {
  GlossaryGroup,
  GlossaryProblem,
  GlossaryProblemCode,
  GlossaryWord,
  ParsedGlossary,
} from './glossary/parse.ts';
export { NEAR_IN_MEANING, noticesOf, rankDocuments } from './rank.ts';
export type { RankNotice, RankOptions } from './rank.ts';
export { scoreParts } from './score.ts';
export type { CountedRelation, CountedTerm, Part, Postings, ScoredSlot, Scores, Statistics } from './score.ts';
export { similarTerms } from './similar.ts';
export { snippetOf } from './snippet.ts';
export type { Snippet, SnippetLimits } from './snippet.ts';
export { createTermIndex } from './term-index.ts';
export type { RankDocument, RankedDocument, TermIndex } from './term-index.ts';
export { countTerms, termsOf } from './terms.ts';
