/** A part of a text, in UTF-16 code units: `start` up to but not including `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

// C0 and C1 controls move the cursor or change the terminal's state; the rest reorders or breaks the text around it.
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOne(character: string): string {
  const known = short[character];
  if (known !== undefined) return known;
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Spells control characters out (`\n`, `\x1b`), so that a file name or a line cannot act on a terminal. */
export function escapeControls(text: string): string {
  return text.replace(unsafe, escapeOne);
}

/** The same for a line of a file, whose tabs are kept: they are ordinary there and move nothing but the text. */
export function escapeLine(text: string): string {
  return text.replace(unsafe, (character) => (character === '\t' ? character : escapeOne(character)));
}

let segmenter: Intl.Segmenter | undefined;

/** The characters as a reader counts them. The segmenter is made on first use: plain output never needs it. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const zero = /^[\p{Mark}\p{Format}]+$/u;
const ascii = /^[\u0020-\u007e]*$/u;
const tabWidth = 8;

function graphemeWidth(grapheme: string): number {
  if (grapheme === '\t') return tabWidth;
  const shown = escapeControls(grapheme);
  if (shown !== grapheme) return shown.length;
  if (zero.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Columns a text takes in a terminal once its control characters are escaped. A tab counts as eight. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** A line cut to fit, its highlighted ranges moved along. */
export interface FittedLine {
  readonly text: string;
  readonly ranges: readonly Range[];
  readonly cutStart: boolean;
  readonly cutEnd: boolean;
}

/** The start of the character at `index`, so that no surrogate pair is split. */
function characterStart(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return index > 0 && code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/**
 * Cuts `text` to `columns` columns. The first range stays in view: when it lies further right, the start is cut too.
 * The cost is bounded by `columns`, not by the length of the line.
 */
export function fitLine(text: string, ranges: readonly Range[], columns: number): FittedLine {
  if (text.length <= columns && displayWidth(text) <= columns) return { text, ranges, cutStart: false, cutEnd: false };
  const first = ranges[0];
  let start = 0;
  if (first !== undefined && (first.end > columns || displayWidth(text.slice(0, first.end)) > columns)) {
    // A quarter of the room is left of the hit, the rest shows the hit and what follows it.
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

/** Cuts a text that has no highlighted part, marking the cut with an ellipsis. */
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

/** Joins UTF-16 positions, in order, to ranges: neighbouring ones are painted as one. `shift` is added to each. */
export function rangesOf(positions: readonly number[], shift: number = 0): Range[] {
  const ranges: { start: number; end: number }[] = [];
  for (const position of positions) {
    const last = ranges.at(-1);
    if (last !== undefined && last.end === position + shift) last.end += 1;
    else ranges.push({ start: position + shift, end: position + shift + 1 });
  }
  return ranges;
}

/** How the parts of a text are shown: each part is escaped, then painted. */
export interface HighlightStyle {
  readonly paint: (text: string) => string;
  /** For what lies outside the ranges. */
  readonly rest?: (text: string) => string;
  readonly escape: (text: string) => string;
}

/** Paints the ranges of `text`. They are sorted and do not overlap; empty ones are left out. */
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

/** A fitted line, painted, with an ellipsis at each cut. The ellipses and their spaces come on top of the columns. */
export function highlightFitted(line: FittedLine, style: HighlightStyle, dim: (text: string) => string): string {
  const shown = highlight(line.text, line.ranges, style);
  return (line.cutStart ? dim('… ') : '') + shown + (line.cutEnd ? dim(' …') : '');
}

/** Columns that the ellipses of a cut line may take. */
export const ellipsisColumns = 4;

/** A whole number with thousands separators: `2,345`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** `1 file`, `2,345 files`. */
export function countOf(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** A duration: `0.42 ms`, `12.3 ms`, `1,234 ms`. */
export function formatMs(durationMs: number): string {
  if (durationMs >= 100) return `${formatCount(Math.round(durationMs))} ms`;
  return `${durationMs.toFixed(durationMs >= 10 ? 1 : 2)} ms`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** A size in bytes for a reader: `512 B`, `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${bytes} B` : `${value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** Quotes a word for a POSIX shell, and only when it needs quoting. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
