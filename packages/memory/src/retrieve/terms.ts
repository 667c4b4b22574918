import { stem } from 'porter2';
import { isWordKind, kind, kindOf } from './characters.ts';
import type { Kind } from './characters.ts';
import { fold, normalize } from './normalize.ts';
import { isStopCharacter, isStopWord } from './stop-words.ts';

/**
 * What a term was in its text. `word`: a word, or a part of an identifier. `whole`: an identifier as a whole. `pair`: two
 * neighbours of a script without spaces. `character`: one of such neighbours. `lone`: one that has no neighbour.
 */
export type TermForm = 'word' | 'whole' | 'pair' | 'character' | 'lone';

/** Is told each term of a text. `common`: it only does the work of grammar. */
export type TermVisitor = (term: string, form: TermForm, common: boolean) => void;

/** In UTF-16 units. What is longer is data and no word: its beginning is its only term. */
const LONGEST_WORD = 64;

/** A place in a text that was normalized. */
interface Cursor {
  readonly text: string;
  at: number;
}

function codePointAt({ text, at }: Cursor): number {
  return text.codePointAt(at) ?? 0;
}

function widthOf(codePoint: number): 1 | 2 {
  return codePoint > 0xff_ff ? 2 : 1;
}

function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stem(word) : word;
}

/** Every character by itself, because a query may be one, and every two neighbours. */
function visitRun(cursor: Cursor, visit: TermVisitor): void {
  let previous = '';
  let isPreviousCommon = false;
  let pairs = 0;
  while (cursor.at < cursor.text.length) {
    const codePoint = codePointAt(cursor);
    const found = kindOf(codePoint);
    if (found !== kind.unspaced && found !== kind.mark) break;
    cursor.at += widthOf(codePoint);
    if (found === kind.mark) continue;
    const character = String.fromCodePoint(codePoint);
    const isCommon = isStopCharacter(character);
    if (previous !== '') {
      pairs++;
      visit(previous, 'character', isPreviousCommon);
      visit(previous + character, 'pair', isPreviousCommon || isCommon);
    }
    previous = character;
    isPreviousCommon = isCommon;
  }
  visit(previous, pairs > 0 ? 'character' : 'lone', isPreviousCommon);
}

/** Whether a word ends between two of its characters: `fooBar`, `HTTPServer`, `utf8`. */
function isBorder(before: Kind, after: Kind, next: Kind | undefined): boolean {
  if (before === kind.digit || after === kind.digit) return before !== after;
  if (after !== kind.upper) return false;
  return before === kind.lower || next === kind.lower;
}

/** The words that a run of letters and digits is made of. */
function partsOf(run: string): string[] {
  // Most words are plain, and have nothing to be split at.
  if (/^[A-Z]?[a-z]+$/.test(run)) return [run];
  const parts: string[] = [];
  const characters = [...run];
  const kinds = characters.map((character) => kindOf(character.codePointAt(0) ?? 0));
  let part = '';
  let before: Kind | undefined;
  for (const [index, character] of characters.entries()) {
    const here = kinds[index] ?? kind.mark;
    if (here !== kind.mark) {
      if (before !== undefined && isBorder(before, here, kinds[index + 1])) {
        parts.push(part);
        part = '';
      }
      before = here;
    }
    part += character;
  }
  return [...parts, part];
}

/** A word that a run was split into. */
interface Word {
  readonly text: string;
  readonly term: string;
  readonly common: boolean;
}

/** Runs that were met lately and their words: texts say the same words over and over. Emptied when it is full. */
const known = new Map<string, readonly Word[]>();
const MOST_KNOWN = 20_000;

function readWords(run: string): readonly Word[] {
  if (run.length > LONGEST_WORD) {
    // Half a character at the end would be another one when a store gives it back.
    const text = fold(run.slice(0, LONGEST_WORD).replace(/[\uD800-\uDBFF]$/, ''));
    return [{ text, term: text, common: false }];
  }
  const met = known.get(run);
  if (met !== undefined) return met;
  const words = partsOf(run).map((part): Word => {
    const text = fold(part);
    return { text, term: stemOf(text), common: isStopWord(text) };
  });
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(run, words);
  return words;
}

/** Letters, digits and their marks from the cursor on, which it is moved behind. */
function readRun(cursor: Cursor): string {
  const from = cursor.at;
  while (cursor.at < cursor.text.length) {
    const codePoint = codePointAt(cursor);
    const found = kindOf(codePoint);
    if (!isWordKind(found) && found !== kind.mark) break;
    cursor.at += widthOf(codePoint);
  }
  return cursor.text.slice(from, cursor.at);
}

/** What joins the words of an identifier at the cursor, if a word follows it: `_`, one `.` or one `-`. */
function joinerAt({ text, at }: Cursor): string {
  let end = at;
  while (text[end] === '_') end++;
  if (end === at && (text[at] === '.' || text[at] === '-')) end++;
  const next = text.codePointAt(end);
  return end > at && next !== undefined && isWordKind(kindOf(next)) ? text.slice(at, end) : '';
}

/** The words of an identifier, and the identifier without what joins them: `readFile`, `read_file` and `read-file` are one. */
function visitWord(cursor: Cursor, visit: TermVisitor): void {
  let whole = '';
  let count = 0;
  let joiner = '';
  do {
    cursor.at += joiner.length;
    for (const { text, term, common } of readWords(readRun(cursor))) {
      visit(term, 'word', common);
      // A version or a date is not the number that its digits make.
      if (joiner !== '' && /\d$/.test(whole) && /^\d/.test(text)) whole += joiner;
      if (whole.length <= LONGEST_WORD) whole += text;
      joiner = '';
      count++;
    }
    joiner = joinerAt(cursor);
  } while (joiner !== '');
  if (count > 1 && whole.length <= LONGEST_WORD) visit(stemOf(whole), 'whole', false);
}

/** Tells a visitor the terms of a text, in their order. Takes a time that is linear in the length of the text, whatever it is. */
export function visitTerms(text: string, visit: TermVisitor): void {
  const cursor: Cursor = { text: normalize(text), at: 0 };
  while (cursor.at < cursor.text.length) {
    const codePoint = codePointAt(cursor);
    const found = kindOf(codePoint);
    if (found === kind.unspaced) {
      visitRun(cursor, visit);
    } else if (isWordKind(found)) {
      visitWord(cursor, visit);
    } else {
      cursor.at += widthOf(codePoint);
      if (found === kind.sign) visit(String.fromCodePoint(codePoint), 'word', false);
    }
  }
}

/**
 * The terms of a text, with repetitions, for an index or for statistics.
 *
 * Words are in lower case, without the marks of Latin letters, and stemmed as English; identifiers are split and kept whole
 * too. Of Chinese and other scripts without spaces there is each character and each pair of neighbours. Pictographs are
 * terms; punctuation is not. Stop words are in: only a query leaves them out. A word longer than 64 UTF-16 units has one term,
 * made of its beginning.
 *
 * Terms that were stored are to be made again when the package is updated: its minor versions may split differently.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  visitTerms(text, (term) => terms.push(term));
  return terms;
}
