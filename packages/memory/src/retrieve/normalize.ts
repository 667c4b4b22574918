import { kind, kindOf } from './characters.ts';

/** How many marks one letter keeps; Unicode's Stream-Safe Text Format has the same limit. */
const MOST_MARKS = 30;

const tooManyMarks = new RegExp(`\\p{M}{${MOST_MARKS + 1}}`, 'u');

/** Soft hyphens, zero-width characters and variation selectors: nobody sees them, and nobody types them. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Leaves out the marks that are too many. By hand: a regular expression of millions of marks runs out of stack.
 */
function limitMarks(text: string): string {
  const kept: string[] = [];
  let marks = 0;
  let from = 0;
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at) ?? 0;
    const end = at + (codePoint > 0xff_ff ? 2 : 1);
    marks = kindOf(codePoint) === kind.mark ? marks + 1 : 0;
    if (marks > MOST_MARKS) {
      if (from < at) kept.push(text.slice(from, at));
      from = end;
    }
    at = end;
  }
  return kept.join('') + text.slice(from);
}

/**
 * The text in one spelling: full width becomes half, what can be composed is. Letters keep their case.
 *
 * Normalizing sorts the marks of a letter, in a time that is the square of their number: those beyond any real text are
 * left out first.
 */
export function normalize(text: string): string {
  if (isAscii(text)) return text;
  const seen = text.replaceAll(invisible, '');
  return (tooManyMarks.test(seen) ? limitMarks(seen) : seen).normalize('NFKC');
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

const latin = /\p{Script=Latin}/u;

/** A word in lower case; Latin letters without their marks, because people leave them out. */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  if (isAscii(lower) || !latin.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll('ß', 'ss');
}
