import { kind, kindOf, widthOf } from './characters.ts';

/** The marks that one letter keeps. Unicode's Stream-Safe Text Format has the same limit. */
const MAX_MARKS = 30;

const tooManyMarks = new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u');

/** Soft hyphens, zero-width characters and variation selectors: invisible, and not typed in queries. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** Removes the marks above the limit. A loop, because a regular expression over millions of marks overflows the stack. */
function limitMarks(text: string): string {
  const kept: string[] = [];
  let marks = 0;
  let from = 0;
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at) ?? 0;
    const end = at + widthOf(codePoint);
    marks = kindOf(codePoint) === kind.mark ? marks + 1 : 0;
    if (marks > MAX_MARKS) {
      if (from < at) kept.push(text.slice(from, at));
      from = end;
    }
    at = end;
  }
  return kept.join('') + text.slice(from);
}

/**
 * Returns the text in one spelling: full width becomes half width, and sequences are composed. Letters keep their case.
 *
 * Normalizing sorts the marks of a letter, in a time that is the square of their number. Marks beyond any real text are
 * therefore removed first.
 */
export function normalize(text: string): string {
  if (isAscii(text)) return text;
  const visible = text.replaceAll(invisible, '');
  return (tooManyMarks.test(visible) ? limitMarks(visible) : visible).normalize('NFKC');
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

const latin = /\p{Script=Latin}/u;

/** Returns a word in lower case. Latin letters lose their marks, because people leave them out. */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  if (isAscii(lower) || !latin.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll('ß', 'ss');
}
