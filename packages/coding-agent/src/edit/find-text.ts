import { ToolError } from '@cairn/tool';
import { truncateLine } from '@cairn/tool/prompt';
import { closestPlace } from './closest.ts';
import { lineNumberAt, type TextDocument } from './document.ts';
import { findExact, splitLines } from './find-exact.ts';
import { findFolded, trailingBlanks, unicode } from './find-folded.ts';
import { findIndented } from './find-indented.ts';
import type { Found, Lines, TextEdit } from './found.ts';
import { textLines, type TextLine } from './lines.ts';

/** The differences that were ignored to find a string. */
export type Tier = 'exact' | 'trailing-blanks' | 'unicode' | 'indentation';

export interface Called {
  readonly name: string;
  readonly path: string;
  /** The parameter that replaces all places; absent where the host has none. */
  readonly replaceAll?: string | undefined;
}

interface Hits {
  readonly tier: Tier;
  readonly found: readonly Found[];
}

type Find = (document: TextDocument, asked: Lines, lines: () => readonly TextLine[]) => Found[];

/** From the strictest tier. Each tier also ignores what the tiers before it ignore. */
const tiers: readonly (readonly [tier: Tier, find: Find])[] = [
  ['exact', findExact],
  ['trailing-blanks', (document, asked, lines) => findFolded(document, lines(), asked, trailingBlanks)],
  ['unicode', (document, asked, lines) => findFolded(document, lines(), asked, unicode)],
  ['indentation', (_, asked, lines) => findIndented(lines(), asked)],
];

function apart(places: readonly Found[]): Found[] {
  const kept: Found[] = [];
  let end = -1;
  for (const found of places) {
    if (found.start < end) continue;
    kept.push(found);
    end = found.end;
  }
  return kept;
}

const MAX_SHOWN_PLACES = 5;
const MAX_SHOWN_COLUMNS = 200;
const MAX_LISTED_LINES = 20;

const shownLine = (line = ''): string => truncateLine(line, MAX_SHOWN_COLUMNS);

/** Finds where edits of one document apply. */
export class Finder {
  readonly #document: TextDocument;
  #lines: readonly TextLine[] | undefined;

  constructor(document: TextDocument) {
    this.#document = document;
  }

  lines(): readonly TextLine[] {
    return (this.#lines ??= textLines(this.#document));
  }

  /**
   * Returns the place that the first matching tier finds, or with `replace_all` all of them.
   *
   * @throws {ToolError} `NO_MATCH`, `AMBIGUOUS`, `INVALID_INPUT`.
   */
  find({ old_text, new_text, replace_all }: TextEdit, called: Called): Hits {
    if (old_text === '') {
      const hint = 'Give the text to replace, or write the whole file.';
      throw new ToolError('INVALID_INPUT', [`${called.name} is empty`, hint], { path: called.path });
    }
    const oldLines = splitLines(old_text);
    const hits = this.search({ oldLines, newLines: splitLines(new_text) }, () => true);
    if (!hits) throw this.noMatch(oldLines, called);
    if (replace_all) return { tier: hits.tier, found: apart(hits.found) };
    if (hits.found.length > 1) throw this.ambiguous(hits.found, called);
    return hits;
  }

  /** Returns the acceptable places of the first tier that has any. */
  search(asked: Lines, accepts: (found: Found) => boolean): Hits | undefined {
    for (const [tier, find] of tiers) {
      const found = find(this.#document, asked, () => this.lines()).filter(accepts);
      if (found.length > 0) return { tier, found };
    }
    return undefined;
  }

  ambiguous(found: readonly Found[], { name, path, replaceAll }: Called): ToolError {
    const lines = this.lines();
    const numbers = found.slice(0, MAX_LISTED_LINES).map(({ start }) => lineNumberAt(this.#document, start));
    const more = found.length > numbers.length ? ' and more' : '';
    const summary = `${name} occurs ${found.length} times in ${path}, at lines ${numbers.join(', ')}${more}`;
    const context = numbers.slice(0, MAX_SHOWN_PLACES).map((number) => {
      const around = [number - 1, number, number + 1].filter((one) => one >= 1 && one <= lines.length);
      return around.map((one) => `${one}: ${shownLine(lines[one - 1]?.text)}`).join('\n');
    });
    const otherwise = replaceAll === undefined ? '' : `, or set ${replaceAll}`;
    const hint = `Add surrounding lines until it occurs once${otherwise}.`;
    return new ToolError('AMBIGUOUS', [summary, hint], { path, context: context.join('\n--\n') });
  }

  noMatch(oldLines: readonly string[], { name, path }: Called): ToolError {
    const closest = closestPlace(this.lines(), oldLines);
    const broken = oldLines.some((line) => line.includes('\ufffd'))
      ? ' It contains U+FFFD, which stands for bytes that are not text: leave them out of the edit, or read the file with its encoding.'
      : '';
    const notFound = `${name} was not found in ${path}`;
    if (closest === undefined) {
      const hint = `The file has no similar text. Read the file and copy the text from it.${broken}`;
      return new ToolError('NO_MATCH', [notFound, hint], { path });
    }
    const { lineNumber, equalLines, differsAt, file, asked } = closest;
    const summary = `${notFound}; the closest place is line ${lineNumber} (${equalLines} of ${oldLines.length} lines are equal)`;
    const there = file === undefined ? '(the end of the file)' : shownLine(file);
    const context = `First difference, at line ${differsAt}:\nfile:     ${there}\n${name}: ${shownLine(asked)}`;
    const hint = `Copy the text exactly as it is in the file.${broken}`;
    return new ToolError('NO_MATCH', [summary, hint], { path, context });
  }
}
