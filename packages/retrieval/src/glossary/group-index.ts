import { readGroup, type GlossaryGroup, type GlossaryWord } from './parse.ts';

/** A word with a group that it is in. */
export interface Entry {
  readonly word: GlossaryWord;
  readonly group: GlossaryGroup;
  readonly isNarrower: boolean;
}

/** Groups by the keys of their words. */
export class GroupIndex {
  readonly #entries = new Map<string, Entry[]>();

  /** Returns the words with a key, in the order of their lines. */
  entriesOf(key: string): readonly Entry[] {
    return this.#entries.get(key) ?? [];
  }

  add(group: GlossaryGroup): void {
    for (const word of group.words) this.#add({ word, group, isNarrower: false });
    for (const word of group.narrower) this.#add({ word, group, isNarrower: true });
  }

  #add(entry: Entry): void {
    for (const key of entry.word.keys) {
      const known = this.#entries.get(key);
      if (known === undefined) {
        this.#entries.set(key, [entry]);
        continue;
      }
      known.push(entry);
      known.sort((left, right) => left.group.lineNumber - right.group.lineNumber);
    }
  }
}

/** Latin letters and digits, or one other character. */
const start = /[a-z\d]{2}(?=s\b)|[a-z\d]{1,3}|[^\s!-~]/u;
/** Before the first letter of a word of a line. */
const BEFORE = String.raw`(?:^|[,>])[^a-z\d\u0080-\uffff]*`;

/** Returns the start that a word has in common with its stem. The stem of `retry` is `retri`, the stem of `ops` is `op`. */
function startOf(text: string): string {
  return start.exec(text)?.[0].replace('y', 'i') ?? '';
}

/** Returns a pattern of words with a start. `e-mail` is also found as an identifier. */
function patternOf(text: string): string {
  const letters = [...text].map((letter) => (/[yi]/u.test(letter) ? '(?:y|i)' : letter));
  const end = /^[a-z\d]{1,2}$/u.test(text) ? String.raw`(?=s?(?![a-z\d]))` : '';
  return letters.join('-?') + end;
}

/**
 * The groups of a glossary without problems. Splitting all words into terms takes a tenth of a second, so that a line is parsed by
 * the first query that has a term with the start of one of its words.
 */
export class LazyGroups {
  /** The lines that were not parsed, by their numbers. */
  readonly #lines: Map<number, string>;
  readonly #starts = new Set(['']);
  readonly #index = new GroupIndex();

  constructor(text: string) {
    this.#lines = new Map(text.split('\n').map((line, index) => [index + 1, line]));
  }

  /** Returns an index of all groups with one of these terms, and of some others. */
  indexFor(terms: readonly string[]): GroupIndex {
    const starts = [...new Set(terms.map(startOf))].filter((one) => !this.#starts.has(one));
    if (starts.length === 0) return this.#index;
    for (const one of starts) this.#starts.add(one);
    const pattern = new RegExp(`${BEFORE}(?:${starts.map(patternOf).join('|')})`, 'iu');
    for (const [lineNumber, line] of this.#lines) if (pattern.test(line)) this.#parse(line, lineNumber);
    return this.#index;
  }

  #parse(line: string, lineNumber: number): void {
    this.#lines.delete(lineNumber);
    const group = readGroup(line, lineNumber);
    if (group !== undefined) this.#index.add(group);
  }
}
