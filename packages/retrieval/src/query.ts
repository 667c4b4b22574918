import { functionPhrases, functionWords, generalPhrases, generalWords } from './common-words.ts';
import { numerals, particles, questionCharacters, surnames } from './stop-words.ts';
import { visitTerms, type TermForm } from './terms.ts';

/** A term of a query with its weight. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
}

/** A part of a query that a document has or lacks: a word, or a character of a script without spaces. */
export interface QueryUnit {
  /** As the query has it. */
  readonly text: string;
  /** Whether it is a name, which no document has in other words. */
  readonly isName: boolean;
  /** The terms that match the unit: the word, or the pairs with the character. */
  readonly terms: readonly string[];
  /** The character itself, which says less than a pair. */
  readonly character?: string;
  /** Whether it directly follows the unit before it, within a run of characters. */
  readonly isJoined: boolean;
  /** How much of a word the unit is: a character is half a word, and a word of any question less than another one. */
  readonly share: number;
  /** Whether the unit belongs to the form of a question and not to its subject: `many`, `用`. */
  readonly isQuestion: boolean;
}

/** A word that means the same as a word of a query, or that the word may be a typo of. */
export interface Relation {
  readonly kind: 'spelling' | 'glossary';
  /** The word of the query. */
  readonly word: string;
  /** The terms of the query that the word consists of. */
  readonly of: readonly string[];
  readonly related: string;
  /** A document has the related word if it has all of these terms. */
  readonly terms: readonly string[];
  /** How much it counts, compared with the word itself. */
  readonly share: number;
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
  /** Whether it has words besides those that any question may have: without one, no document is an answer. */
  readonly hasSubject: boolean;
  /** A document with one of them is found too. @default none */
  readonly relations?: readonly Relation[];
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
/** What a word that any question may have counts, compared with another one. */
const GENERAL = 0.3;

type OpenUnit = QueryUnit & { terms: string[]; share: number; isStop: boolean; isQuestion: boolean; isName: boolean };

/** The characters of a given name. */
const MAX_GIVEN = 2;

/** Returns whether a word is written like a name: `Ruby`, `iOS`. An acronym, such as `CI`, has other words. */
function isName(written: string, isFirst: boolean): boolean {
  return (isFirst ? /\p{L}\p{Lu}/u : /\p{Lu}/u).test(written) && /\p{Ll}/u.test(written);
}

/** Collects the units of a query from its terms in their order. */
class UnitReader {
  readonly #units: OpenUnit[] = [];
  readonly #words = new Set<string>();
  /** A sentence begins with a capital. */
  #isFirst = true;
  /** The pair of the last character and the next one. */
  #pair: string | undefined;

  visit(term: string, form: TermForm, { isStop, text }: { readonly isStop: boolean; readonly text: string }): void {
    switch (form) {
      case 'word': {
        const isFirst = this.#isFirst;
        this.#isFirst = false;
        if (this.#words.has(term)) return;
        this.#words.add(term);
        const share = generalWords.has(term) ? GENERAL : 1;
        const isQuestion = functionWords.has(term);
        this.#units.push({
          text,
          terms: [term],
          share,
          isStop,
          isQuestion,
          isJoined: false,
          isName: isName(text, isFirst),
        });
        return;
      }
      case 'pair':
        this.#pair = term;
        return;
      case 'lone':
      case 'character': {
        const isQuestion = questionCharacters.has(term) || numerals.has(term);
        const isJoined = this.#pair !== undefined;
        const unit = {
          text: term,
          terms: [],
          character: term,
          share: CHARACTER_SHARE,
          isStop,
          isQuestion,
          isJoined,
          isName: false,
        };
        this.#addPair(this.#pair, unit);
        this.#pair = undefined;
        this.#units.push(unit);
        return;
      }
      case 'whole':
        this.#addWhole(term, text);
    }
  }

  /** The words of an identifier are units already. Of one with a single letter, such as `gRPC` or `k8s`, no word says anything. */
  #addWhole(term: string, text: string): void {
    const parts: OpenUnit[] = [];
    for (let rest = text, at = this.#units.length - 1; rest !== '' && at >= 0; at--) {
      const unit = this.#units[at];
      if (unit === undefined || unit.character !== undefined || !rest.endsWith(unit.text)) break;
      rest = rest.slice(0, -unit.text.length);
      parts.unshift(unit);
    }
    const last = parts.at(-1) ?? this.#units.at(-1);
    if (last === undefined) return;
    if (parts.some((part) => part.text.length === 1)) {
      this.#units.splice(-parts.length, parts.length);
      this.#units.push({
        ...last,
        text,
        terms: [term],
        share: 1,
        isStop: false,
        isQuestion: false,
        isName: isName(text, false),
      });
      return;
    }
    // An identifier of stop words, such as `isOn`, is found by the whole.
    if (last.isStop) last.terms.length = 0;
    last.terms.push(term);
    last.isStop = false;
  }

  #addPair(pair: string | undefined, unit: OpenUnit): void {
    if (pair === undefined) return;
    const characters = Array.from(pair);
    // A pair of two characters of questions, such as 多少, says nothing.
    if (characters.some((one) => particles.has(one)) || characters.every((one) => questionCharacters.has(one))) return;
    this.#units.at(-1)?.terms.push(pair);
    unit.terms.push(pair);
  }

  /** Finds words of Chinese that any question may have. */
  #markPhrases(): void {
    for (let from = 0; from < this.#units.length;) {
      let to = from + 1;
      while (this.#units[to]?.isJoined === true) to++;
      const run = this.#units.slice(from, to);
      if (run[0]?.character !== undefined) markRun(run);
      from = to;
    }
  }

  /** Returns the units without stop words and, when others remain, without words of questions. */
  read(): Pick<Query, 'hasSubject' | 'units'> {
    this.#markPhrases();
    const subject = this.#units.filter(({ isStop }) => !isStop);
    const units = subject.length > 0 ? subject : this.#units;
    const hasSubject = subject.some(({ isQuestion }) => !isQuestion);
    return {
      hasSubject,
      units: units.flatMap(({ isStop, ...unit }) => {
        if (!hasSubject) return { ...unit, isQuestion: false, share: unit.share || CHARACTER_SHARE };
        return unit.isQuestion && unit.character === undefined ? [] : unit;
      }),
    };
  }
}

/** Visits the characters of each phrase that a run has. */
function visitPhrases(run: readonly OpenUnit[], phrases: readonly string[], visit: (unit: OpenUnit) => void): void {
  // A character may have two UTF-16 code units.
  const text = run.map(({ character = '' }) => character).join('');
  for (const phrase of phrases) {
    for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + phrase.length)) {
      const place = Array.from(text.slice(0, at)).length;
      for (const unit of run.slice(place, place + phrase.length)) visit(unit);
    }
  }
}

/** Finds the name of a person at the start of a run: a surname and up to two characters, before a word of any question. */
function markPerson(run: readonly OpenUnit[], isSubject: (place: number) => boolean): void {
  const isBoundary = (place: number): boolean =>
    run[place] === undefined || !isSubject(place) || run[place].share < CHARACTER_SHARE;
  if (!surnames.has(run[0]?.character ?? '')) return;
  const given = Array.from({ length: MAX_GIVEN + 1 }, (_, index) => index + 1).find(isBoundary) ?? 1;
  if (given === 1) return;
  for (const unit of run.slice(0, given)) unit.isName = true;
}

/** Finds the words of a run of characters that any question may have, and single characters between such words. */
function markRun(run: readonly OpenUnit[]): void {
  visitPhrases(run, functionPhrases, (unit) => {
    unit.isQuestion = true;
    unit.share = 0;
  });
  visitPhrases(run, generalPhrases, (unit) => {
    unit.share = Math.min(unit.share, CHARACTER_SHARE * GENERAL);
  });
  const isSubject = (place: number): boolean => {
    const unit = run[place];
    return unit !== undefined && unit.share > 0 && !unit.isStop && !unit.isQuestion;
  };
  markPerson(run, isSubject);
  const alone = run.filter((_, place) => isSubject(place) && !isSubject(place - 1) && !isSubject(place + 1));
  for (const unit of run.length > 1 ? alone : []) unit.share *= GENERAL;
}

/** Parses a query. It is plain text without syntax. Stop words do not count unless the query has no other words. */
export function readQuery(query: string): Query {
  const withoutStopWords = new Map<string, number>();
  const all = new Map<string, number>();
  const units = new UnitReader();
  let hasWords = false;
  visitTerms(query, (term, form, isStop, text) => {
    const weight = isStop ? stopWeightOf(form) : weights[form];
    hasWords ||= !isStop;
    if (weight > (withoutStopWords.get(term) ?? 0)) withoutStopWords.set(term, weight);
    all.set(term, weights[form]);
    units.visit(term, form, { isStop, text });
  });
  const terms = [...(hasWords ? withoutStopWords : all)].map(([term, weight]) => ({ term, weight }));
  const basis = terms.length === 0 ? 'nothing' : hasWords ? 'words' : 'common-words';
  return { terms, basis, ...units.read() };
}
