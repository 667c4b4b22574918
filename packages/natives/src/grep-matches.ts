import { LOSSY, Turn, columnReader, makeArray, present, readAll } from './decode.ts';
import type { Columns, ItemReader, Layout } from './decode.ts';

interface ContextLine {
  /** 1-based. */
  lineNumber: number;
  line: string;
  /** It is a matched line, over `maxCountPerFile`. */
  isMatch?: true;
  /** The ranges of its matches: of such a line, and with `invert`. Absent when none. */
  submatches?: Submatch[];
}

/** The range of a match in a line, in UTF-16 code units. */
export interface Submatch {
  start: number;
  /** The code unit after the last. */
  end: number;
  /** The text to show in place of the match; with `replacement`. */
  replacement?: string;
  /** The match begins in an earlier line, which has its `replacement`; with `replacement`. The lines belong together. */
  continued?: true;
}

/** A matched line; in the other modes, a file. */
export interface GrepMatch {
  /** Relative to the root, `/` separated; for a single file its name. */
  path: string;
  /** 1-based; 0 in count and files mode. */
  lineNumber: number;
  /** Without its `\n`; a `\r` before it is kept. Invalid UTF-8 is replaced by U+FFFD. Empty in count and files mode. */
  line: string;
  /** The lines before it that do not match and are not in `contextAfter` of the previous match. */
  contextBefore?: ContextLine[];
  /** The lines after it, up to the next match. */
  contextAfter?: ContextLine[];
  /**
   * The line or one of its context lines was cut to `maxColumns` or to 16 million characters, or context before it exceeds the
   * budget, or it has more than 100,000 `submatches`, or PCRE2 reached its limit before it found all of them.
   */
  truncated?: true;
  /**
   * The file has a NUL byte: its line is not shown, and its search ended here. `lineNumber` is 0 and `line` is empty. Only with
   * `binary: 'search'`.
   */
  binary?: true;
  /** In count mode: how many lines matched, or how many matches there are, by `countUnit`. */
  matchCount?: number;
  /** The ranges of the matches, the first 100,000 of a line; in content mode. */
  submatches?: Submatch[];
  /** The last of them includes the end of the line; with `multiline` and `replacement`. */
  takesLineEnd?: true;
  /** The name is not valid UTF-8: `path` shows it with U+FFFD and cannot be opened. */
  lossyPath?: true;
}

/**
 * The columns. The text has the paths; then of each match the line, its replacements, and the lines of context before and
 * after it, each with its replacements. A column that does not belong to the mode is empty.
 */
const layout = {
  // For each file with a match:
  pathLengths: 'u32',
  pathFlags: 'u8',
  // For each match, the index of its file:
  files: 'u32',
  // For each match in count mode:
  matchCounts: 'f64',
  // For each match in content mode:
  lineNumbers: 'f64',
  lineLengths: 'u32',
  // TRUNCATED, BINARY and TAKES_LINE_END:
  flags: 'u8',
  submatchCounts: 'u32',
  // Start and end of each submatch:
  submatches: 'u32',
  // For each match in content mode:
  beforeCounts: 'u32',
  afterCounts: 'u32',
  // For each context line:
  contextNumbers: 'f64',
  contextLengths: 'u32',
  // For each context line, if one of them is a match or has submatches; the submatches are after those of the match:
  contextFlags: 'u8',
  contextSubmatchCounts: 'u32',
  // For each submatch with a replacement, or CONTINUED:
  replacementLengths: 'u32',
} as const satisfies Layout;

type GrepColumns = Columns<typeof layout>;

const readColumns = columnReader(layout);

interface MatchedFile {
  path: string;
  lossyPath?: true;
}

/** Makes the matches of a buffer from the addon, and passes each to `onMatch`. */
export async function readMatches(
  data: Uint8Array,
  signal: AbortSignal | undefined,
  onMatch?: ((error: null, match: GrepMatch) => void) | null,
): Promise<GrepMatch[]> {
  const columns = readColumns(data);
  const { text, pathLengths, pathFlags, files, matchCounts, lineNumbers } = columns;
  const turn = new Turn(text, signal);
  const fillPaths = (paths: MatchedFile[], start: number, end: number): number =>
    turn.takeEach(pathLengths, start, end, (path, index) => {
      paths[index] = { path, ...(present(pathFlags[index]) & LOSSY && { lossyPath: true }) };
    });
  const paths = await readAll(pathLengths.length, { fill: fillPaths }, turn);
  const fileOf = (index: number): MatchedFile => present(paths[present(files[index])]);
  if (lineNumbers.length > 0) return readAll(files.length, new LineReader(columns, turn, fileOf), turn, onMatch);
  const fill = (matches: GrepMatch[], start: number, length: number): number => {
    const end = Math.min(length, start + turn.objects);
    turn.objects -= end - start;
    for (let index = start; index < end; index++) {
      const match: GrepMatch = { ...fileOf(index), lineNumber: 0, line: '' };
      if (matchCounts.length > 0) match.matchCount = present(matchCounts[index]);
      matches[index] = match;
    }
    return end;
  };
  return readAll(files.length, { fill }, turn, onMatch);
}

/** A match with its three arrays. */
const OBJECTS_PER_LINE = 4;

/** The bits of `flags`. */
const TRUNCATED = 1;
const BINARY = 2;
const TAKES_LINE_END = 4;

/** The bit of `contextFlags`. */
const IS_MATCH = 1;

/** The length of the replacement of a match that begins in an earlier line. */
const CONTINUED = 0xffff_ffff;

/** Reads the matches of content mode, in sequence. */
class LineReader implements ItemReader<GrepMatch> {
  readonly #columns: GrepColumns;
  readonly #turn: Turn;
  readonly #fileOf: (index: number) => MatchedFile;
  readonly #isReplaced: boolean;
  readonly #hasContextMatches: boolean;
  /** The next of each kind. */
  #submatch = 0;
  #context = 0;
  #replacement = 0;

  constructor(columns: GrepColumns, turn: Turn, fileOf: (index: number) => MatchedFile) {
    this.#columns = columns;
    this.#turn = turn;
    this.#fileOf = fileOf;
    this.#isReplaced = columns.replacementLengths.length > 0;
    this.#hasContextMatches = columns.contextFlags.length > 0;
  }

  fill(matches: GrepMatch[], start: number, end: number): number {
    const turn = this.#turn;
    for (let index = start; index < end; index++) {
      const { objects, units } = this.#sizeOf(index);
      if (objects > turn.objects || units > this.#columns.text.available) return index;
      turn.objects -= objects;
      matches[index] = this.#read(index);
    }
    return end;
  }

  async large(index: number): Promise<GrepMatch> {
    const { text, lineLengths, submatchCounts } = this.#columns;
    const turn = this.#turn;
    const line = await text.takeLarge(present(lineLengths[index]), turn);
    const match = this.#makeMatch(index, line, await this.#largePlaces(present(submatchCounts[index])));
    const { before, after } = this.#contextOf(index);
    if (before > 0) match.contextBefore = await turn.makeMany(before, () => this.#readLargeContext());
    if (after > 0) match.contextAfter = await turn.makeMany(after, () => this.#readLargeContext());
    return match;
  }

  #read(index: number): GrepMatch {
    const { text, lineLengths, submatchCounts } = this.#columns;
    const line = text.take(present(lineLengths[index]));
    const length = present(submatchCounts[index]);
    // A literal for the usual single submatch.
    const places = length === 1 && !this.#isReplaced ? [this.#readSubmatch()] : this.#places(length);
    const match = this.#makeMatch(index, line, places);
    const { before, after } = this.#contextOf(index);
    if (before > 0) match.contextBefore = makeArray(before, () => this.#readContext());
    if (after > 0) match.contextAfter = makeArray(after, () => this.#readContext());
    return match;
  }

  #contextOf(index: number): { readonly before: number; readonly after: number } {
    const { beforeCounts, afterCounts } = this.#columns;
    return { before: present(beforeCounts[index]), after: present(afterCounts[index]) };
  }

  /** Returns the size of the next match, in objects and in code units of the text. */
  #sizeOf(index: number): { readonly objects: number; readonly units: number } {
    const { lineLengths, submatchCounts, contextLengths, replacementLengths } = this.#columns;
    const { before, after } = this.#contextOf(index);
    const lines = before + after;
    let units = present(lineLengths[index]);
    let places = present(submatchCounts[index]);
    for (let line = this.#context; line < this.#context + lines; line++) {
      units += present(contextLengths[line]);
      places += this.#placesOfContext(line);
    }
    if (this.#isReplaced) {
      const replacements = replacementLengths.subarray(this.#replacement, this.#replacement + places);
      for (const length of replacements) if (length !== CONTINUED) units += length;
    }
    return { objects: OBJECTS_PER_LINE + places + lines, units };
  }

  #makeMatch(index: number, line: string, submatches: Submatch[]): GrepMatch {
    const { lineNumbers, flags } = this.#columns;
    const { path, lossyPath } = this.#fileOf(index);
    const match: GrepMatch = { path, lineNumber: small(present(lineNumbers[index])), line, submatches };
    if (lossyPath) match.lossyPath = true;
    const flag = present(flags[index]);
    if (flag & TRUNCATED) match.truncated = true;
    if (flag & BINARY) match.binary = true;
    if (flag & TAKES_LINE_END) match.takesLineEnd = true;
    return match;
  }

  #readSubmatch(): Submatch {
    const { submatches } = this.#columns;
    const start = present(submatches[this.#submatch++]);
    return { start, end: present(submatches[this.#submatch++]) };
  }

  #places(length: number): Submatch[] {
    if (!this.#isReplaced) return makeArray(length, () => this.#readSubmatch());
    return makeArray(length, () => {
      const place = this.#readSubmatch();
      const units = this.#replacementLength();
      return units === CONTINUED
        ? { ...place, continued: true }
        : { ...place, replacement: this.#columns.text.take(units) };
    });
  }

  #largePlaces(length: number): Promise<Submatch[]> {
    if (!this.#isReplaced) return this.#turn.makeMany(length, () => this.#readSubmatch());
    return this.#turn.makeMany<Submatch>(length, async () => {
      const place = this.#readSubmatch();
      const units = this.#replacementLength();
      if (units === CONTINUED) return { ...place, continued: true };
      return { ...place, replacement: await this.#columns.text.takeLarge(units, this.#turn) };
    });
  }

  #replacementLength(): number {
    return present(this.#columns.replacementLengths[this.#replacement++]);
  }

  #readContext(): ContextLine {
    const index = this.#context++;
    const line = this.#columns.text.take(present(this.#columns.contextLengths[index]));
    return this.#makeContext(index, line, this.#places(this.#placesOfContext(index)));
  }

  async #readLargeContext(): Promise<ContextLine> {
    const index = this.#context++;
    const line = await this.#columns.text.takeLarge(present(this.#columns.contextLengths[index]), this.#turn);
    return this.#makeContext(index, line, await this.#largePlaces(this.#placesOfContext(index)));
  }

  #placesOfContext(index: number): number {
    return this.#hasContextMatches ? present(this.#columns.contextSubmatchCounts[index]) : 0;
  }

  #makeContext(index: number, line: string, places: Submatch[]): ContextLine {
    const { contextNumbers, contextFlags } = this.#columns;
    const made: ContextLine = { lineNumber: present(contextNumbers[index]), line };
    if (this.#hasContextMatches && present(contextFlags[index]) & IS_MATCH) made.isMatch = true;
    if (places.length > 0) made.submatches = places;
    return made;
  }
}

/** Returns a whole number as a small integer. V8 stores such a number inside the object, others outside it. */
function small(value: number): number {
  const integer = value | 0;
  return integer === value ? integer : value;
}
