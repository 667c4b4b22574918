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

/** Returns the start that a word has in common with its stem. The stem of `retry` is `retri`, the stem of `ops` is `op`. */
function startOf(text: string): string {
  return start.exec(text)?.[0].replace('y', 'i') ?? '';
}

/**
 * The groups of a glossary without problems. Splitting all words into terms takes a tenth of a second, so that a line is parsed by
 * the first query that has a term with the start of one of its words.
 */
export class LazyGroups {
  readonly #lines: readonly string[];
  readonly #byStart = new Map<string, number[]>();
  readonly #parsed = new Set<number>();
  readonly #index = new GroupIndex();

  constructor(text: string) {
    this.#lines = text.split('\n');
    for (const [index, line] of this.#lines.entries()) {
      if (line.startsWith('#')) continue;
      for (const word of line.toLowerCase().split(/[,>]/u)) {
        this.#addStart(startOf(word), index);
        // The start of `e-mail` as an identifier.
        if (word.includes('-')) this.#addStart(startOf(word.replaceAll('-', '')), index);
      }
    }
  }

  /** Returns an index of all groups with one of these terms, and of some others. */
  indexFor(terms: readonly string[]): GroupIndex {
    for (const start of new Set(terms.map(startOf))) {
      for (const index of this.#byStart.get(start) ?? []) this.#parse(index);
      this.#byStart.delete(start);
    }
    return this.#index;
  }

  #parse(index: number): void {
    if (this.#parsed.has(index)) return;
    this.#parsed.add(index);
    const group = readGroup(this.#lines[index] ?? '', index + 1);
    if (group !== undefined) this.#index.add(group);
  }

  #addStart(start: string, index: number): void {
    if (start === '') return;
    const known = this.#byStart.get(start);
    if (known === undefined) this.#byStart.set(start, [index]);
    else known.push(index);
  }
}
