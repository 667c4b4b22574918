import { visitTerms } from './terms.ts';
import type { TermForm } from './terms.ts';

/** A term of a query and how much it counts. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
}

/** A query as it is searched for. */
export interface Query {
  /** Each once, in the order of the query. A document that has any of them is found. */
  readonly terms: readonly QueryTerm[];
  /**
   * What was searched for: the words that mean something, the common ones because there was nothing else, or nothing,
   * because the query has no letter, digit, ideograph or pictograph.
   */
  readonly basis: 'words' | 'common-words' | 'nothing';
}

/**
 * What one of several characters counts, beside their pairs: enough to find 表头 by 表格 when nothing has 表格, too little to
 * outdo what does. Measured, as all else here, by the retrieval benchmark; anything from 0.1 to 0.3 is as good.
 */
const CHARACTER = 0.2;

const weights: Readonly<Record<TermForm, number>> = { word: 1, whole: 1, pair: 1, lone: 1, character: CHARACTER };

/** What a term counts that only does the work of grammar. A pair says a little more than one of its characters. */
function commonWeightOf(form: TermForm): number {
  return form === 'pair' ? CHARACTER : 0;
}

/**
 * Reads a query: plain text with no syntax, whatever it holds. Common words do not count, unless there are no others.
 */
export function readQuery(query: string): Query {
  const meant = new Map<string, number>();
  const all = new Map<string, number>();
  let speaking = 0;
  visitTerms(query, (term, form, common) => {
    const weight = common ? commonWeightOf(form) : weights[form];
    if (!common) speaking++;
    if (weight > (meant.get(term) ?? 0)) meant.set(term, weight);
    all.set(term, weights[form]);
  });
  const terms = [...(speaking > 0 ? meant : all)].map(([term, weight]) => ({ term, weight }));
  return { terms, basis: terms.length === 0 ? 'nothing' : speaking > 0 ? 'words' : 'common-words' };
}
