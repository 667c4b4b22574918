import { stem } from 'porter2';
import { isWordKind, kind, kindOf, widthOf, type Kind } from './characters.ts';
import { fold, normalize } from './normalize.ts';
import { stopCharacters, stopWords } from './stop-words.ts';

/**
 * The form of a term in its text. `word`: a word, or a part of an identifier. `whole`: a whole identifier. `pair`: two
 * adjacent characters of a script without spaces. `character`: one character of a pair. `lone`: a character without a pair.
 */
export type TermForm = 'word' | 'whole' | 'pair' | 'character' | 'lone';

/**
 * Is called for each term of a string. `isStop`: the term is a stop word or contains a stop character. `written`: the word as the
 * string has it, of an identifier without joiners.
 */
export type TermVisitor = (term: string, form: TermForm, isStop: boolean, written: string) => void;

/** In UTF-16 code units. A longer word is data: only its beginning becomes a term. */
const MAX_WORD_UNITS = 64;

/** A position in a normalized text. */
interface Cursor {
  readonly text: string;
  at: number;
}

function codePointAt({ text, at }: Cursor): number {
  return text.codePointAt(at) ?? 0;
}

export function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stem(word) : word;
}

/** Visits every character of a run, because a query may be one character, and every pair of neighbours. */
function visitRun(cursor: Cursor, visit: TermVisitor): void {
  let previous = '';
  let isPreviousStop = false;
  let pairs = 0;
  while (cursor.at < cursor.text.length) {
    const codePoint = codePointAt(cursor);
    const found = kindOf(codePoint);
    if (found !== kind.unspaced && found !== kind.mark) break;
    cursor.at += widthOf(codePoint);
    if (found === kind.mark) continue;
    const character = String.fromCodePoint(codePoint);
    const isStop = stopCharacters.has(character);
    if (previous !== '') {
      pairs++;
      visit(previous, 'character', isPreviousStop, previous);
      visit(previous + character, 'pair', isPreviousStop || isStop, previous + character);
    }
    previous = character;
    isPreviousStop = isStop;
  }
  visit(previous, pairs > 0 ? 'character' : 'lone', isPreviousStop, previous);
}

/** Returns whether a word ends between two characters: `fooBar`, `HTTPServer`, `utf8`. */
function isBoundary(before: Kind, after: Kind, next: Kind | undefined): boolean {
  if (before === kind.digit || after === kind.digit) return before !== after;
  if (after !== kind.upper) return false;
  return before === kind.lower || next === kind.lower;
}

/** Splits a run of letters and digits into words. */
function partsOf(run: string): string[] {
  // Most words have no boundary.
  if (/^[A-Z]?[a-z]+$/.test(run)) return [run];
  const parts: string[] = [];
  const characters = [...run];
  const kinds = characters.map((character) => kindOf(character.codePointAt(0) ?? 0));
  let part = '';
  let before: Kind | undefined;
  for (const [index, character] of characters.entries()) {
    const here = kinds[index] ?? kind.mark;
    if (here !== kind.mark) {
      if (before !== undefined && isBoundary(before, here, kinds[index + 1])) {
        parts.push(part);
        part = '';
      }
      before = here;
    }
    part += character;
  }
  return [...parts, part];
}

interface Word {
  /** As it is written. */
  readonly written: string;
  readonly text: string;
  readonly term: string;
  readonly isStop: boolean;
}

/** Recent runs with their words, because texts repeat words. Cleared when it is full. */
const cache = new Map<string, readonly Word[]>();
const MAX_CACHED_RUNS = 20_000;

function readWords(run: string): readonly Word[] {
  if (run.length > MAX_WORD_UNITS) {
    // A store would return half a surrogate pair as another character.
    const text = fold(run.slice(0, MAX_WORD_UNITS).replace(/[\uD800-\uDBFF]$/, ''));
    return [{ written: text, text, term: text, isStop: false }];
  }
  const cached = cache.get(run);
  if (cached !== undefined) return cached;
  const words = partsOf(run).map((part): Word => {
    const text = fold(part);
    return { written: part, text, term: stemOf(text), isStop: stopWords.has(text) };
  });
  if (cache.size >= MAX_CACHED_RUNS) cache.clear();
  cache.set(run, words);
  return words;
}

/** Reads letters, digits and their marks, and moves the cursor to their end. */
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

/** Returns the joiner at the cursor if a word follows: `_`, one `.` or one `-`. */
function joinerAt({ text, at }: Cursor): string {
  let end = at;
  while (text[end] === '_') end++;
  if (end === at && (text[at] === '.' || text[at] === '-')) end++;
  const next = text.codePointAt(end);
  return end > at && next !== undefined && isWordKind(kindOf(next)) ? text.slice(at, end) : '';
}

/** Visits the words of an identifier, and the identifier without joiners, so that `readFile` and `read_file` are equal. */
function visitWord(cursor: Cursor, visit: TermVisitor): void {
  let whole = '';
  let name = '';
  let count = 0;
  let joiner = '';
  do {
    cursor.at += joiner.length;
    for (const { written, text, term, isStop } of readWords(readRun(cursor))) {
      visit(term, 'word', isStop, written);
      name += written;
      // A version or a date differs from the number with the same digits.
      if (joiner !== '' && /\d$/.test(whole) && /^\d/.test(text)) whole += joiner;
      if (whole.length <= MAX_WORD_UNITS) whole += text;
      joiner = '';
      count++;
    }
    joiner = joinerAt(cursor);
  } while (joiner !== '');
  if (count > 1 && whole.length <= MAX_WORD_UNITS) visit(stemOf(whole), 'whole', false, name);
}

/** Calls `visit` for each term of a string, in order. Takes linear time for any text. */
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
      const character = String.fromCodePoint(codePoint);
      if (found === kind.pictograph) visit(character, 'word', false, character);
    }
  }
}

/** About two milliseconds. */
const UNITS_PER_SLICE = 16 * 1024;

/** After these characters a new word begins, and nothing is composed across them. */
const sliceEnd = /[\t\n\r ,;:!?()。，、；：！？]/gu;

/** Returns where a slice that begins at `from` ends. A string without a suitable character has one slice. */
function sliceEndAfter(text: string, from: number): number {
  if (text.length - from <= UNITS_PER_SLICE) return text.length;
  sliceEnd.lastIndex = from + UNITS_PER_SLICE;
  const found = sliceEnd.exec(text);
  return found === null ? text.length : found.index + 1;
}

/**
 * Does the same as {@link visitTerms}, in slices of a long text, so that a caller can let other work run in between.
 *
 * @yields the UTF-16 code units of the slice.
 */
function* visitTermsInSlices(text: string, visit: TermVisitor): Generator<number, void, void> {
  let from = 0;
  while (from < text.length) {
    const end = sliceEndAfter(text, from);
    visitTerms(from === 0 && end === text.length ? text : text.slice(from, end), visit);
    yield end - from;
    from = end;
  }
}

/**
 * Returns the terms of a string, with repetitions, for an index or for statistics.
 *
 * Words are in lower case, without the marks of Latin letters, and stemmed as English. Identifiers are split and also kept
 * whole. Chinese and other scripts without spaces yield each character and each pair of neighbours. Pictographs are terms;
 * punctuation is not. Stop words are included: only a query leaves them out. A word longer than 64 UTF-16 code units has one
 * term, its beginning.
 *
 * Another version of the package may split differently: do not mix terms of two versions.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  visitTerms(text, (term) => terms.push(term));
  return terms;
}

/**
 * Counts the terms of a string, for an index. See {@link termsOf}.
 *
 * @yields the work of each step, in UTF-16 code units, so that a caller can let other work run in between.
 */
export function* countTerms(text: string): Generator<number, ReadonlyMap<string, number>, void> {
  const counts = new Map<string, number>();
  yield* visitTermsInSlices(text, (term) => {
    counts.set(term, (counts.get(term) ?? 0) + 1);
  });
  return counts;
}
