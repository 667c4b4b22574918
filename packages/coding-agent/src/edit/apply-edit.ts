import { ToolError } from '@cairn/tool';
import { diffArrays } from 'diff';
import { lineEndNear, lineNumberAt, type ByteRange, type TextDocument } from './document.ts';
import { encodeText } from './encoding.ts';
import { splitLines } from './find-exact.ts';
import { Finder, type Called, type Tier } from './find-text.ts';
import type { Found, TextEdit } from './found.ts';

export interface Splice extends ByteRange {
  readonly bytes: Buffer;
}

export interface AppliedEdit {
  readonly tier: Tier;
  readonly replacements: number;
  /** The lines in the original, at most the first 100. */
  readonly lineNumbers: readonly number[];
}

export interface AppliedEdits {
  /** The new content in parts, most of them parts of the original: a small edit does not copy a large file. */
  readonly parts: readonly Buffer[];
  readonly splices: readonly Splice[];
  readonly edits: readonly AppliedEdit[];
}

/** An edit with more changed lines is not compared line by line. */
const MAX_COMPARED_CHANGES = 2000;

const MAX_LISTED_PLACES = 100;

/** Returns for each new line the index of the old line that it repeats; -1 for a line that is new. */
function keptLines(oldLines: readonly string[], newLines: readonly string[]): number[] {
  const changes = diffArrays([...oldLines], [...newLines], { maxEditLength: MAX_COMPARED_CHANGES });
  if (changes === undefined) return newLines.map(() => -1);
  const kept: number[] = [];
  let oldIndex = 0;
  for (const { added, removed, count } of changes) {
    for (let index = 0; !removed && index < count; index++) kept.push(added ? -1 : oldIndex + index);
    if (!added) oldIndex += count;
  }
  return kept;
}

export interface Replacement extends Found {
  /** The old and the new lines as the caller gave them. */
  readonly oldLines: readonly string[];
  readonly rawNewLines: readonly string[];
  /** The line ends of the new lines, if the caller knows them. */
  readonly newEnds?: readonly Buffer[] | undefined;
  readonly path: string;
}

/**
 * Returns the splice that replaces a found text. Lines that the edit repeats keep their bytes and line endings, whatever the tier
 * ignored. New lines end like their neighbours.
 *
 * @throws {ToolError} `ENCODING`; `AMBIGUOUS` when the width of a tab is unclear.
 */
export function spliceAt(document: TextDocument, replacement: Replacement): Splice {
  const { start, end, place, newLines, oldLines, rawNewLines, newEnds, path } = replacement;
  if (replacement.isUnclear) throw unclearTabs(document, replacement);
  // A tier may have dropped the empty line after a final line ending.
  const kept = keptLines(oldLines.slice(0, place.length), rawNewLines.slice(0, newLines.length));
  const [last, oldLast] = [newLines.length - 1, place.length - 1];
  // The last line may be the start of a line, so only the last one can be repeated there: others may end with whitespace.
  kept[last] = rawNewLines[last] === oldLines[oldLast] ? oldLast : -1;
  const gap = (index: number): Buffer | undefined => {
    const [above, below] = [place[index], place[index + 1]];
    return above && below && document.bytes.subarray(above.end, below.start);
  };
  const parts = newLines.flatMap((line, index) => {
    const from = place[kept[index] ?? -1];
    const content = from ? document.bytes.subarray(from.start, from.end) : encodeText(document.encoding, line, path);
    if (index === newLines.length - 1) return [content];
    const [own, next] = [kept[index] ?? -1, kept[index + 1] ?? -1];
    const ending =
      newEnds?.[index] ??
      (own >= 0 ? gap(own) : undefined) ??
      (next > 0 ? gap(next - 1) : undefined) ??
      gap(Math.min(index, place.length - 2)) ??
      lineEndNear(document, start);
    return [content, ending];
  });
  return { start, end, bytes: Buffer.concat(parts) };
}

function unclearTabs(document: TextDocument, { start, path, oldLines }: Replacement): ToolError {
  const [has, given] = oldLines.some((line) => /^ *\t/u.test(line)) ? ['spaces', 'tabs'] : ['tabs', 'spaces'];
  const lineNumber = lineNumberAt(document, start);
  const summary = `${path} has ${has} at line ${lineNumber} where the text has ${given}, and nothing shows how many spaces are a tab`;
  return new ToolError('AMBIGUOUS', [summary, `Indent the text with ${has}, as the file does.`], { path });
}

/** Smaller parts are joined: each part is one system call, and there may be one for each word of a file. */
const SMALL_PART_BYTES = 64 * 1024;

function gathered(parts: readonly Buffer[]): Buffer[] {
  const runs: Buffer[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (run?.[0] && Math.max(run[0].length, part.length) < SMALL_PART_BYTES) run.push(part);
    else runs.push([part]);
  }
  return runs.flatMap((run) => (run.length === 1 ? run : [Buffer.concat(run)]));
}

/** Joins the original with the splices in place of their ranges. @throws {ToolError} `OVERLAP`. */
export function joinSplices(
  document: TextDocument,
  splices: readonly (Splice & { readonly name: string })[],
): Pick<AppliedEdits, 'parts' | 'splices'> {
  const ordered = splices.toSorted((a, b) => a.start - b.start);
  const parts: Buffer[] = [];
  let at = 0;
  for (const [index, { start, end, bytes, name }] of ordered.entries()) {
    if (start < at) {
      const where = lineNumberAt(document, start);
      const summary = `${ordered[index - 1]?.name ?? ''} and ${name} overlap at line ${where}`;
      throw new ToolError('OVERLAP', [summary, 'All edits match the original file: combine the two into one edit.']);
    }
    parts.push(document.bytes.subarray(at, start), bytes);
    at = end;
  }
  parts.push(document.bytes.subarray(at));
  return { parts: gathered(parts), splices: ordered };
}

/**
 * Applies edits to a document. Each edit matches the original, never the result of another edit. Bytes outside the replaced ranges
 * do not change.
 *
 * @param names the host's names of the parameters, for messages; `replaceAll` is absent where the host has none.
 * @throws {ToolError} `NO_MATCH`, `AMBIGUOUS`, `OVERLAP`, `NO_CHANGE`, `ENCODING`, `INVALID_INPUT`.
 */
export function applyEdits(
  document: TextDocument,
  edits: readonly TextEdit[],
  path: string,
  names: Pick<Called, 'replaceAll'> & { readonly oldText: string } = { oldText: 'old_text', replaceAll: 'replace_all' },
): AppliedEdits {
  const applied: AppliedEdit[] = [];
  const finder = new Finder(document);
  const splices = edits.flatMap((edit, index) => {
    const name = edits.length > 1 ? `edits[${index}].${names.oldText}` : names.oldText;
    const { tier, found } = finder.find(edit, { name, path, replaceAll: names.replaceAll });
    const asked = { oldLines: splitLines(edit.old_text), rawNewLines: splitLines(edit.new_text), path };
    const made = found.map((hit) => ({ ...spliceAt(document, { ...hit, ...asked }), name: `edits[${index}]` }));
    if (made.every(({ start, end, bytes }) => document.bytes.subarray(start, end).equals(bytes))) {
      const called = edits.length > 1 ? `edits[${index}]` : 'The edit';
      const summary = `${called} changes nothing in ${path}: the file has the new text already`;
      const hint = 'Leave the edit out. Edits keep the line endings of the file.';
      throw new ToolError('NO_CHANGE', [summary, hint], { path });
    }
    const lineNumbers = made.slice(0, MAX_LISTED_PLACES).map(({ start }) => lineNumberAt(document, start));
    applied.push({ tier, replacements: made.length, lineNumbers });
    return made;
  });
  return { ...joinSplices(document, splices), edits: applied };
}
