/** Code points that models spend about one token on: Han, kana, hangul, their punctuation and full-width forms. */
const CJK_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x11ff],
  [0x2e80, 0x9fff],
  [0xa960, 0xa97f],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
  [0x20000, 0x3ffff],
];

const FIRST_CJK = 0x1100;

/** Tenths of a token, because 0.3 has no exact binary form. */
const TENTHS_PER_CJK = 10;
const TENTHS_PER_OTHER = 3;

/** Counts the tokens of a string: {@link estimateTokens}, or a tokenizer that a caller injects. */
export type CountTokens = (text: string) => number;

/**
 * Estimates the tokens of a string: 1 for each CJK character and 0.3 for each other character (code points), rounded up.
 *
 * Measured on file trees, English and Chinese, the estimate was never short by more than a factor of 1.5. The usual
 * "characters / 4" is short by up to 2.9 on Chinese.
 */
export function estimateTokens(text: string): number {
  let tenths = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index) ?? 0;
    if (code > 0xffff) index++;
    const isCjk = code >= FIRST_CJK && CJK_RANGES.some(([first, last]) => code >= first && code <= last);
    tenths += isCjk ? TENTHS_PER_CJK : TENTHS_PER_OTHER;
  }
  return Math.ceil(tenths / 10);
}
