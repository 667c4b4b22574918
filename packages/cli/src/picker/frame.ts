import type { Paint } from '../terminal/output.ts';
import {
  displayWidth,
  ellipsisColumns,
  escapeControls,
  fitLine,
  fitText,
  highlight,
  highlightFitted,
} from '../terminal/text.ts';
import type { PickItem, PickMode } from './items.ts';
import type { Preview } from './preview.ts';
import type { Frame } from './screen.ts';

/** What is to be drawn. */
export interface PickView {
  readonly mode: PickMode;
  readonly query: string;
  readonly items: readonly PickItem[];
  readonly selected: number;
  /** The first item in view. */
  readonly top: number;
  readonly summary: string;
  readonly preview: Preview | undefined;
}

export interface PickLook {
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
}

/** How many rows the list and the preview have. The prompt, the preview's title and the last line have one each. */
export interface PickLayout {
  readonly list: number;
  readonly preview: number;
}

const LEAST_ROWS_WITH_PREVIEW = 12;

export function layoutOf(rows: number): PickLayout {
  const rest = Math.max(0, rows - 2);
  if (rows < LEAST_ROWS_WITH_PREVIEW) return { list: rest, preview: 0 };
  const list = Math.ceil((rest - 1) / 2);
  return { list, preview: rest - 1 - list };
}

const TAB = '    ';

/** A line as a terminal can show it in one row. */
function plainLine(line: string, columns: number): string {
  return fitText(escapeControls(line.replaceAll('\t', TAB)), columns);
}

function itemRow(item: PickItem | undefined, isSelected: boolean, { columns, paint }: PickLook): string {
  if (item === undefined) return '';
  const room = Math.max(1, columns - 2);
  // Escaping would move the marked parts; a text that needs it is shown without them.
  const shown = escapeControls(item.text.replaceAll('\t', ' '));
  const isPlain = shown.length === item.text.length;
  const mark = isSelected ? paint.hit('>') : ' ';
  const rest = isSelected ? paint.title : item.isDirectory ? paint.directory : (text: string) => text;
  const style = { paint: paint.hit, rest, escape: (text: string) => text };
  const ranges = isPlain ? item.ranges : [];
  if (displayWidth(shown) <= room) return `${mark} ${highlight(shown, ranges, style)}`;
  const fitted = fitLine(shown, ranges, Math.max(1, room - ellipsisColumns));
  return `${mark} ${highlightFitted(fitted, style, paint.dim)}`;
}

function previewRows(preview: Preview | undefined, height: number, { columns, paint }: PickLook): string[] {
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

const keys: Readonly<Record<PickMode, string>> = {
  find: 'Enter choose  Tab search in files  Esc leave',
  grep: 'Enter choose  Tab search for paths  Esc leave',
};

/** The line at the bottom: what was found on the left, and the keys on the right as far as there is room. */
function statusRow({ mode, summary }: PickView, { columns, paint }: PickLook): string {
  const left = fitText(escapeControls(summary), columns);
  const gap = columns - displayWidth(left) - keys[mode].length;
  return gap < 2 ? left : `${left}${' '.repeat(gap)}${paint.dim(keys[mode])}`;
}

/** Code units that a column may take: marks upon marks are cut. */
const MOST_UNITS_A_COLUMN = 8;

/** The end of the query: what is being typed stays in view. The cost is that of the columns, however much was pasted. */
function queryTail(query: string, columns: number): string {
  const shown = [...escapeControls(query.slice(-MOST_UNITS_A_COLUMN * (columns + 1)))];
  let start = shown.length;
  for (let width = 0; start > 0; start--) {
    width += displayWidth(shown[start - 1] ?? '');
    if (width > columns) break;
  }
  return shown.slice(start).join('');
}

export function frameOf(view: PickView, look: PickLook): Frame {
  const { columns, rows, paint } = look;
  const layout = layoutOf(rows);
  const label = `${view.mode}> `;
  const tail = queryTail(view.query, Math.max(0, columns - label.length - 1));
  const list = Array.from({ length: layout.list }, (_, row) => {
    const index = view.top + row;
    return itemRow(view.items[index], index === view.selected, look);
  });
  const all = [
    paint.lineNumber(label) + tail,
    ...list,
    ...previewRows(view.preview, layout.preview, look),
    statusRow(view, look),
  ];
  const column = Math.min(columns - 1, label.length + displayWidth(tail));
  // The prompt stays when there is room for little else.
  return { rows: all.slice(0, rows), cursor: { row: 0, column } };
}
