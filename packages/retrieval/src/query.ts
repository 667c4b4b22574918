import { visitTerms } from './terms.ts';
import type { TermForm } from './terms.ts';

/** A term of a query with its weight. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
}

/** A parsed query. */
export interface Query {
  /** Each term once, in the order of the query. A document with any of them is found. */
  readonly terms: readonly QueryTerm[];
  /**
   * Which terms are searched for. `words`: all but the stop words. `common-words`: the stop words, because the query has no
   * other words. `nothing`: the query has no letter, digit, ideograph or pictograph.
   */
  readonly basis: 'words' | 'common-words' | 'nothing';
}

/**
 * The weight of a single character within a run, beside its pairs: high enough to find 表头 with 表格 when no document has
 * 表格, and low enough to stay below a document that has it. `bench/retrieval` shows no difference between 0.1 and 0.3.
 */
const CHARACTER = 0.2;

const weights: Readonly<Record<TermForm, number>> = { word: 1, whole: 1, pair: 1, lone: 1, character: CHARACTER };

/** The weight of a stop word. A pair with one stop character says a little. */
function stopWeightOf(form: TermForm): number {
  return form === 'pair' ? CHARACTER : 0;
}

/** Parses a query. It is plain text without syntax. Stop words do not count unless the query has no other words. */
export function readQuery(query: string): Query {
  const withoutStopWords = new Map<string, number>();
  const all = new Map<string, number>();
  let hasWords = false;
  visitTerms(query, (term, form, isStop) => {
    const weight = isStop ? stopWeightOf(form) : weights[form];
    hasWords ||= !isStop;
    if (weight > (withoutStopWords.get(term) ?? 0)) withoutStopWords.set(term, weight);
    all.set(term, weights[form]);
  });
  const terms = [...(hasWords ? withoutStopWords : all)].map(([term, weight]) => ({ term, weight }));
  return { terms, basis: terms.length === 0 ? 'nothing' : hasWords ? 'words' : 'common-words' };
}
