import { escapeControls } from '../paths/quote.ts';
import { lookalikesOf, mayBeTakenFor } from './lookalikes.ts';

/** Invisible characters, spaces and marks that decorate the letter before them: a reader may overlook them inside a name. */
const FILLER = String.raw`[\s\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]*`;

/**
 * Characters that a reader may take for `<`, `/` and `-`: those of Unicode's confusables, angle brackets, and signs for less or
 * before.
 */
const OPENING = String.raw`[<\u00ab\u02c2\u02f1\u1438\u16b2\u2039\u2264-\u227f\u22b0\u22d6-\u22e9\u2329\u2343\u276c\u276e\u2770\u27c8\u27e8\u27ea\u2976\u2977\u2987\u2989\u2991\u2993\u2996\u29c0\u29fc\u2a79-\u2abc\u2af7\u2af9\u3008\u300a\ufe3d\ufe3f\ufe64\uff1c]`;
const SLASH = String.raw`[/\\\u1735\u2041\u2044\u2215\u2216\u2571\u27cb\u27cd\u29f5\u29f8\u29f9\u2cc6\u2f02\u2f03\u3033\u30ce\u31d3\u31d4\u4e36\u4e3f\ufe68\uff0f\uff3c\u{1d20f}\u{1d23a}\u{1d23b}]`;
const HYPHEN = String.raw`[-_~\u02d7\u02dc\u06d4\u2010-\u2015\u2043\u207b\u208b\u2212\u2796\u2cba\u30fc\ufe58\ufe63\uff0d\uff3f]`;

/** A sign, and the character after it that is not a space or a slash. */
const BEGINNING = new RegExp(`${OPENING}(?=${FILLER}(?:${SLASH}${FILLER})*(.))`, 'gsu');

/** With more signs than this, the pattern is worth its time. */
const MAX_SIGNS = 256;

/** Returns whether a mark may begin in a string. Most texts then need no pattern, which takes ten milliseconds to make. */
function mayHaveMark(text: string, firstLetter: string): boolean {
  let signs = 0;
  for (const [, next = ''] of text.matchAll(BEGINNING)) {
    signs++;
    if (signs > MAX_SIGNS || mayBeTakenFor(firstLetter, next)) return true;
  }
  return false;
}

/**
 * Makes the pattern of the sign that begins a mark, in any form that a reader may take for one. No two adjacent parts can
 * match the same character, so the time is linear in the text.
 */
function createMarkPattern(name: string): RegExp {
  const letters = [...name].map((letter) =>
    letter === '-' ? `(?:${HYPHEN}${FILLER})*` : `[${letter}${lookalikesOf(letter)}]${FILLER}`,
  );
  return new RegExp(`${OPENING}(?=${FILLER}(?:${SLASH}${FILLER})*${letters.join('')})`, 'giu');
}

function escapeAttribute(text: string): string {
  const escaped = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/gu, (sign) => escaped[sign as keyof typeof escaped]);
}

/** Marks that delimit data in a prompt, so that a model can tell it from instructions. */
interface DataMarks {
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
  // Made on first use: most programs import this and wrap nothing.
  let pattern: RegExp | undefined;
  const neutralize = (text: string): string => {
    if (pattern === undefined && !mayHaveMark(text, name.charAt(0))) return text;
    pattern ??= createMarkPattern(name);
    return text.replace(pattern, '&lt;');
  };
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
