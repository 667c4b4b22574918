import { ToolError } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import { TextDecoder } from 'node:util';

export interface TextEncoding {
  /** The WHATWG name: `utf-8`, `utf-16le`, `windows-1252`, … */
  readonly label: string;
  /** The byte order mark at the start; empty when there is none. */
  readonly mark: Uint8Array;
  /** Bytes of a code unit: 2 in UTF-16. */
  readonly unit: 1 | 2;
  /** Bytes that are not valid become U+FFFD. */
  decode(bytes: Uint8Array): string;
  /** Returns `undefined` when the encoding lacks a character. */
  encode(text: string): Buffer | undefined;
}

const none = new Uint8Array();
const marks: readonly (readonly [label: string, mark: Uint8Array])[] = [
  ['utf-8', Uint8Array.of(0xef, 0xbb, 0xbf)],
  ['utf-16le', Uint8Array.of(0xff, 0xfe)],
  ['utf-16be', Uint8Array.of(0xfe, 0xff)],
];

function encodeUtf8(text: string): Buffer | undefined {
  // Half of a surrogate pair is not a character.
  return /\p{Surrogate}/u.test(text) ? undefined : Buffer.from(text, 'utf8');
}

/** A line feed is never part of a longer character, so it separates the pairs: a wrong one does not affect the next. */
const LINE_FEED = 0x0a;

/** The bytes of each character that a legacy encoding stores in one byte or two. */
function reverseTable(decoder: TextDecoder): ReadonlyMap<string, Buffer> {
  const sequences: Buffer[] = [];
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x30; trail <= 0xfe; trail++) sequences.push(Buffer.from([lead, trail]));
  }
  for (let byte = 0x80; byte <= 0xff; byte++) sequences.push(Buffer.from([byte]));
  const separated = Buffer.concat(sequences.flatMap((sequence) => [sequence, Buffer.of(LINE_FEED)]));
  const decoded = decoder.decode(separated).split('\n');
  const table = new Map<string, Buffer>();
  sequences.forEach((sequence, index) => {
    const text = decoded[index] ?? '';
    if (/^[^\ufffd]$/u.test(text) && !table.has(text)) table.set(text, sequence);
  });
  return table;
}

function encodeLegacy(text: string, table: ReadonlyMap<string, Buffer>): Buffer | undefined {
  const parts: Buffer[] = [];
  for (const character of text) {
    const bytes = character < '\x80' ? Buffer.from(character) : table.get(character);
    if (bytes === undefined) return undefined;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function encodingOf(decoder: TextDecoder, mark: Uint8Array): TextEncoding {
  const label = decoder.encoding;
  const decode = (bytes: Uint8Array): string => decoder.decode(bytes);
  if (label === 'utf-8') return { label, mark, unit: 1, decode, encode: encodeUtf8 };
  if (label === 'utf-16le') return { label, mark, unit: 2, decode, encode: (text) => Buffer.from(text, 'utf16le') };
  if (label === 'utf-16be') {
    return { label, mark, unit: 2, decode, encode: (text) => Buffer.from(text, 'utf16le').swap16() };
  }
  let table: ReadonlyMap<string, Buffer> | undefined;
  return { label, mark, unit: 1, decode, encode: (text) => encodeLegacy(text, (table ??= reverseTable(decoder))) };
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { ignoreBOM: true });
  } catch (cause) {
    const summary = `The encoding ${escapeControls(JSON.stringify(label))} is unknown`;
    const hint = 'Use a label of the WHATWG Encoding Standard, such as utf-8, utf-16le, windows-1252 or shift_jis.';
    throw new ToolError('ENCODING', [summary, hint], { cause });
  }
}

/**
 * Returns the encoding of a file that starts with `head`: the given one, else the one of its byte order mark, else UTF-8.
 *
 * @throws {ToolError} `ENCODING` when `label` is unknown.
 */
export function encodingFor(head: Uint8Array, label?: string): TextEncoding {
  const asked = label === undefined ? undefined : decoderOf(label);
  for (const [name, mark] of marks) {
    const isMarked = mark.every((byte, index) => head[index] === byte);
    if (isMarked && (asked === undefined || asked.encoding === name)) return encodingOf(decoderOf(name), mark);
  }
  return encodingOf(asked ?? decoderOf('utf-8'), none);
}

/** The bytes that decide whether a file is text; the same number as in git. */
const BINARY_PROBE_BYTES = 8000;

/** Returns whether a file that starts with `head` is binary: it has a NUL and is not UTF-16. */
export function isBinary(head: Uint8Array, encoding: TextEncoding): boolean {
  return encoding.unit === 1 && head.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

/** Returns the bytes of a string. @throws {ToolError} `ENCODING` when the encoding lacks a character. */
export function encodeText(encoding: TextEncoding, text: string, path: string): Buffer {
  const bytes = encoding.encode(text);
  if (bytes) return bytes;
  const summary = `The new text has a character that ${path} cannot store as ${encoding.label}`;
  const hint = 'Leave the character out, or write it as an escape of the language.';
  throw new ToolError('ENCODING', [summary, hint], { path });
}
