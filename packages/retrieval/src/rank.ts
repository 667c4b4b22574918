import { setImmediate } from 'node:timers/promises';
import { cosineOf, embedAll, type Embed } from './embed.ts';
import { checkArguments, RetrievalError } from './errors.ts';
import { fuseRanks } from './fuse.ts';
import type { EvidenceOptions } from './evidence.ts';
import { readQuery, type Query } from './query.ts';
import { relatedQuery } from './relate.ts';
import { compareByTime, selectBest } from './select.ts';
import { createTermIndex, type RankDocument, type RankedDocument } from './term-index.ts';

/**
 * Something that a ranking does not show by itself.
 *
 * - `NOTHING_TO_SEARCH`: the query has no letter, digit, ideograph or pictograph, so that no word can match.
 * - `COMMON_WORDS_ONLY`: the query has only common words, and the ranking used those.
 * - `SIMILAR_WORDS_ONLY`: no document has a term of the query; the ranking used words with a similar spelling.
 * - `LITTLE_EVIDENCE`: every document of the ranking has too little of the query.
 * - `EMBED_FAILED`: the embed function or the embeddings server failed, and the ranking used words only. `cause` is its error.
 * - `EMBED_PENDING`: some documents have no vector yet, and were ranked by words only.
 * - `EMBED_NOT_ALLOWED`: an embeddings server is configured, and the user did not allow yet to send it anything.
 */
export interface RankNotice {
  readonly code:
    | 'NOTHING_TO_SEARCH'
    | 'COMMON_WORDS_ONLY'
    | 'SIMILAR_WORDS_ONLY'
    | 'LITTLE_EVIDENCE'
    | 'EMBED_FAILED'
    | 'EMBED_PENDING'
    | 'EMBED_NOT_ALLOWED';
  /** For people. */
  readonly message: string;
  readonly cause?: unknown;
}

export interface RankOptions extends EvidenceOptions {
  /** The maximum number of documents in the result. A whole number from 1. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  /** Also ranks by meaning, and fuses both rankings. Without it only words count. */
  readonly embed?: Embed | undefined;
  /**
   * Called for each notice about the result. When it is given, a failed embed function is a notice; without it, the call
   * fails.
   */
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

/** The UTF-16 code units (a few milliseconds) after which other work runs and the signal is checked. */
const UNITS_PER_TURN = 64 * 1024;

/** The length of the list by meaning, in which everything has a rank. */
const MEANING_DEPTH = 50;

/** Ranks documents by the distance of their vectors to the query's vector. */
async function rankByMeaning(
  query: string,
  documents: readonly RankDocument[],
  { embed, signal, depth }: { embed: Embed; signal: AbortSignal | undefined; depth: number },
): Promise<readonly { readonly id: string; readonly score: number }[]> {
  const vectors = await embedAll(embed, [query, ...documents.map((document) => document.text)], signal);
  const [queryVector = [], ...documentVectors] = vectors;
  const near = documents
    .map((document, index) => ({ ...document, score: cosineOf(queryVector, documentVectors[index] ?? []) }))
    .filter((document) => document.score > 0);
  return selectBest(near, depth, (left, right) => right.score - left.score || compareByTime(left, right));
}

/**
 * Fuses the rankings by words and by meaning: a document that is high in one or in both comes first. Vectors have a distance to
 * every query, also to one without an answer, so only the words of a document are evidence.
 */
function fuse(
  byWords: readonly RankedDocument[],
  byMeaning: readonly { readonly id: string }[],
  { documents, limit }: { documents: readonly RankDocument[]; limit: number },
): readonly RankedDocument[] {
  const found = new Map(byWords.map((one) => [one.id, one]));
  const idsOf = (ranking: readonly { readonly id: string }[]): string[] => ranking.map(({ id }) => id);
  const scores = fuseRanks(idsOf(byWords), idsOf(byMeaning));
  const scored = documents.flatMap(({ id, timeMs }) => ({ id, timeMs, score: scores.get(id) ?? 0 }));
  const best = selectBest(
    scored.filter(({ score }) => score > 0),
    limit,
    (left, right) => right.score - left.score || compareByTime(left, right),
  );
  const judged = best.map(({ id, score }): RankedDocument => {
    const { matched, isSimilar, evidence } = found.get(id) ?? { matched: [], isSimilar: true as const };
    return { id, score, matched, ...(evidence && { evidence }), ...(isSimilar === true && { isSimilar }) };
  });
  // No document is a better answer than the one above it.
  return judged.toSorted((left, right) => Number(left.isSimilar ?? false) - Number(right.isSimilar ?? false));
}

const OTHER = 'may be about something else.';

const messages = {
  NOTHING_TO_SEARCH: 'The query has no letter, digit, ideograph or pictograph to search for; add a word.',
  COMMON_WORDS_ONLY: 'The query has only common words, and the search used those; name the subject.',
  SIMILAR_WORDS_ONLY: `No document has a word of the query; these results have words with a similar spelling and ${OTHER}`,
  LITTLE_EVIDENCE: `No document has enough of the words of the query; these results have some of them and ${OTHER}`,
} as const;

/** Of a ranking by meaning too. */
export const NEAR_IN_MEANING: RankNotice = {
  code: 'LITTLE_EVIDENCE',
  message: `No document has enough of the words of the query; these results are near to it in meaning and ${OTHER}`,
};

/** Returns the notices about a query and the ranking by words that it led to. */
export function noticesOf(query: string | Query, ranked: readonly RankedDocument[]): RankNotice[] {
  const { basis } = typeof query === 'string' ? readQuery(query) : query;
  const codes: (keyof typeof messages)[] = [];
  if (basis !== 'words') codes.push(basis === 'nothing' ? 'NOTHING_TO_SEARCH' : 'COMMON_WORDS_ONLY');
  if (ranked.length > 0 && ranked.every(({ isSimilar }) => isSimilar === true)) {
    const isSpelling = ranked.every(({ matched }) => matched.length === 0);
    codes.push(isSpelling ? 'SIMILAR_WORDS_ONLY' : 'LITTLE_EVIDENCE');
  }
  return codes.map((code) => ({ code, message: messages[code] }));
}

/**
 * Ranks documents by a query, best first. The order of the documents does not matter. Of two documents with the same id the
 * last counts.
 *
 * A document with too little of the query is marked `isSimilar`, one with nothing but common words of it is left out. When no
 * document is left, those with words of a similar spelling are found, and marked too. The query is plain text without syntax.
 *
 * Reads every text, at some megabytes per second. For repeated queries over the same documents keep a
 * {@link createTermIndex}, which ranks the same way. Lets other work run in between and checks the signal then.
 *
 * @throws {RetrievalError} `INVALID_OPTION`; `EMBED_FAILED` unless `onNotice` is given.
 */
export async function rankDocuments(
  query: string,
  documents: Iterable<RankDocument>,
  options: RankOptions,
): Promise<readonly RankedDocument[]> {
  checkArguments.options('rankDocuments', options, {
    limit: 'required',
    signal: 'optional',
    embed: 'optional',
    onNotice: 'optional',
    minEvidence: 'optional',
    glossary: 'optional',
  });
  const { limit, signal, embed, onNotice, minEvidence, glossary } = options;
  signal?.throwIfAborted();
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RetrievalError('INVALID_OPTION', `invalid limit ${limit}; use a whole number from 1.`, {
      option: 'limit',
    });
  }
  const parsed = relatedQuery(query, glossary);
  const index = createTermIndex();
  const byId = new Map<string, RankDocument>();
  let units = 0;
  for (const document of documents) {
    index.add(document);
    if (embed !== undefined) byId.set(document.id, document);
    units += document.text.length;
    if (units < UNITS_PER_TURN) continue;
    units = 0;
    await setImmediate();
    signal?.throwIfAborted();
  }
  if (embed !== undefined) {
    const all = [...byId.values()];
    try {
      const byMeaning = await rankByMeaning(query, all, { embed, signal, depth: Math.max(limit, MEANING_DEPTH) });
      // Vectors know better than spelling which documents are similar.
      const byWords = index
        .rank(parsed, Math.max(1, all.length), { minEvidence })
        .filter((one) => one.matched.length > 0);
      const fused = fuse(byWords, byMeaning, { documents: all, limit });
      const isWeak = fused.length > 0 && fused.every(({ isSimilar }) => isSimilar === true);
      for (const notice of [...noticesOf(parsed, []), ...(isWeak ? [NEAR_IN_MEANING] : [])]) onNotice?.(notice);
      return fused;
    } catch (error) {
      if (!RetrievalError.isInstance(error) || onNotice === undefined) throw error;
      onNotice({ code: 'EMBED_FAILED', message: error.message, cause: error });
    }
  }
  const ranked = index.rank(parsed, limit, { minEvidence });
  for (const notice of noticesOf(parsed, ranked)) onNotice?.(notice);
  return ranked;
}
