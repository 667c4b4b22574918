import { stemOf } from './terms.ts';

/** Shorter words have too many neighbors: `log` is a typo of `long` and of `lag`. */
const MIN_LETTERS = 4;
/** A word of this length has few neighbors that are words, so that any letter of it may be wrong. */
const MIN_LETTERS_OF_ANY = 5;
const MAX_LETTERS = 24;

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** Adds the words that differ by two swapped letters, or by a letter that is doubled, or not. */
function addSwapped(word: string, add: (other: string) => void): void {
  for (let at = 0; at < word.length; at++) {
    const [one = '', next = ''] = [word[at], word[at + 1]];
    if (next !== '' && one !== next) add(word.slice(0, at) + next + one + word.slice(at + 2));
    if (one === next) add(word.slice(0, at) + word.slice(at + 1));
    else add(word.slice(0, at) + one + word.slice(at));
  }
}

/** Adds the words that differ by a letter that is missing, or superfluous, or another one. The first letter is seldom wrong. */
function addTypos(word: string, add: (other: string) => void): void {
  for (let at = 1; at <= word.length; at++) {
    if (at < word.length) add(word.slice(0, at) + word.slice(at + 1));
    for (const letter of letters) {
      add(word.slice(0, at) + letter + word.slice(at));
      if (at < word.length) add(word.slice(0, at) + letter + word.slice(at + 1));
    }
  }
}

/** Endings that make another form of a word: `delivery` of `deliver`. The longest first. */
const endings = (
  'ations ation ition ments ances ences ities ance ence ment able ible ical ions ness ious ful ial ion ity ize ise ing ive ant ' +
  'ent ure ous ers ery ies al ed er or ic ry ly e s y'
).split(' ');
/** Shorter roots have too many forms that mean something else: `port`, `portal`. */
const MIN_ROOT = 5;

/** Adds the words with the same root and another ending. */
function addForms(word: string, add: (other: string) => void): void {
  for (const ending of ['', ...endings]) {
    const root = word.slice(0, word.length - ending.length);
    if (root.length < MIN_ROOT || !word.endsWith(ending)) continue;
    for (const other of ['', ...endings]) add(root + other);
  }
}

/** A word that was perhaps meant, and its term. */
export interface Correction {
  readonly word: string;
  readonly term: string;
}

/**
 * Returns the words that a word may be another form or a typo of, the likely ones first: those with another ending, and those that
 * differ in one letter. Most of them are not words. Each term comes once. Empty for a word that is too short or too long, or
 * that has other characters than Latin letters.
 */
export function corrections(word: string): readonly Correction[] {
  if (word.length < MIN_LETTERS || word.length > MAX_LETTERS || !/^[a-z]+$/u.test(word)) return [];
  const found = new Map<string, string>([[stemOf(word), word]]);
  const add = (other: string): void => {
    const term = stemOf(other);
    if (!found.has(term)) found.set(term, other);
  };
  if (word.length >= MIN_LETTERS_OF_ANY) addForms(word, add);
  addSwapped(word, add);
  if (word.length >= MIN_LETTERS_OF_ANY) addTypos(word, add);
  return Array.from(found, ([term, other]) => ({ word: other, term })).slice(1);
}
