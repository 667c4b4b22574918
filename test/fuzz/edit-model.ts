/**
 * A slow model of edits, written apart from the code: a file is lines of characters, each with its bytes, and every place is
 * compared character by character.
 */

/** A character and its bytes; `undefined` for bytes that are not text. */
export interface Cell {
  readonly character: string | undefined;
  readonly bytes: Buffer;
}

/** A line and its end. The last line of a file has no end; after a final line end it is empty. */
export interface ModelLine {
  readonly cells: readonly Cell[];
  readonly end: Buffer;
}

export interface ModelEdit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all: boolean;
}

export type ModelTier = 'exact' | 'trailing-blanks' | 'unicode' | 'indentation';

/** A place that an edit replaces, in bytes after the byte order mark. */
export interface Place {
  readonly start: number;
  readonly end: number;
  /** One side is indented with tabs and the other with spaces, so the new indentation is left open, as is a rejection. */
  readonly isOpen: boolean;
  /** The place ends before a line end that both texts have. */
  readonly dropsEnd: boolean;
}

export type Outcome =
  | { readonly code: 'NO_MATCH' | 'AMBIGUOUS' | 'INVALID_INPUT' }
  | { readonly tier: ModelTier; readonly places: readonly Place[] };

/** A line with the byte offset of each place in its text. */
interface Measured {
  readonly text: string;
  readonly isBroken: boolean;
  readonly offsets: readonly number[];
  readonly end: Buffer;
}

function measure(lines: readonly ModelLine[]): Measured[] {
  let offset = 0;
  return lines.map(({ cells, end }) => {
    const offsets: number[] = [];
    let text = '';
    for (const { character, bytes } of cells) {
      const shown = character ?? '\ufffd';
      for (let unit = 0; unit < shown.length; unit++) offsets.push(offset);
      text += shown;
      offset += bytes.length;
    }
    offsets.push(offset);
    offset += end.length;
    return { text, isBroken: cells.some(({ character }) => character === undefined), offsets, end };
  });
}

const startOf = (line: Measured): number => line.offsets[0] ?? 0;
const endOf = (line: Measured): number => line.offsets.at(-1) ?? 0;

const plain: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
  '–': '-',
  '—': '-',
  '\u00a0': ' ',
};

export const trimmed = (text: string): string => text.replace(/[ \t]+$/u, '');
export const folded = (text: string): string =>
  trimmed(text.replaceAll(/[“”‘’–—\u00a0]/gu, (one) => plain[one] ?? one));

const linesOf = (text: string): string[] => text.split(/\r?\n/u);

function exactPlaces(lines: readonly Measured[], old: string): Place[] {
  const units = lines.flatMap((line): (readonly [string, number, number])[] => [
    ...[...line.text].map((one, index, all): [string, number, number] => {
      const at = all.slice(0, index).join('').length;
      return [one, line.offsets[at] ?? 0, line.offsets[at + one.length] ?? 0];
    }),
    ...(line.end.length > 0 ? [['\n', endOf(line), endOf(line) + line.end.length] as const] : []),
  ]);
  const wanted = [...old.replaceAll('\r\n', '\n')];
  return units.flatMap((first, index) => {
    const last = units[index + wanted.length - 1];
    const isHere = last !== undefined && wanted.every((one, at) => one !== '\ufffd' && units[index + at]?.[0] === one);
    return isHere ? [{ start: first[1], end: last[2], isOpen: false, dropsEnd: false }] : [];
  });
}

/** Places where the first line ends like the text, the last begins like it, and those between are equal. */
function foldedPlaces(lines: readonly Measured[], old: readonly string[], fold: (text: string) => string): Place[] {
  const wanted = old.map(fold);
  if (wanted.every((one) => one === '') || wanted.some((one) => one.includes('\ufffd'))) return [];
  const endsLine = /[ \t]$/u.test(old.at(-1) ?? '');
  return lines.flatMap((_, index): Place[] => {
    const window = lines.slice(index, index + wanted.length);
    if (window.length < wanted.length || window.slice(0, -1).some(({ isBroken }) => isBroken)) return [];
    if (window.at(-1)?.isBroken && wanted.at(-1) !== '') return [];
    const texts = window.map(({ text }) => fold(text));
    const places: Place[] = [];
    for (let at = 0; at <= (texts[0] ?? '').length; at++) {
      const here = [(texts[0] ?? '').slice(at), ...texts.slice(1)];
      const isHere = wanted.every((one, line) =>
        line === wanted.length - 1 ? here[line]?.startsWith(one) : here[line] === one,
      );
      const last = window.at(-1);
      const stop = (wanted.length === 1 ? at : 0) + (wanted.at(-1) ?? '').length;
      const isEnd = stop === texts.at(-1)?.length;
      if (!isHere || !last || (endsLine && !isEnd)) continue;
      const end = endsLine ? endOf(last) : (last.offsets[stop] ?? 0);
      places.push({ start: window[0]?.offsets[at] ?? 0, end, isOpen: false, dropsEnd: false });
    }
    return places;
  });
}

/** The same, or without a final line end that the file lacks. */
function foldedOrAtEnd(lines: readonly Measured[], old: readonly string[], fold: (text: string) => string): Place[] {
  const places = foldedPlaces(lines, old, fold);
  if (places.length > 0 || old.length < 2 || old.at(-1) !== '') return places;
  const last = lines.at(-1);
  // The file ends with a line end, so it does not lack one.
  if (!last || last.text === '') return [];
  return foldedPlaces(lines, old.slice(0, -1), fold)
    .filter(({ end }) => end === endOf(last))
    .map((place) => ({ ...place, dropsEnd: true }));
}

const indentOf = (text: string): string => /^[ \t]*/u.exec(text)?.[0] ?? '';

function indentedPlaces(lines: readonly Measured[], givenOld: readonly string[], givenNew: readonly string[]): Place[] {
  const dropsEnd = givenOld.length > 1 && givenOld.at(-1) === '' && givenNew.at(-1) === '';
  const [old, created] = dropsEnd ? [givenOld.slice(0, -1), givenNew.slice(0, -1)] : [givenOld, givenNew];
  const bodies = old.map((one) => folded(one).trimStart());
  if (bodies.every((one) => one === '') || bodies.some((one) => one.includes('\ufffd'))) return [];
  return lines.flatMap((first, index): Place[] => {
    const window = lines.slice(index, index + old.length);
    const last = window.at(-1);
    if (window.length < old.length || !last) return [];
    if (dropsEnd && last === lines.at(-1) && last.text === '') return [];
    if (window.some(({ text, isBroken }, at) => isBroken || folded(text).trimStart() !== bodies[at])) return [];
    const pairs = window.flatMap(({ text }, at): [string, string][] =>
      text.trim() === '' ? [] : [[indentOf(text), indentOf(old[at] ?? '')]],
    );
    const indents = created.filter((one) => one.trim() !== '').map(indentOf);
    const [file = '', asked = ''] = pairs[0] ?? [];
    const added = file.endsWith(asked) ? file.slice(0, file.length - asked.length) : undefined;
    const place = { start: startOf(first), end: endOf(last), isOpen: false, dropsEnd };
    if (added !== undefined && pairs.every(([one, other]) => one === added + other)) return [place];
    const removed = asked.endsWith(file) ? asked.slice(0, asked.length - file.length) : undefined;
    if (removed !== undefined && pairs.every(([one, other]) => other === removed + one)) {
      return indents.every((indent) => indent.startsWith(removed)) ? [place] : [];
    }
    const hasTabs = (side: 0 | 1): boolean => pairs.some((pair) => pair[side].includes('\t'));
    return hasTabs(0) === hasTabs(1) ? [] : [{ ...place, isOpen: true }];
  });
}

function apart(places: readonly Place[]): Place[] {
  const kept: Place[] = [];
  for (const place of places) if (place.start >= (kept.at(-1)?.end ?? 0)) kept.push(place);
  return kept;
}

/** Returns the result of an edit of a file: the places of the first tier that has any, or the code of the rejection. */
export function modelEdit(file: readonly ModelLine[], { old_text, new_text, replace_all }: ModelEdit): Outcome {
  if (old_text === '') return { code: 'INVALID_INPUT' };
  const lines = measure(file);
  const [old, created] = [linesOf(old_text), linesOf(new_text)];
  const tiers: readonly (readonly [ModelTier, () => Place[]])[] = [
    ['exact', () => exactPlaces(lines, old_text)],
    ['trailing-blanks', () => foldedOrAtEnd(lines, old, trimmed)],
    ['unicode', () => foldedOrAtEnd(lines, old, folded)],
    ['indentation', () => indentedPlaces(lines, old, created)],
  ];
  for (const [tier, find] of tiers) {
    const places = find();
    if (places.length === 0) continue;
    if (replace_all) return { tier, places: apart(places) };
    return places.length === 1 ? { tier, places } : { code: 'AMBIGUOUS' };
  }
  return { code: 'NO_MATCH' };
}
