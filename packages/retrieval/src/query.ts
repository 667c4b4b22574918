import { particles, questionCharacters, questionWords } from './stop-words.ts';
import { visitTerms, type TermForm } from './terms.ts';

/** A term of a query with its weight. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
}

/** A part of a query that a document has or lacks: a word, or a character of a script without spaces. */
interface QueryUnit {
  /** The terms that match the unit: the word, or the pairs with the character. */
  readonly terms: readonly string[];
  /** The character itself, which says less than a pair. */
  readonly character?: string;
  /** How much of a word the unit is. */
  readonly share: number;
  /** Whether the unit belongs to the form of a question and not to its subject: `many`, `用`. */
  readonly isQuestion: boolean;
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
  /** In the order of the query, without stop words unless it has no others. */
  readonly units: readonly QueryUnit[];
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

/** A character is about half a word. */
const CHARACTER_SHARE = 0.5;

/** Collects the units of a query from its terms in their order. */
class UnitReader {
  readonly #units: (QueryUnit & { terms: string[]; isStop: boolean })[] = [];
  readonly #words = new Set<string>();
  /** The pair of the last character and the next one. */
  #pair: string | undefined;

  visit(term: string, form: TermForm, isStop: boolean): void {
    switch (form) {
      case 'word':
        if (this.#words.has(term)) return;
        this.#words.add(term);
        this.#units.push({ terms: [term], share: 1, isStop, isQuestion: questionWords.has(term) });
        return;
      case 'pair': {
        const characters = Array.from(term);
        // A pair of two characters of questions, such as 多少, says nothing.
        if (characters.some((one) => particles.has(one)) || characters.every((one) => questionCharacters.has(one)))
          return;
        this.#units.at(-1)?.terms.push(term);
        this.#pair = term;
        return;
      }
      case 'lone':
      case 'character': {
        const terms = this.#pair === undefined ? [] : [this.#pair];
        this.#pair = undefined;
        const isQuestion = questionCharacters.has(term);
        this.#units.push({ terms, character: term, share: CHARACTER_SHARE, isStop, isQuestion });
        return;
      }
      case 'whole': {
        // The words of an identifier are units already. An identifier of stop words, such as `isOn`, is found by the whole.
        const last = this.#units.at(-1);
        if (last === undefined) return;
        if (last.isStop) last.terms.length = 0;
        last.terms.push(term);
        last.isStop = false;
      }
    }
  }

  /** Returns the units without stop words and, when others remain, without words of questions. */
  read(): readonly QueryUnit[] {
    const subject = this.#units.filter(({ isStop }) => !isStop);
    const units = subject.length > 0 ? subject : this.#units;
    const isAsked = units.some(({ isQuestion }) => !isQuestion);
    return units.flatMap(({ isStop, ...unit }) => {
      if (!isAsked) return { ...unit, isQuestion: false };
      return unit.isQuestion && unit.character === undefined ? [] : unit;
    });
  }
}

/** Parses a query. It is plain text without syntax. Stop words do not count unless the query has no other words. */
export function readQuery(query: string): Query {
  const withoutStopWords = new Map<string, number>();
  const all = new Map<string, number>();
  const units = new UnitReader();
  let hasWords = false;
  visitTerms(query, (term, form, isStop) => {
    const weight = isStop ? stopWeightOf(form) : weights[form];
    hasWords ||= !isStop;
    if (weight > (withoutStopWords.get(term) ?? 0)) withoutStopWords.set(term, weight);
    all.set(term, weights[form]);
    units.visit(term, form, isStop);
  });
  const terms = [...(hasWords ? withoutStopWords : all)].map(([term, weight]) => ({ term, weight }));
  const basis = terms.length === 0 ? 'nothing' : hasWords ? 'words' : 'common-words';
  return { terms, basis, units: units.read() };
}
