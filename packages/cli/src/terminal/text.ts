import { escapeControls } from '@cairn/tool/paths';
import { eastAsianWidth } from 'get-east-asian-width';

/** A part of a string, in UTF-16 code units: `start` up to but not including `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Tabs, and the invisible characters that the texts of several languages and emoji need. */
const USUAL_IN_LINES = '\t\u00ad\u200b\u200c\u200d\u2060\ufe0e\ufe0f\ufeff';

/** Escapes the characters of a line of a file that could control the terminal or turn the text round. */
export function escapeLine(text: string): string {
  return escapeControls(text, USUAL_IN_LINES);
}

export function lineEscape({ isTerminal }: { readonly isTerminal: boolean }): (line: string) => string {
  return isTerminal ? escapeLine : (line) => line;
}

let segmenter: Intl.Segmenter | undefined;

/** Splits a string into characters as a reader counts them. Plain output never needs the segmenter, so it is created on first use. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Shown as an emoji, by itself or because a variation selector asks for it. */
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
const zero = /^[\p{Mark}\p{Format}]+$/u;
const ascii = /^[\u0020-\u007e]*$/u;
const tabWidth = 8;

function graphemeWidth(grapheme: string): number {
  if (grapheme === '\t') return tabWidth;
  const shown = escapeLine(grapheme);
  if (shown !== grapheme) return shown.length;
  if (zero.test(grapheme)) return 0;
  return emoji.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}

/** Returns the columns of a string in a terminal after {@link escapeLine}. A tab counts as eight. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

export interface FittedLine {
  readonly text: string;
  readonly ranges: readonly Range[];
  readonly cutStart: boolean;
  readonly cutEnd: boolean;
}

/** Returns the start of the character at `index`, so that no surrogate pair is split. */
function characterStart(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return index > 0 && code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/** Cuts a string to `columns`, with its first range in view. The cost is bounded by `columns`, not by the line. */
export function fitLine(text: string, ranges: readonly Range[], columns: number): FittedLine {
  if (text.length <= columns && displayWidth(text) <= columns) return { text, ranges, cutStart: false, cutEnd: false };
  const first = ranges[0];
  let start = 0;
  if (first !== undefined && (first.end > columns || displayWidth(text.slice(0, first.end)) > columns)) {
    // A quarter of the columns is for the text before the hit.
    start = characterStart(text, Math.max(0, first.start - Math.floor(columns / 4)));
  }
  let width = 0;
  let end = start;
  for (const { segment, index } of graphemes(text.slice(start, start + columns * 8))) {
    width += graphemeWidth(segment);
    if (width > columns) break;
    end = start + index + segment.length;
  }
  const kept = ranges
    .filter((range) => range.end > start && range.start < end)
    .map((range) => ({ start: Math.max(range.start, start) - start, end: Math.min(range.end, end) - start }));
  return { text: text.slice(start, end), ranges: kept, cutStart: start > 0, cutEnd: end < text.length };
}

export function fitText(text: string, columns: number): string {
  const fitted = fitLine(text, [], columns);
  return fitted.cutEnd ? `${fitLine(text, [], Math.max(columns - 1, 0)).text}…` : text;
}

/** Cuts a path at its start, so that the name stays: `…/deep/name.ts`. */
export function fitPath(path: string, columns: number): string {
  if (displayWidth(path) <= columns) return path;
  let shown = '';
  let width = 1;
  for (const { segment } of [...graphemes(path)].toReversed()) {
    width += graphemeWidth(segment);
    if (width > columns) break;
    shown = segment + shown;
  }
  return `…${shown}`;
}

/** Words, with what is in quotes as one: a command that is broken in two does not run when it is pasted. */
const UNITS = /'cairn [^']*'[^ ]*|[^ ]+/gu;

/** Breaks a string between words, so that no row is wider than `columns`. A longer word has a row of its own. */
export function wrapWords(text: string, columns: number, indent: string = ''): string {
  if (displayWidth(text) <= columns) return text;
  const rows: string[] = [];
  let row = '';
  for (const [unit] of text.matchAll(UNITS)) {
    const longer = row === '' ? unit : `${row} ${unit}`;
    const room = columns - (rows.length === 0 ? 0 : indent.length);
    if (row === '' || displayWidth(longer) <= room) row = longer;
    else {
      rows.push(row);
      row = unit;
    }
  }
  return [...rows, row].join(`\n${indent}`);
}

/** Joins sorted UTF-16 positions to ranges. `shift` is added to each. */
export function rangesOf(positions: readonly number[], shift: number = 0): Range[] {
  const ranges: { start: number; end: number }[] = [];
  for (const position of positions) {
    const last = ranges.at(-1);
    if (last !== undefined && last.end === position + shift) last.end += 1;
    else ranges.push({ start: position + shift, end: position + shift + 1 });
  }
  return ranges;
}

export interface HighlightStyle {
  readonly paint: (text: string) => string;
  /** Paints the text outside the ranges. */
  readonly rest?: (text: string) => string;
  readonly escape: (text: string) => string;
}

/** Paints the ranges of `text`, which are sorted and do not overlap. Empty ranges are skipped. */
export function highlight(text: string, ranges: readonly Range[], style: HighlightStyle): string {
  const rest = style.rest ?? ((part: string) => part);
  let shown = '';
  let done = 0;
  for (const { start, end } of ranges) {
    if (end <= start || start < done) continue;
    if (start > done) shown += rest(style.escape(text.slice(done, start)));
    shown += style.paint(style.escape(text.slice(start, end)));
    done = end;
  }
  return done < text.length ? shown + rest(style.escape(text.slice(done))) : shown;
}

/** Paints a fitted line, with an ellipsis at each cut. The ellipses need {@link ellipsisColumns} more columns. */
export function highlightFitted(line: FittedLine, style: HighlightStyle, dim: (text: string) => string): string {
  const shown = highlight(line.text, line.ranges, style);
  return (line.cutStart ? dim('… ') : '') + shown + (line.cutEnd ? dim(' …') : '');
}

/** The columns of both ellipses of a cut line. */
export const ellipsisColumns = 4;

/** Formats a whole number with thousands separators: `2,345`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** Formats a count with its noun: `1 file`, `2,345 files`. */
export function countOf(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** Formats a duration: `0.42 ms`, `12.3 ms`, `1,234 ms`. */
export function formatMs(durationMs: number): string {
  if (durationMs >= 100) return `${formatCount(Math.round(durationMs))} ms`;
  return `${durationMs.toFixed(durationMs >= 10 ? 1 : 2)} ms`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Formats a size in bytes: `512 B`, `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit] ?? ''}`;
}
