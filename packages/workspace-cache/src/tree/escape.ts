import { HOSTILE_CHARACTER } from '@cairn/tool/internal';

/**
 * The escaped parts of a name:
 *
 * - characters that begin a line, hide a part of the name or reverse its direction (the joiners and selectors of emoji stay);
 * - spaces at its ends, and the characters that a line of the tree that is not an entry begins with, `…` and `... `;
 * - the `>` of ` -> `, which separates a link from its target, and the backslash.
 */
const ESCAPED = new RegExp(
  String.raw`${HOSTILE_CHARACTER.source}|^\p{Zs}|\p{Zs}$|^…|^\.(?=\.\.\s)|(?<= -)>(?= )|\\`,
  'gu',
);

/** Nearly every name: none of its characters can be escaped. For speed. */
const PLAIN = /^[!-[\]-~]*$/u;

/** A sequence of UTF-8, as characters with the numbers of its bytes; or one byte that belongs to none. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- The bytes of ASCII, all of them.
  /[\u0000-\u007f]+|[\u00c2-\u00df][\u0080-\u00bf]|\u00e0[\u00a0-\u00bf][\u0080-\u00bf]|[\u00e1-\u00ec\u00ee\u00ef][\u0080-\u00bf]{2}|\u00ed[\u0080-\u009f][\u0080-\u00bf]|\u00f0[\u0090-\u00bf][\u0080-\u00bf]{2}|[\u00f1-\u00f3][\u0080-\u00bf]{3}|\u00f4[\u0080-\u008f][\u0080-\u00bf]{2}|([^])/gu;

/** Added to a byte that is not UTF-8: gives a lone surrogate, which no UTF-8 text contains. */
const INVALID_BYTE = 0xdc00;

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(SEQUENCE, (sequence, invalid?: string) =>
      invalid === undefined
        ? Buffer.from(sequence, 'latin1').toString('utf8')
        : String.fromCharCode(INVALID_BYTE + invalid.charCodeAt(0)),
    );
}

const hex = (number: number): string => number.toString(16).toUpperCase();

/**
 * Writes a name or the target of a link so that it stays on its line and cannot be taken for another line: an escaped
 * character is `\u{HEX}`, a backslash `\\`, a byte that is not UTF-8 `\xHH`.
 *
 * @param bytes the bytes of a name that is not valid UTF-8.
 */
export function escapeName(name: string, bytes?: Uint8Array): string {
  if (bytes === undefined && PLAIN.test(name)) return name;
  return (bytes === undefined ? name : decode(bytes)).replaceAll(ESCAPED, (character) => {
    if (character === '\\') return String.raw`\\`;
    const code = character.codePointAt(0) ?? 0;
    const isByte = bytes !== undefined && code > INVALID_BYTE && code <= INVALID_BYTE + 0xff;
    return isByte ? String.raw`\x${hex(code - INVALID_BYTE)}` : String.raw`\u{${hex(code)}}`;
  });
}

/** Writes the names of a path like {@link escapeName}. */
export function escapePath(path: string, bytes?: Uint8Array): string {
  // Each byte is a character, so that no name is decoded before it is separated.
  const names = bytes === undefined ? path.split('/') : Buffer.from(bytes).toString('latin1').split('/');
  return names.map((name) => escapeName(name, bytes && Buffer.from(name, 'latin1'))).join('/');
}
