import { setImmediate } from 'node:timers/promises';
import { cosineOf, embedAll } from './embed.ts';
import type { Embed } from './embed.ts';
import { RankError } from './errors.ts';
import { readQuery } from './query.ts';
import type { Query } from './query.ts';
import { compareByTime, selectBest } from './select.ts';
import { createTermIndex } from './term-index.ts';
import type { RankDocument, Ranked } from './term-index.ts';

/**
 * Something an answer does not show by itself.
 *
 * - `NOTHING_TO_SEARCH`: the query has no letter, digit, ideograph or pictograph, so that words find nothing.
 * - `COMMON_WORDS_ONLY`: the query has only common words, and was searched for those.
 * - `SIMILAR_WORDS_ONLY`: no document has a term of the query; those that were found have words that look like one.
 * - `EMBED_FAILED`: the embed function failed, and words alone were used. `cause` says why.
 */
export interface RankNotice {
  readonly code: 'NOTHING_TO_SEARCH' | 'COMMON_WORDS_ONLY' | 'SIMILAR_WORDS_ONLY' | 'EMBED_FAILED';
  /** For people. */
  readonly message: string;
  readonly cause?: unknown;
}

export interface RankOptions {
  /** How many documents to answer with at most. A whole number from 1. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
  /** Ranks by meaning too, fused with the rank by words. Without it only words count. */
  readonly embed?: Embed | undefined;
  /**
   * Is told what the answer does not show. When it is given, an embed function that fails is such a thing; when not, it
   * fails the call.
   */
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

/** After so many UTF-16 units other work gets its turn, and the signal is looked at: some milliseconds. */
const UNITS_PER_TURN = 64 * 1024;

/** Reciprocal rank fusion: the customary constant, and how deep the list by meaning goes, where everything has a place. */
const FUSION_CONSTANT = 60;
const MEANT_DEPTH = 50;

/** The documents that are nearest in meaning, nearest first. */
async function rankByMeaning(
  query: string,
  documents: readonly RankDocument[],
  { embed, signal, depth }: { embed: Embed; signal: AbortSignal | undefined; depth: number },
): Promise<readonly Ranked[]> {
  const vectors = await embedAll(embed, [query, ...documents.map((document) => document.text)], signal);
  const [asked = [], ...given] = vectors;
  const near = documents
    .map((document, index) => ({ ...document, score: cosineOf(asked, given[index] ?? []) }))
    .filter((document) => document.score > 0);
  return selectBest(near, depth, (left, right) => right.score - left.score || compareByTime(left, right));
}

/** One list of several: what is high in one or in all of them comes first. */
function fuse(
  lists: readonly (readonly Ranked[])[],
  documents: readonly RankDocument[],
  limit: number,
): readonly Ranked[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [index, { id }] of list.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (FUSION_CONSTANT + index + 1));
    }
  }
  const found = documents.flatMap(({ id, timeMs }) => ({ id, timeMs, score: scores.get(id) ?? 0 }));
  const best = selectBest(
    found.filter(({ score }) => score > 0),
    limit,
    (left, right) => right.score - left.score || compareByTime(left, right),
  );
  return best.map(({ id, score }) => ({ id, score }));
}

const similarOnly: RankNotice = {
  code: 'SIMILAR_WORDS_ONLY',
  message:
    'Nothing has a word of the query. What was found has words that look like one, and may be about something else.',
};

/** What is to be said of a query before anything is searched. */
function noticeOn({ basis }: Query): RankNotice | undefined {
  switch (basis) {
    case 'nothing':
      return {
        code: 'NOTHING_TO_SEARCH',
        message: 'The query has no letter, digit, ideograph or pictograph to look for.',
      };
    case 'common-words':
      return {
        code: 'COMMON_WORDS_ONLY',
        message: 'The query has only common words, and was searched for those. Name what it is about.',
      };
    case 'words':
      return undefined;
  }
}

/**
 * Finds the documents that a query is about, best first. The order of the documents makes no difference; of two with one
 * id the last counts.
 *
 * A document is found that has any term of the query, be it one Chinese character; when there is none, those with words
 * that look like its words, each marked with `isSimilar`. The query is plain text without syntax.
 *
 * Reads every text, at some megabytes a second; who asks the same documents again keeps a {@link createTermIndex}, whose
 * answers are the same. Lets other work run in between, and looks at the signal then.
 *
 * @throws {RankError} `INVALID_OPTION`; `EMBED_FAILED` unless `onNotice` is given.
 */
export async function rankDocuments(
  query: string,
  documents: Iterable<RankDocument>,
  { limit, signal, embed, onNotice }: RankOptions,
): Promise<readonly Ranked[]> {
  signal?.throwIfAborted();
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RankError('INVALID_OPTION', `limit is ${limit}: give a whole number from 1.`, { option: 'limit' });
  }
  const read = readQuery(query);
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
  const notice = noticeOn(read);
  if (notice !== undefined) onNotice?.(notice);
  if (embed !== undefined) {
    const all = [...byId.values()];
    try {
      const meant = await rankByMeaning(query, all, { embed, signal, depth: Math.max(limit, MEANT_DEPTH) });
      // Meaning knows better what is similar than the looks of words.
      const worded = index.rank(read, Math.max(1, all.length)).filter((one) => one.isSimilar !== true);
      return fuse([worded, meant], all, limit);
    } catch (error) {
      if (!RankError.isInstance(error) || onNotice === undefined) throw error;
      onNotice({ code: 'EMBED_FAILED', message: error.message, cause: error });
    }
  }
  const ranked = index.rank(read, limit);
  if (ranked[0]?.isSimilar === true) onNotice?.(similarOnly);
  return ranked;
}
