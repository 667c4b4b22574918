import { escapeControls } from '@cairn/tool/paths';
import type { Paint } from '../terminal/output.ts';
import {
  displayWidth,
  ellipsisColumns,
  escapeLine,
  fitLine,
  fitPath,
  fitText,
  highlight,
  highlightFitted,
} from '../terminal/text.ts';
import type { PickItem, PickMode, Preview } from './source.ts';
import type { Frame } from './screen.ts';

export interface PickView {
  readonly mode: PickMode;
  readonly query: string;
  /** Whether the picker can also search in files. */
  readonly canSwitch: boolean;
  readonly items: readonly PickItem[];
  readonly selected: number;
  readonly top: number;
  readonly summary: string;
  readonly preview: Preview | undefined;
}

export interface PickStyle {
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
}

/** The rows of the list and of the preview. The prompt, the title of the preview and the status have one each. */
export interface PickLayout {
  readonly list: number;
  readonly preview: number;
}

const MIN_ROWS_WITH_PREVIEW = 12;

export function layoutOf(rows: number): PickLayout {
  const rest = Math.max(0, rows - 2);
  if (rows < MIN_ROWS_WITH_PREVIEW) return { list: rest, preview: 0 };
  const list = Math.ceil((rest - 1) / 2);
  return { list, preview: rest - 1 - list };
}

const TAB = '    ';

function plainLine(line: string, columns: number): string {
  return fitText(escapeLine(line.replaceAll('\t', TAB)), columns);
}

/** Fewer columns show too little of a line: the row then has the path alone. */
const MIN_LINE_COLUMNS = 8;

/** Returns the path and the number of a matched line, cut at the start so that a part of the line has room. */
function placeOf({ shownPath, lineNumber }: PickItem, lineWidth: number, room: number): string {
  if (lineNumber === undefined) return '';
  const place = `${escapeControls(shownPath)}:${lineNumber}: `;
  const half = Math.floor(room / 2);
  return fitPath(place, half < MIN_LINE_COLUMNS ? room : room - Math.min(lineWidth, half));
}

function itemRow(item: PickItem | undefined, isSelected: boolean, { columns, paint }: PickStyle): string {
  if (item === undefined) return '';
  // Escaping would move the highlighted ranges, so a string that needs it is not highlighted.
  const shown = escapeControls(item.text.replaceAll('\t', ' '));
  const ranges = shown.length === item.text.length ? item.ranges : [];
  const mark = isSelected ? paint.hit('>') : ' ';
  const rest = isSelected ? paint.title : item.isDirectory ? paint.directory : (text: string) => text;
  const style = { paint: paint.hit, rest, escape: (text: string) => text };
  const all = Math.max(1, columns - 2);
  const place = placeOf(item, displayWidth(shown), all);
  const room = all - displayWidth(place);
  const head = `${mark} ${rest(place)}`;
  if (displayWidth(shown) <= room) return head + highlight(shown, ranges, style);
  if (place !== '' && room < MIN_LINE_COLUMNS) return head;
  const fitted = fitLine(shown, ranges, Math.max(1, room - ellipsisColumns));
  return head + highlightFitted(fitted, style, paint.dim);
}

function previewRows(preview: Preview | undefined, height: number, { columns, paint }: PickStyle): string[] {
  if (height === 0) return [];
  const title = fitText(preview === undefined ? '' : ` ${escapeControls(preview.title)} `, Math.max(0, columns - 4));
  const rule = paint.dim(`──${title}${'─'.repeat(Math.max(0, columns - 2 - displayWidth(title)))}`);
  const rows = Array.from({ length: height }, (_, index) => {
    const line = preview?.lines[index];
    if (line === undefined) return '';
    if (preview?.firstLine === undefined) return plainLine(line, columns);
    const lineNumber = preview.firstLine + index;
    const gutter = `${String(lineNumber).padStart(String(preview.firstLine + height).length)} `;
    const text = plainLine(line, Math.max(0, columns - gutter.length));
    return lineNumber === preview.lineNumber ? paint.lineNumber(gutter) + paint.title(text) : paint.dim(gutter) + text;
  });
  return [rule, ...rows];
}

/** What the keys do, in the words that there is room for, the longest first. */
const keys: Readonly<Record<PickMode, readonly string[]>> = {
  find: keyTexts('search in files', 'lines'),
  grep: keyTexts('search for paths', 'paths'),
};

const keysOfList: readonly string[] = ['Enter choose  Esc leave', 'Esc leave'];

function keyTexts(switchText: string, short: string): readonly string[] {
  return [
    `Enter choose  Tab ${switchText}  Esc leave`,
    `Enter choose  Tab ${short}  Esc leave`,
    `Tab ${short}  Esc leave`,
    'Esc leave',
  ];
}

function statusRow({ mode, summary, canSwitch }: PickView, { columns, paint }: PickStyle): string {
  const left = fitText(escapeControls(summary), columns);
  const room = columns - displayWidth(left);
  const right = (canSwitch ? keys[mode] : keysOfList).find((text) => text.length + 2 <= room);
  return right === undefined ? left : left + ' '.repeat(room - right.length) + paint.dim(right);
}

/** Limits the code units of a column, because a string may stack any number of combining marks. */
const MAX_UNITS_PER_COLUMN = 8;

/** Returns the end of the query, so that the typed part stays visible. The cost depends on the columns, not on the query. */
function queryTail(query: string, columns: number): string {
  const shown = [...escapeControls(query.slice(-MAX_UNITS_PER_COLUMN * (columns + 1)))];
  let start = shown.length;
  for (let width = 0; start > 0; start--) {
    width += displayWidth(shown[start - 1] ?? '');
    if (width > columns) break;
  }
  return shown.slice(start).join('');
}

export function frameOf(view: PickView, style: PickStyle): Frame {
  const { columns, rows, paint } = style;
  const layout = layoutOf(rows);
  const label = `${view.mode}> `;
  const tail = queryTail(view.query, Math.max(0, columns - label.length - 1));
  const list = Array.from({ length: layout.list }, (_, row) => {
    const index = view.top + row;
    return itemRow(view.items[index], index === view.selected, style);
  });
  const all = [
    paint.lineNumber(label) + tail,
    ...list,
    ...previewRows(view.preview, layout.preview, style),
    statusRow(view, style),
  ];
  const column = Math.min(columns - 1, label.length + displayWidth(tail));
  // In a very small terminal the prompt stays.
  return { rows: all.slice(0, rows), cursor: { row: 0, column } };
}
