/** Full-width and half-width forms. Other compatibility forms, such as `²` and `①`, are different texts. */
const WIDTH_FORMS = /[\uff00-\uffef\u3000]+/gu;

/** Characters that take no space: a soft hyphen, a zero width space, a word joiner, the style of a pictograph, a byte order mark. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]|[\ufe0e-\ufe0f]/gu;

/** Punctuation that ends a sentence or a clause. Not all punctuation: `C#` and `C`, `50%` and `50` differ. */
const FINAL_PUNCTUATION: ReadonlySet<string> = new Set(' .!?,;:…‥。、');

/** Letters whose two lower case forms have one upper case form. */
const CASE_FORMS: Readonly<Record<string, string>> = { ß: 'ss', ς: 'σ', ſ: 's' };

function withoutFinalPunctuation(text: string): string {
  let { length } = text;
  while (FINAL_PUNCTUATION.has(text[length - 1] ?? '')) length--;
  return text.slice(0, length);
}

/** Removes differences in case, width, whitespace, final punctuation and the composition of letters. */
export function foldText(text: string): string {
  const folded = text
    .normalize('NFC')
    .replace(WIDTH_FORMS, (forms) => forms.normalize('NFKC'))
    .toLowerCase()
    .replace(/[ßςſ]/gu, (letter) => CASE_FORMS[letter] ?? letter)
    .replace(INVISIBLE, '')
    .replace(/\s+/gu, ' ')
    .trim();
  const bare = withoutFinalPunctuation(folded);
  // Texts of punctuation alone stay different.
  return (bare === '' ? folded : bare).normalize('NFC');
}
