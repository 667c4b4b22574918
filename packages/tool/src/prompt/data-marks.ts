import { escapeControls } from '../paths/quote.ts';

/** Invisible characters, blanks and marks that decorate the letter before them: a reader may overlook them inside a name. */
const FILLER = String.raw`[\s\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]*`;

/** Characters that a reader may take for `<`, `/` and `-`. */
const OPENING = String.raw`[<\u00ab\u02c2\u1438\u2039\u2329\u276c\u276e\u2770\u27e8\u27ea\u3008\u300a\ufe64\uff1c]`;
const SLASH = String.raw`[/\\\u2044\u2215\u29f8\u2571\uff0f\uff3c]`;
const HYPHEN = String.raw`[-_\u2010-\u2015\u2043\u207b\u208b\u2212\u30fc\ufe58\ufe63\uff0d\uff3f]`;

/** Letters of other scripts, and digits and signs, that a reader may take for a Latin letter. */
const lookalikes: Readonly<Record<string, string>> = {
  a: 'αа',
  b: 'вьЬ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еεҽ',
  g: 'ɡ',
  h: 'һ',
  i: 'іıιlӏ1|',
  j: 'јϳ',
  k: 'кκ',
  l: 'iıιіӏ1|',
  m: 'м',
  n: 'пո',
  o: 'оο0',
  p: 'рρ',
  q: 'ԛ',
  r: 'г',
  s: 'ѕ5',
  t: 'тτ',
  u: 'υս',
  v: 'νѵ',
  w: 'ԝω',
  x: 'хχ',
  y: 'уγү',
  z: 'ᴢ2',
};

/** Ranges of Unicode with other forms of Latin letters: phonetic, raised, lowered, circled, mathematical, full width. */
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

/** Returns the other forms of each letter. */
function formsOf(letters: ReadonlySet<string>): ReadonlyMap<string, string> {
  const forms = new Map<string, string>();
  for (const [first, last] of FORMS) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      const form = String.fromCodePoint(codePoint);
      // Also the letter of a bracketed form, `⒜`, and of a squared one, `🄰`.
      const letter = /[a-z]/u.exec(form.normalize('NFKC').toLowerCase())?.[0] ?? squared(codePoint);
      if (letters.has(letter)) forms.set(letter, `${forms.get(letter) ?? ''}${form}`);
    }
  }
  return forms;
}

/** Returns the letter of a black circle or square: Unicode does not map these to letters. */
function squared(codePoint: number): string {
  for (const first of [0x1f150, 0x1f170]) {
    if (codePoint >= first && codePoint < first + 26) return String.fromCodePoint(0x61 + codePoint - first);
  }
  return '';
}

/**
 * Makes the pattern of the sign that begins a mark, in any form that a reader may take for one. No two adjacent parts can
 * match the same character, so the time is linear in the text.
 */
function createMarkPattern(name: string): RegExp {
  const forms = formsOf(new Set(name.replaceAll('-', '')));
  const letters = [...name].map((letter) =>
    letter === '-'
      ? `(?:${HYPHEN}${FILLER})*`
      : `[${letter}${lookalikes[letter] ?? ''}${forms.get(letter) ?? ''}]${FILLER}`,
  );
  return new RegExp(`${OPENING}(?=${FILLER}(?:${SLASH}${FILLER})*${letters.join('')})`, 'giu');
}

function escapeAttribute(text: string): string {
  const escaped = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/gu, (sign) => escaped[sign as keyof typeof escaped]);
}

/** Marks that delimit data in a prompt, so that a model can tell it from instructions. */
export interface DataMarks {
  /** Replaces the sign that begins a mark of this name, in any form a reader may take for one, by `&lt;`. */
  neutralize(text: string): string;
  /** Puts data between marks: `<name key="value">`, the data, `</name>`. Marks inside the data are neutralized. */
  wrap(attributes: Readonly<Record<string, string>>, data: string): string;
}

/**
 * Makes data marks of a name, such as `recalled-memory`. No data can end its own wrapper or begin another one.
 *
 * @throws {RangeError} when the name holds anything but `a` to `z` and `-`, or does not begin with a letter.
 */
export function createDataMarks(name: string): DataMarks {
  if (!/^[a-z][a-z-]*$/u.test(name)) {
    throw new RangeError(`invalid mark name ${JSON.stringify(name)}: use the letters a to z and hyphens`);
  }
  const pattern = createMarkPattern(name);
  const neutralize = (text: string): string => text.replace(pattern, '&lt;');
  return {
    neutralize,
    wrap: (attributes, data) => {
      const shown = Object.entries(attributes).map(
        ([key, value]) => ` ${key}="${neutralize(escapeAttribute(escapeControls(value)))}"`,
      );
      return `<${name}${shown.join('')}>\n${neutralize(data)}\n</${name}>`;
    },
  };
}
