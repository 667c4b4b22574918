/** Names in quotes with escapes, as git prints names with unusual characters. */
import { escapeControls } from '@cairn/tool/paths';

const letters: Readonly<Record<string, string>> = {
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
};
const characters: ReadonlyMap<string, string> = new Map(
  Object.entries(letters).map(([character, letter]) => [letter, character]),
);

function escapeOne(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  const letter = letters[character];
  if (letter !== undefined) return `\\${letter}`;
  if (escapeControls(character) === character) return character;
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Returns a name in quotes when it has quotes, backslashes or what {@link escapeControls} escapes. */
export function quoteGitName(name: string): string {
  const quoted = [...name].map(escapeOne).join('');
  return quoted === name ? name : `"${quoted}"`;
}

const QUOTED = /^"(?=.*\\)(?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*"$/u;
const PART = /\\(?:(?<octal>\d{3})|(?<letter>.))|[^\\]+/gu;

/** Returns the bytes of a name in quotes with escapes; `undefined` for any other text. */
export function bytesOfGitName(quoted: string): Buffer | undefined {
  if (!QUOTED.test(quoted)) return undefined;
  const parts = [...quoted.slice(1, -1).matchAll(PART)].map(([text, octal, letter]) => {
    if (octal !== undefined) return Buffer.of(Number.parseInt(octal, 8));
    return Buffer.from(letter === undefined ? text : (characters.get(letter) ?? letter));
  });
  return Buffer.concat(parts);
}
