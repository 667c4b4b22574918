import { GroupIndex, LazyGroups, type Entry } from './group-index.ts';
import { MAX_TOKENS, type GlossaryGroup, type GlossaryWord } from './parse.ts';
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
  /** The share of the word's own weight: 0.5 for the same meaning in another language, and less for the same language or a narrower word. */
  readonly weight: number;
}

const SAME = 0.5;
const NARROWER = 0.25;
/** Of a word of the same language, as a share of these. */
const SAME_LANGUAGE = 0.6;

/** The beginning of a query that is read. A query may be a whole file. */
const MAX_QUERY_UNITS = 2000;
/** Each costs a store one or two readings of postings. */
const MAX_RELATED = 48;
const MAX_RELATED_PER_WORD = 12;

/** A part of a query that a glossary has: from a token to before another one. */
interface Match {
  readonly from: number;
  readonly to: number;
  readonly entries: readonly Entry[];
}

/** The words of the package, read by the first call that needs them. */
const own: { groups?: LazyGroups } = {};

/** Words that mean the same, within and across languages: those of the package, and more. */
export class Glossary {
  readonly #more = new GroupIndex();

  constructor(more: readonly GlossaryGroup[]) {
    for (const group of more) this.#more.add(group);
  }

  /**
   * Returns the words that are related to the words of a query, in the order of the query. Of overlapping words the longest
   * counts: `load balancer` is not `load`. A word is related to the other words of its groups, and not to what those are related to.
   * Words that the query has itself are left out. At most 48, from the first 2,000 UTF-16 code units: a word of a long query has
   * fewer than one of a short query.
   */
  relatedTo(query: string): readonly RelatedWord[] {
    own.groups ??= new LazyGroups(WORDS);
    const tokens = new Tokens(query.slice(0, MAX_QUERY_UNITS));
    const terms = tokens.terms();
    const asked = new Set(terms);
    const index = own.groups.indexFor(terms);
    const matches = withoutOverlaps(this.#matchesIn(tokens, index, writtenWords(query)), tokens);
    const share = Math.min(MAX_RELATED_PER_WORD, Math.ceil(MAX_RELATED / matches.length));
    const all = new Map<string, RelatedWord>();
    for (const { from, to, entries } of matches) {
      const of = tokens.terms(from, to);
      const words = new Map<string, RelatedWord>();
      for (const entry of entries) {
        for (const { word, weight } of relatedOf(entry)) {
          const key = word.terms.join(' ');
          if (word.terms.every((term) => asked.has(term)) || (words.get(key)?.weight ?? 0) >= weight) continue;
          words.set(key, { word: entry.word.text, of, related: word.text, terms: word.terms, weight });
        }
      }
      for (const word of inTurns([...words.values()]).slice(0, share)) {
        all.set(`${word.word} ${word.terms.join(' ')}`, word);
      }
    }
    return [...all.values()].slice(0, MAX_RELATED);
  }

  #matchesIn({ tokens, wholes }: Tokens, index: GroupIndex, written: ReadonlySet<string>): Match[] {
    const matches: Match[] = [];
    for (const from of tokens.keys()) {
      for (let to = from + 1; to <= Math.min(from + MAX_TOKENS, tokens.length); to++) {
        const keys = new Set([keyOf(tokens.slice(from, to))]);
        for (const whole of wholes) if (whole.from === from && whole.to === to) keys.add(whole.term);
        const all = [...keys].flatMap((key) => [...this.#more.entriesOf(key), ...index.entriesOf(key)]);
        const exact = all.filter(({ word }) => written.has(word.text.toLowerCase()));
        const entries = exact.length > 0 ? exact : all;
        // A word that is only a narrower one relates nothing, and must not hide its parts.
        if (entries.some(({ isNarrower }) => !isNarrower)) matches.push({ from, to, entries });
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
  // Writers of one language mostly use the same word. In another language there is only the other word.
  const weighed = (other: GlossaryWord, weight: number): { readonly word: GlossaryWord; readonly weight: number } => {
    return { word: other, weight: isLatin(other.text) === isLatin(word.text) ? weight * SAME_LANGUAGE : weight };
  };
  const others = group.words.filter((other) => other !== word);
  return [...others.map((other) => weighed(other, SAME)), ...group.narrower.map((other) => weighed(other, NARROWER))];
}

/** Returns the words of a query as they are written. The stems of `author` and `authorize`, which are two words, are the same. */
function writtenWords(query: string): ReadonlySet<string> {
  return new Set(
    query
      .slice(0, MAX_QUERY_UNITS)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu),
  );
}

/** Returns whether a word has only ASCII characters. */
function isLatin(text: string): boolean {
  return /^[ -~]*$/u.test(text);
}

/** Returns words of the two kinds of scripts in turns, so that a limit leaves some of both. */
function inTurns(words: readonly RelatedWord[]): RelatedWord[] {
  const [latin, other] = [
    words.filter(({ related }) => isLatin(related)),
    words.filter(({ related }) => !isLatin(related)),
  ];
  return words.flatMap((_, place) => [...latin.slice(place, place + 1), ...other.slice(place, place + 1)]);
}

/**
 * Returns matches that do not overlap, in their order. The longest ones win. Of equally long ones the later wins, because a
 * Chinese word more often ends where the overlap ends: `上线程` is `线程`. The first and the last word of a longer word of Chinese
 * count too: `网关超时` is also `网关` and `超时`, while a `load balancer` is not a `load`.
 */
function withoutOverlaps(matches: readonly Match[], { tokens }: Tokens): Match[] {
  const chosen: Match[] = [];
  const byLength = matches.toSorted((a, b) => b.to - b.from - (a.to - a.from) || b.from - a.from);
  for (const match of byLength) {
    const { from, to } = match;
    const overlapping = chosen.filter((one) => from < one.to && one.from < to);
    const isPart = tokens.slice(from, to).every(({ isCharacter }) => isCharacter) && to - from > 1;
    const isAtEnd = (one: Match): boolean => (from === one.from && to < one.to) || (to === one.to && from > one.from);
    if (overlapping.length === 0 || (isPart && overlapping.every(isAtEnd))) chosen.push(match);
  }
  return chosen.toSorted((a, b) => a.from - b.from || b.to - a.to);
}

/** Creates a glossary of the words of the package and of more groups, which `parseGlossary` returns. */
export function createGlossary(more: readonly GlossaryGroup[] = []): Glossary {
  return new Glossary(more);
}
