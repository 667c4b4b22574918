/** The kinds of characters that {@link visitTerms} tells apart. */
export const kind = {
  /** Between words. */
  separator: 0,
  /** A letter that is not upper case. */
  lower: 1,
  upper: 2,
  digit: 3,
  /** A combining mark. It belongs to the character before it and starts nothing. */
  mark: 4,
  /** A character of a script without spaces between words. */
  unspaced: 5,
  /** A pictograph, which is a separate word. */
  pictograph: 6,
} as const;

export type Kind = (typeof kind)[keyof typeof kind];

/**
 * Scripts without spaces between words, and Hangul, in which particles are attached to words: only a dictionary knows where
 * a word ends. `ー` lengthens a vowel in both kana and belongs to neither script. Planes 2 and 3 contain only Han, so that
 * characters of a newer Unicode are known already.
 */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC\u{20000}-\u{3FFFD}]/u;

function classify(character: string): Kind {
  if (/\p{Nd}/u.test(character)) return kind.digit;
  if (unspaced.test(character) && !/\p{P}/u.test(character)) return kind.unspaced;
  if (/\p{M}/u.test(character)) return kind.mark;
  if (/\p{N}/u.test(character)) return kind.digit;
  if (/\p{Lu}/u.test(character)) return kind.upper;
  if (/\p{L}/u.test(character)) return kind.lower;
  return /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(character) ? kind.pictograph : kind.separator;
}

const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;

/** The kinds of code points that were met, in pages: a string needs most of its code points many times, and few of all. */
const pages: (Uint8Array | undefined)[] = [];
const UNKNOWN = 0xff;

function addPage(number: number): Uint8Array {
  const page = new Uint8Array(PAGE).fill(UNKNOWN);
  pages[number] = page;
  return page;
}

/** Returns whether words consist of characters of this kind. */
export function isWordKind(one: Kind): boolean {
  return one === kind.lower || one === kind.upper || one === kind.digit;
}

/** Returns the kind of the character at a code point. A surrogate without its other half is a separator. */
export function kindOf(codePoint: number): Kind {
  const page = pages[codePoint >> PAGE_BITS] ?? addPage(codePoint >> PAGE_BITS);
  const low = codePoint & (PAGE - 1);
  let found = page[low] ?? UNKNOWN;
  if (found === UNKNOWN) {
    found = classify(String.fromCodePoint(codePoint));
    page[low] = found;
  }
  // Only `classify` gives another value.
  return found as Kind;
}

/** Returns the UTF-16 code units of a code point. */
export function widthOf(codePoint: number): 1 | 2 {
  return codePoint > 0xff_ff ? 2 : 1;
}
