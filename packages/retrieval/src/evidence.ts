import { inverseDocumentFrequency } from './bm25.ts';
import type { Glossary } from './glossary/glossary.ts';
import type { Query, QueryUnit, Relation } from './query.ts';
import type { CountedRelation, ScoredSlot, Statistics } from './score.ts';

/** A term is common when a larger share of the documents has it. */
const COMMON_SHARE = 0.1;
/** In a small collection every term is common. Its terms are weighed as if it had this many documents. */
const MIN_DOCUMENTS = 50;
/** A term is rare when this many documents have it, or this share of them. */
const RARE_DOCUMENTS = 3;
const RARE_SHARE = 0.02;
/** The weight of a word that no document has, compared with a word that one document has. */
const UNKNOWN = 0.8;
/** A name has no other words: a document without it is about something else. */
const MISSING_NAME = 1;
/** Other documents are about a rare word. */
const MISSING_RARE = 0.3;
/** A document with common words only is left out unless it has this share of the weight of a query. */
const LITTLE = 0.2;
/** A query may be a whole file: the words after these are not listed. */
const MAX_MISSING = 12;

/** A word of a query that a document has in another form. */
export interface EvidenceRelation extends Pick<Relation, 'kind' | 'word' | 'related'> {}

/** What a document has of a query, whatever other documents have. */
export interface Coverage {
  /** The share of the weight of the query that the document has, 0 to 1. A related word counts for its share of the word. */
  readonly covered: number;
  /** The words of the query that the document lacks, in the order of the query, at most 12. Words of any question are not listed. */
  readonly missing: readonly string[];
  /** The words of the query that the document has in another form. */
  readonly related: readonly EvidenceRelation[];
  /** The share of the weight of the query that the document lacks: words that it does not have in any form. */
  readonly lacked: number;
  /** How grave it is that these words are missing: names, and words that only few other documents have. */
  readonly gravity: number;
  /** The weight that the document has, 1 for a word that one document has. */
  readonly weight: number;
}

/** What a document has of a query without a subject. */
const NOTHING: Coverage = { covered: 0, missing: [], related: [], lacked: 1, gravity: 0, weight: 0 };

/** A unit of a query in a collection. */
interface JudgedUnit extends QueryUnit {
  readonly weight: number;
  readonly relations: ReadonlySet<CountedRelation>;
  readonly isRare: boolean;
  /** Whether the character alone is too common to show a document. */
  readonly isCommonCharacter: boolean;
}

/** How a document has a unit. */
interface Match {
  readonly share: number;
  readonly isUncommon: boolean;
  readonly relation?: CountedRelation;
}

/** Joins characters that follow each other to words. */
class MissingWords {
  readonly words: string[] = [];
  #last = -1;

  add(place: number, { text, isJoined }: QueryUnit): void {
    const isNext = isJoined && this.#last === place - 1;
    this.#last = place;
    if (isNext) this.words.push(`${this.words.pop() ?? ''}${text}`);
    else if (this.words.length < MAX_MISSING) this.words.push(text);
  }
}

/**
 * Decides what documents of a collection have of a query.
 *
 * A query is divided into units: its words, and the characters of scripts without spaces. A character is matched with a pair,
 * so that pairs across words, which nothing matches, do not count against a document. The weight of a unit is the inverse
 * document frequency of its rarest term.
 */
export class Judge {
  readonly #units: readonly JudgedUnit[];
  readonly #frequencies: ReadonlyMap<string, number>;
  readonly #size: number;
  readonly #total: number;
  /** The weight of the names. */
  readonly #names: number;
  readonly #hasSubject: boolean;

  constructor({ units, hasSubject }: Query, { documents, terms, relations }: Statistics) {
    this.#size = Math.max(documents, MIN_DOCUMENTS);
    this.#frequencies = new Map(terms.map(({ term, documentFrequency }) => [term, documentFrequency]));
    this.#units = units.map((unit) => this.#judged(unit, relations));
    this.#total = this.#units.reduce((sum, { weight }) => sum + weight, 0);
    this.#names = this.#units.reduce((sum, { weight, isName }) => sum + (isName ? weight : 0), 0);
    this.#hasSubject = hasSubject;
  }

  /** Returns `undefined` for a document that has nothing but common words of the query. */
  coverageOf({ matched, related }: Pick<ScoredSlot, 'matched' | 'related'>): Coverage | undefined {
    const terms = new Set(matched.map(({ term }) => term));
    const relations = new Set(related);
    const missing = new MissingWords();
    const used = new Set<CountedRelation>();
    const sums = { covered: 0, present: 0, lacked: 0, rare: 0, names: 0, single: 0 };
    let isFound = false;
    for (const [place, unit] of this.#units.entries()) {
      const { share, isUncommon, relation } = this.#matchOf(unit, terms, relations);
      sums.covered += share * unit.weight;
      if (share > 0) sums.present += unit.weight;
      isFound ||= isUncommon;
      if (relation !== undefined) used.add(relation);
      if (share > 0 || unit.weight === 0) continue;
      sums.lacked += unit.weight;
      if (unit.isRare) sums.rare += unit.weight;
      if (unit.isName) sums.names += unit.weight;
      if (!unit.isCommonCharacter && terms.has(unit.character ?? '')) sums.single += unit.weight;
      missing.add(place, unit);
    }
    const little = Math.max(LITTLE * this.#total, Number.MIN_VALUE);
    if (!isFound && Math.max(sums.present, sums.single) < little) return undefined;
    if (!this.#hasSubject) return NOTHING;
    // Only a query without weight has no total.
    const total = this.#total || 1;
    return {
      covered: Math.min(1, sums.covered / total),
      missing: missing.words,
      related: Array.from(used, ({ kind, word, related: other }) => ({ kind, word, related: other })),
      lacked: Math.min(1, sums.lacked / total),
      gravity: MISSING_RARE * (sums.rare / total) + MISSING_NAME * (sums.names / (this.#names || 1)),
      weight: sums.covered / inverseDocumentFrequency(1, this.#size),
    };
  }

  #isCommon(frequency: number): boolean {
    return frequency > this.#size * COMMON_SHARE;
  }

  #judged(unit: QueryUnit, all: readonly CountedRelation[]): JudgedUnit {
    const { terms, character, share, isQuestion } = unit;
    const relations = all.filter(({ of }) => of.some((term) => terms.includes(term) || term === character));
    const frequencies = terms.map((term) => this.#frequencies.get(term) ?? 0).filter((frequency) => frequency > 0);
    if (frequencies.length === 0) frequencies.push(...relations.map(({ documentFrequency }) => documentFrequency));
    const [frequency, isKnown] = [Math.min(...frequencies), frequencies.length > 0];
    // Another word may say the same as one that no document has.
    const rarity = isKnown ? this.#rarityOf(frequency) : UNKNOWN * this.#rarityOf(1);
    const isRare = isKnown && frequency <= Math.max(RARE_DOCUMENTS, this.#size * RARE_SHARE);
    const ownFrequency = this.#frequencies.get(character ?? '') ?? 0;
    return {
      ...unit,
      weight: isQuestion && !isKnown ? 0 : share * rarity,
      relations: new Set(relations),
      isRare,
      isCommonCharacter: character === undefined || (terms.length > 0 && this.#isCommon(ownFrequency)),
    };
  }

  #rarityOf(frequency: number): number {
    return inverseDocumentFrequency(frequency, this.#size);
  }

  #matchOf(unit: JudgedUnit, terms: ReadonlySet<string>, related: ReadonlySet<CountedRelation>): Match {
    const own = unit.terms.filter((term) => terms.has(term));
    if (own.length > 0) {
      return { share: 1, isUncommon: own.some((term) => !this.#isCommon(this.#frequencies.get(term) ?? 0)) };
    }
    let best: CountedRelation | undefined;
    for (const relation of unit.relations) {
      if (related.has(relation) && relation.share > (best?.share ?? 0)) best = relation;
    }
    if (best === undefined) return { share: 0, isUncommon: false };
    return { share: best.share, isUncommon: false, relation: best };
  }
}

/** The evidence that a document answers a query. */
export interface Evidence extends Pick<Coverage, 'covered' | 'missing'> {
  /** 0 to 1. Below the bound of the call, the document is marked as similar. */
  readonly strength: number;
  /** How far the score is above the score of the next document, as a share of it: 1 for the last document. */
  readonly margin: number;
  /** Absent when the document has all its words as the query writes them. */
  readonly related?: readonly EvidenceRelation[];
}

/** The bound, and the weights below, were chosen with the halves of the questions in `test` that are for tuning. */
const MIN_EVIDENCE = 0.5;
/** A document far above the next one. */
const MARGIN = 0.3;
/** Each rare word that the document has, up to four. */
const RARE_WORD = 0.1;
const MAX_RARE_WORDS = 4;
/** Brings the bound to one half. */
const SCALE = 1.6;
/** A document with half as many rare words as this is an answer, however long the query is. */
const RARE_WORDS_OF_ALL = 6;

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** A word in another form is not missing, but covers only its share: it counts between the two. */
function strengthOf({ covered, lacked, gravity, weight }: Coverage, margin: number): number {
  const has = (covered + 1 - lacked) / 2 - gravity;
  if (covered === 0) return 0;
  const strength = (has + MARGIN * margin + RARE_WORD * Math.min(MAX_RARE_WORDS, weight)) / SCALE;
  return Math.min(1, Math.max(0, strength, weight / RARE_WORDS_OF_ALL - gravity));
}

function evidenceOf(coverage: Coverage, margin: number): Evidence {
  const { covered, missing, related } = coverage;
  return {
    strength: rounded(strengthOf(coverage, margin)),
    covered: rounded(covered),
    missing,
    margin: rounded(margin),
    ...(related.length > 0 && { related }),
  };
}

/** A document in its final order. Without a coverage it was found otherwise, such as by its meaning, and is marked. */
interface Judged {
  readonly score: number;
  readonly coverage?: Coverage | undefined;
}

/** How the evidence of a ranking is judged. */
export interface EvidenceOptions {
  /** Documents with a lower {@link Evidence.strength} are marked as similar: 0 marks none. @default 0.5 */
  readonly minEvidence?: number | undefined;
  /** The words that mean the same. @default those of the package */
  readonly glossary?: Pick<Glossary, 'relatedTo'> | undefined;
}

export interface WithEvidence {
  readonly evidence?: Evidence;
  readonly isSimilar?: true;
}

/**
 * Adds the evidence to documents in their order, and marks those with too little. Documents after a marked one are marked too, so
 * that no document is a better answer than the one above it.
 */
export function withEvidence<Hit extends Judged>(
  hits: readonly Hit[],
  minEvidence: number = MIN_EVIDENCE,
): (Omit<Hit, 'coverage'> & WithEvidence)[] {
  const state = { isAnswer: true };
  return hits.map(({ coverage, ...hit }, place) => {
    const next = hits[place + 1]?.score ?? 0;
    const margin = hit.score > next && hit.score > 0 ? 1 - next / hit.score : 0;
    const evidence = coverage && evidenceOf(coverage, margin);
    state.isAnswer &&= evidence !== undefined && evidence.strength >= minEvidence;
    return { ...hit, ...(evidence && { evidence }), ...(!state.isAnswer && { isSimilar: true as const }) };
  });
}
