/**
 * A character that can forge a line, hide text or turn it round: controls, separators of lines, format characters (among them
 * those for the direction of text), invisible characters, halves of surrogate pairs. The joiners and selectors of emoji stay.
 */
export const HOSTILE_CHARACTER: RegExp =
  /(?!(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)\ufe0f|(?<=\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

const HOSTILE = new RegExp(HOSTILE_CHARACTER, 'gu');

/** Texts without such a character, for speed. */
const PLAIN = /^[ -~]*$/u;

/** Nearly every path: also without spaces and quotes, so that it cannot mislead. For speed: a listing has 100,000 paths. */
const USUAL_PATH = /^[!#-~]+$/u;

/**
 * Names that a reader could take for something else in an answer: a quoted path, a notice in brackets, a numbered line, a gap,
 * a link with its target, or a name without the whitespace at its ends.
 */
const MISLEADING = /^"|^\s|\s$|^\[[^\]]*\s|^\d+[:-]\s|^--$| -> /u;

const short: Readonly<Record<string, string>> = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r' };

/** Escapes a character as JSON does: one beyond the basic plane as two escapes. */
function escapeOne(character: string): string {
  const known = short[character];
  if (known !== undefined) return known;
  return Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${code}`;
  }).join('');
}

/**
 * Escapes the characters of a string that can forge a line, hide text or turn it round, as JSON strings do: `\n`, `\u001b`,
 * `\u202e`. For one line of an answer that holds a foreign text. The result cannot be converted back; a path needs
 * {@link quotePath}.
 *
 * @param kept characters that stay, such as the tabs of a line of a file. Default: none.
 */
export function escapeControls(text: string, kept: string = ''): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HOSTILE, (character) => (kept.includes(character) ? character : escapeOne(character)));
}

/**
 * Returns a path in the form in which answers show it. Nearly every path is shown as it is. One that could forge a line of an
 * answer, hide a part of itself or be taken for something else is shown as a JSON string in ASCII escapes, such as
 * `"a\nb.txt"`. {@link unquotePath} converts it back, as does `JSON.parse`.
 */
export function quotePath(path: string): string {
  if (USUAL_PATH.test(path) && path !== '--') return path;
  const escaped = escapeControls(path);
  if (escaped === path && !MISLEADING.test(path)) return path;
  return `"${escapeControls(path.replaceAll(/["\\]/gu, String.raw`\$&`))}"`;
}

/** Returns the path of a string that {@link quotePath} made. Any other string, even one in quotes, is returned as it is. */
export function unquotePath(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  try {
    const path: unknown = JSON.parse(text);
    return typeof path === 'string' && quotePath(path) === text ? path : text;
  } catch {
    // Not a JSON string, so a path with quotes in it.
    return text;
  }
}

/**
 * Returns a value in quotes for a message. Characters that could forge a line are escaped, and a long value is cut.
 *
 * @param maxCharacters in UTF-16 code units
 */
export function quoted(value: unknown, maxCharacters: number = 60): string {
  const text = String(value);
  return escapeControls(JSON.stringify(text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text));
}
