/** The begin of the text that no line of an answer may begin with. */
export const FORGED = '12: FORGED';

const separators = ['\n', '\r', '\r\n', '\u0085', '\u2028', '\u2029', '\v', '\f'];
const others = ['\t', '\u0008', '\u001b[2J', '\u009b2J', '\u007f', '\u061c', '\u202e', '\u2066', '\u200b', '\u{e0041}'];

/** Names that forge a line where they are not quoted, or hide a part of themselves. */
export const hostileNames: readonly string[] = [
  ...[...separators, ...others].map((character) => `a${character}${FORGED}`),
  FORGED,
  '[no match] [FORGED]',
  '"a\\n12: FORGED"',
];

/** What no text of an answer may have: a hostile character besides its own line feeds, or a line that a name began. */
const forbidden = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]|^(?:12: FORGED|\[no match\] \[FORGED)/mu;

/** Returns the first part of a text that a hostile name forged; `undefined` when there is none. */
export function forgedIn(text: string): string | undefined {
  // Some hosts number lines with a tab after the number.
  const found = forbidden.exec(text.replaceAll(/^ *\d+\t/gmu, ''));
  return found === null ? undefined : JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 60));
}
