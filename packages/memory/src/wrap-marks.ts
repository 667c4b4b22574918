/** The name of the wrapper's marks. */
export const MARK = 'recalled-memory';

/** Characters that are not seen, are blank, or only decorate the letter before them: they may stand anywhere in a mark. */
const FILLER = String.raw`[\s\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]*`;

/** Signs that a reader may take for `<`, `/` and `-`. */
const OPENING = String.raw`[<\u00ab\u02c2\u1438\u2039\u2329\u276c\u276e\u2770\u27e8\u27ea\u3008\u300a\ufe64\uff1c]`;
const SLASH = String.raw`[/\\\u2044\u2215\u29f8\u2571\uff0f\uff3c]`;
const HYPHEN = String.raw`[-_\u2010-\u2015\u2043\u207b\u208b\u2212\u30fc\ufe58\ufe63\uff0d\uff3f]`;

/** Letters of other scripts that look like those of the name. */
const lookalikes: Readonly<Record<string, string>> = {
  a: 'αа',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еεҽ',
  l: 'iıιіӏ1|',
  m: 'м',
  o: 'оο0',
  r: 'г',
  y: 'уγү',
};

/** Where Unicode has Latin letters in other forms: phonetic, raised, lowered, circled, mathematical, full width. */
const FORMS: readonly (readonly [first: number, last: number])[] = [
  [0x2b0, 0x2e4],
  [0x1d2c, 0x1dbf],
  [0x2071, 0x209c],
  [0x2100, 0x217f],
  [0x249c, 0x24e9],
  [0x2c7c, 0x2c7d],
  [0xff21, 0xff5a],
  [0x1d400, 0x1d6a5],
  [0x1f110, 0x1f189],
];

/** The forms of each letter, by the letter. */
function formsOf(letters: ReadonlySet<string>): ReadonlyMap<string, string> {
  const forms = new Map<string, string>();
  for (const [first, last] of FORMS) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      const form = String.fromCodePoint(codePoint);
      // What is in brackets, `⒜`, and what is in a square, `🄰`.
      const letter = /[a-z]/u.exec(form.normalize('NFKC').toLowerCase())?.[0] ?? squared(codePoint);
      if (letters.has(letter)) forms.set(letter, `${forms.get(letter) ?? ''}${form}`);
    }
  }
  return forms;
}

/** Letters in black circles and squares, which Unicode does not trace to those that they show. */
function squared(codePoint: number): string {
  for (const first of [0x1f150, 0x1f170]) {
    if (codePoint >= first && codePoint < first + 26) return String.fromCodePoint(0x61 + codePoint - first);
  }
  return '';
}

/**
 * Finds the sign that begins a mark, in any form that a reader may take for one. No two parts that follow one another can
 * take the same character, so that it takes a time that is linear in the text, whatever it is.
 */
export function createMarkPattern(): RegExp {
  const forms = formsOf(new Set(MARK.replace('-', '')));
  const letters = [...MARK].map((letter) =>
    letter === '-'
      ? `(?:${HYPHEN}${FILLER})*`
      : `[${letter}${lookalikes[letter] ?? ''}${forms.get(letter) ?? ''}]${FILLER}`,
  );
  const name = letters.join('');
  return new RegExp(`${OPENING}(?=${FILLER}(?:${SLASH}${FILLER})*${name})`, 'giu');
}
