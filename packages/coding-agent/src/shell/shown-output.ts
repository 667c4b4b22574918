import { createDataMarks } from '@cairn/tool/prompt';
import { startOf } from '@cairn/tool/internal';
import { escapeControls } from '@cairn/tool/paths';
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { KEPT_BYTES, type CommandOutput } from './command-output.ts';
import {
  secretValues,
  withoutValueAtEnd,
  withoutValueAtStart,
  withoutValues,
  type CommandEnvironment,
  type SecretValue,
} from './environment.ts';

/** Characters of an output that an answer shows: of all of it, or of its start and of its end. */
const MAX_CHARACTERS = 8000;
const START_CHARACTERS = 3000;
const END_CHARACTERS: number = MAX_CHARACTERS - START_CHARACTERS;

const marks = createDataMarks('command-output');

/** What an answer shows of an output. */
export interface ShownOutput {
  /** All of it, or its start and its end; between data marks. Empty for no output. */
  readonly parts: readonly string[];
  /** Lines that are not shown, or only in part. */
  readonly hiddenLines: number;
  /** Whether bytes that are not valid UTF-8 are shown as U+FFFD. */
  readonly isBroken: boolean;
}

/** Returns bytes without the part of a character that they begin with, and the one that they end with. */
function wholeCharacters(bytes: Buffer, cut: 'start' | 'end'): Buffer {
  if (cut === 'end') {
    for (let length = bytes.length; length > bytes.length - 4 && length > 0; length--) {
      const byte = bytes[length - 1] ?? 0;
      if (byte >= 0xc0) return bytes.subarray(0, length - 1);
      if (byte < 0x80) break;
    }
    return bytes;
  }
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns a text without colors, without the sequences that clear a line, and with line feeds as line ends. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- The sequences begin with it.
  return text.replaceAll(/\u001b\[(?:[\d;:]*m|[012]?K)/gu, '').replaceAll('\r\n', '\n');
}

/**
 * Returns the text of bytes as an answer shows it: colors and values of withheld variables are left out, and control characters are
 * escaped. Of a value that `cut` splits, nothing is left.
 */
function textOf(bytes: Buffer, secrets: readonly SecretValue[], cut?: 'start' | 'end'): string {
  let text = decoder.decode(bytes);
  // A sequence or a line end that the cut splits would hide what it is in.
  // oxlint-disable-next-line no-control-regex -- As above.
  if (cut === 'end') text = withoutValueAtEnd(plain(text.replace(/\u001b(?:\[[\d;:]*)?$|\r$/u, '')), secrets);
  else if (cut === 'start') text = withoutValueAtStart(plain(text).replace(/^\[?[\d;:]*[mK]/u, ''), secrets);
  else text = plain(text);
  return escapeControls(marks.neutralize(withoutValues(text, secrets)), '\n\t');
}

/** A part of an output, and the number of lines that it has in full. */
interface Part {
  readonly text: string;
  readonly lines: number;
}

function countLineFeeds(text: string): number {
  return text.split('\n').length - 1;
}

/** Returns the start of a text, up to the end of a line if one ends in its second half. */
function startPart(text: string): Part {
  const end = text.lastIndexOf('\n', START_CHARACTERS);
  const isWhole = end > START_CHARACTERS / 2;
  const start = isWhole ? text.slice(0, end) : startOf(text, START_CHARACTERS);
  return { text: start, lines: countLineFeeds(start) + (isWhole ? 1 : 0) };
}

/** Returns the end of a text, from the start of a line if one starts in its first half. */
function endPart(text: string): Part {
  const cut = Math.max(0, text.length - END_CHARACTERS);
  const start = text.indexOf('\n', cut - 1) + 1;
  const isWhole = start > 0 && start - cut < END_CHARACTERS / 2;
  const end = isWhole ? text.slice(start) : text.slice(cut).replace(/^[\uDC00-\uDFFF]/, '');
  const lines = countLineFeeds(end) + (end.endsWith('\n') ? 0 : 1);
  return { text: end, lines: isWhole ? lines : lines - 1 };
}

/** Returns a text without its last line end: the mark begins a line anyway. */
function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Returns the parts of an output that an answer shows, without the values of withheld variables. */
export function shownOutput(output: CommandOutput, withheld: CommandEnvironment['withheld']): ShownOutput {
  if (output.bytes === 0) return { parts: [], hiddenLines: 0, isBroken: false };
  const secrets = secretValues(withheld, plain);
  const isKept = output.bytes <= 2 * KEPT_BYTES;
  const rest = Math.max(0, output.bytes - KEPT_BYTES);
  const whole = isKept ? Buffer.concat([output.head(), output.tail().subarray(KEPT_BYTES - rest)]) : undefined;
  const wholeText = whole && textOf(whole, secrets);
  if (whole !== undefined && wholeText !== undefined && wholeText.length <= MAX_CHARACTERS) {
    return { parts: [marks.wrap({}, withoutEnd(wholeText))], hiddenLines: 0, isBroken: !isUtf8(whole) };
  }
  const [head, tail] = [wholeCharacters(output.head(), 'end'), wholeCharacters(output.tail(), 'start')];
  const start = startPart(wholeText ?? textOf(head, secrets, 'end'));
  const end = endPart(wholeText ?? textOf(tail, secrets, 'start'));
  return {
    parts: [marks.wrap({ part: 'start' }, start.text), marks.wrap({ part: 'end' }, withoutEnd(end.text))],
    // A withheld value may have had several lines.
    hiddenLines: Math.max(0, output.lines() - start.lines - end.lines),
    isBroken: !isUtf8(head) || !isUtf8(tail),
  };
}
