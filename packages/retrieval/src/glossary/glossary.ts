import { parseGlossary, MAX_TOKENS, type GlossaryGroup, type GlossaryWord } from './parse.ts';
import { keyOf, Tokens } from './tokens.ts';
import { WORDS } from './words.ts';

/** A word that means the same as a word of a query, or a narrower one. */
export interface RelatedWord {
  /** The word of the query, as the glossary writes it: `timeout` for the query `timeouts`. */
  readonly word: string;
  /** The terms of the query that the word consists of: each word, identifier, pair and character. */
  readonly of: readonly string[];
  /** As the glossary writes it: `超时`. */
  readonly related: string;
  /** A document has the related word if it has all of these terms. Never empty. */
  readonly terms: readonly string[];
  /** The share of the word's own weight: 0.5 for the same meaning, 0.25 for a narrower one. */
  readonly weight: number;
}

const SAME = 0.5;
const NARROWER = 0.25;

/** The beginning of a query that is read. A query may be a whole file. */
const MAX_QUERY_UNITS = 2000;
/** Each costs a store one or two readings of postings. */
const MAX_RELATED = 40;
const MAX_RELATED_PER_WORD = 12;

/** A word with the groups that it is in. */
interface Entry {
  readonly word: GlossaryWord;
  readonly group: GlossaryGroup;
  readonly isNarrower: boolean;
}

/** A part of a query that a glossary has: from a token to before another one. */
interface Match {
  readonly from: number;
  readonly to: number;
  readonly entries: readonly Entry[];
}

/** Groups of words by the keys of their words. */
class GroupIndex {
  readonly #entries = new Map<string, Entry[]>();

  constructor(groups: readonly GlossaryGroup[]) {
    for (const group of groups) {
      for (const word of group.words) this.#add({ word, group, isNarrower: false });
      for (const word of group.narrower) this.#add({ word, group, isNarrower: true });
    }
  }

  entriesOf(key: string): readonly Entry[] {
    return this.#entries.get(key) ?? [];
  }

  #add(entry: Entry): void {
    for (const key of entry.word.keys) {
      const known = this.#entries.get(key);
      if (known === undefined) this.#entries.set(key, [entry]);
      else known.push(entry);
    }
  }
}

/** The groups that the package has, indexed by the first call that needs them. */
const own: { index?: GroupIndex } = {};

/** Returns the groups that the package has. */
export function ownGroups(): readonly GlossaryGroup[] {
  return parseGlossary(WORDS).groups;
}

/** Words that mean the same, within and across languages: those of the package, and more. */
export class Glossary {
  readonly #more: GroupIndex;

  constructor(more: readonly GlossaryGroup[]) {
    this.#more = new GroupIndex(more);
  }

  /**
   * Returns the words that are related to the words of a query, in the order of the query. Of overlapping words the longest
   * counts: `load balancer` is not `load`. A word is related to the other words of its groups, and not to what those are related to.
   * Words that the query has itself are left out. At most 12 words for each word, and 40 in all, from the first 2,000 UTF-16 code
   * units.
   */
  relatedTo(query: string): readonly RelatedWord[] {
    own.index ??= new GroupIndex(ownGroups());
    const tokens = new Tokens(query.slice(0, MAX_QUERY_UNITS));
    const asked = new Set(tokens.terms());
    const all = new Map<string, RelatedWord>();
    for (const { from, to, entries } of withoutOverlaps(this.#matchesIn(tokens, own.index))) {
      const of = tokens.terms(from, to);
      const words = new Map<string, RelatedWord>();
      for (const entry of entries) {
        for (const { word, weight } of relatedOf(entry)) {
          const [key = ''] = word.keys;
          if (word.terms.every((term) => asked.has(term)) || (words.get(key)?.weight ?? 0) >= weight) continue;
          words.set(key, { word: entry.word.text, of, related: word.text, terms: word.terms, weight });
        }
      }
      for (const [key, word] of [...words].slice(0, MAX_RELATED_PER_WORD)) all.set(`${word.word} ${key}`, word);
    }
    return [...all.values()].slice(0, MAX_RELATED);
  }

  #matchesIn({ tokens, wholes }: Tokens, index: GroupIndex): Match[] {
    const matches: Match[] = [];
    for (const from of tokens.keys()) {
      for (let to = from + 1; to <= Math.min(from + MAX_TOKENS, tokens.length); to++) {
        const keys = new Set([keyOf(tokens.slice(from, to))]);
        for (const whole of wholes) if (whole.from === from && whole.to === to) keys.add(whole.term);
        const entries = [...keys].flatMap((key) => [...this.#more.entriesOf(key), ...index.entriesOf(key)]);
        if (entries.length > 0) matches.push({ from, to, entries });
      }
    }
    return matches;
  }
}

/** Returns the words that a query with a word of a group is also about. */
function relatedOf({
  word,
  group,
  isNarrower,
}: Entry): readonly { readonly word: GlossaryWord; readonly weight: number }[] {
  if (isNarrower) return [];
  const same = group.words.filter((other) => other !== word).map((other) => ({ word: other, weight: SAME }));
  return [...same, ...group.narrower.map((other) => ({ word: other, weight: NARROWER }))];
}

/**
 * Returns matches that do not overlap, in their order. The longest ones win. Of equally long ones the later wins, because a
 * Chinese word more often ends where the overlap ends: `上线程` is `线程`.
 */
function withoutOverlaps(matches: readonly Match[]): Match[] {
  const chosen: Match[] = [];
  const byLength = matches.toSorted((a, b) => b.to - b.from - (a.to - a.from) || b.from - a.from);
  for (const match of byLength) {
    if (chosen.every(({ from, to }) => to <= match.from || match.to <= from)) chosen.push(match);
  }
  return chosen.toSorted((a, b) => a.from - b.from);
}

/** Creates a glossary of the words of the package and of more groups, which `parseGlossary` returns. */
export function createGlossary(more: readonly GlossaryGroup[] = []): Glossary {
  return new Glossary(more);
}
