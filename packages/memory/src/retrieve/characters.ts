/** What a character is to {@link visitTerms}. */
export const kind = {
  /** Between words. */
  separator: 0,
  /** A letter that is not upper case. */
  lower: 1,
  upper: 2,
  digit: 3,
  /** Belongs to what stands before it, and begins nothing. */
  mark: 4,
  /** Of a script that puts no space between words. */
  unspaced: 5,
  /** A pictograph: a word of its own. */
  sign: 6,
} as const;

export type Kind = (typeof kind)[keyof typeof kind];

/**
 * Scripts without spaces between words, or (Hangul) with words that carry particles: where a word ends in them only a
 * dictionary knows. `ー` lengthens a vowel in both kana and belongs to neither script. Planes 2 and 3 hold nothing but Han,
 * so what a newer Unicode puts there is known already, and two versions of Node agree.
 */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC\u{20000}-\u{3FFFD}]/u;

function look(character: string): Kind {
  if (/\p{Nd}/u.test(character)) return kind.digit;
  if (unspaced.test(character) && !/\p{P}/u.test(character)) return kind.unspaced;
  if (/\p{M}/u.test(character)) return kind.mark;
  if (/\p{N}/u.test(character)) return kind.digit;
  if (/\p{Lu}/u.test(character)) return kind.upper;
  if (/\p{L}/u.test(character)) return kind.lower;
  return /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(character) ? kind.sign : kind.separator;
}

const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;

/** The kinds of the code points that were met so far, and of their neighbours: a text looks most of them up thousands of times. */
const pages: (Uint8Array | undefined)[] = [];

function readPage(number: number): Uint8Array {
  const page = Uint8Array.from({ length: PAGE }, (_, low) => look(String.fromCodePoint(number * PAGE + low)));
  pages[number] = page;
  return page;
}

/** Whether words are made of these. */
export function isWordKind(one: Kind): boolean {
  return one === kind.lower || one === kind.upper || one === kind.digit;
}

/** What the character at this code point is. A surrogate without its other half separates. */
export function kindOf(codePoint: number): Kind {
  const page = pages[codePoint >> PAGE_BITS] ?? readPage(codePoint >> PAGE_BITS);
  // Only `look` fills a page.
  return page[codePoint & (PAGE - 1)] as Kind;
}
