import { normalize } from '../normalize.ts';
import { visitTerms, type TermForm } from '../terms.ts';

/** A word, or a character of a script without spaces, at its place in a string. */
export interface Token {
  readonly term: string;
  /** The separator from the token before: nothing within a run of characters, a space, or the end of a clause. */
  readonly joint: '' | ' ' | '\n';
  readonly isStop: boolean;
  readonly isCharacter: boolean;
}

/** The term of a whole identifier, such as `timeout` of `time-out`, and its words: from `from` to before `to`. */
export interface Whole {
  readonly term: string;
  readonly from: number;
  readonly to: number;
}

/** The words on the two sides of such a character are not one phrase. */
const clauseEnd = /[,;:!?()[\]"\n、。]|\.(?=\s|$)/u;
/** Between identifiers. `visitTerms` joins the words of an identifier by `_`, `.` and `-`. */
const space = /[\s/|&+=<>*'`~@#$%^\\{}]+/u;

/** The tokens of a string in their order, split and stemmed as an index does it. */
export class Tokens {
  readonly tokens: Token[] = [];
  readonly wholes: Whole[] = [];
  #joint: Token['joint'] = '';
  /** The words of the current identifier. */
  #words = 0;

  constructor(text: string) {
    for (const clause of normalize(text).split(clauseEnd)) {
      for (const part of clause.split(space)) {
        this.#words = 0;
        visitTerms(part, (term, form, isStop) => {
          this.#add(term, form, isStop);
        });
      }
      if (this.tokens.length > 0) this.#joint = '\n';
    }
  }

  /** Returns the terms of the tokens from a place to before another one: words, identifiers, pairs and characters. */
  terms(from = 0, to: number = this.tokens.length): readonly string[] {
    const terms = new Set<string>();
    for (const [offset, { term, joint }] of this.tokens.slice(from, to).entries()) {
      const before = this.tokens[from + offset - 1];
      terms.add(term);
      if (offset > 0 && joint === '' && before !== undefined) terms.add(before.term + term);
    }
    for (const whole of this.wholes) if (whole.from >= from && whole.to <= to) terms.add(whole.term);
    return [...terms];
  }

  #add(term: string, form: TermForm, isStop: boolean): void {
    // The next character follows without a space.
    if (form === 'pair') this.#joint = '';
    if (form === 'pair') return;
    const { length } = this.tokens;
    if (form === 'whole') {
      this.wholes.push({ term, from: length - this.#words, to: length });
      this.#words = 0;
      return;
    }
    const isCharacter = form !== 'word';
    this.#words = isCharacter ? 0 : this.#words + 1;
    this.tokens.push({ term, joint: this.#joint, isStop, isCharacter });
    this.#joint = ' ';
  }
}

/** Returns tokens as one string, in which a run of characters has no spaces. */
export function keyOf(tokens: readonly Pick<Token, 'term' | 'joint'>[]): string {
  return tokens.map(({ term, joint }, index) => (index === 0 ? term : joint + term)).join('');
}
