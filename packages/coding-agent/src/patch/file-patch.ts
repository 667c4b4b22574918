import { ToolError } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import { truncateLine } from '@cairn/tool/prompt';

/** A line of a hunk: kept, removed or added. */
export interface HunkLine {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
  /** Whether the line of the file ends with CRLF; `undefined` when the patch as a whole has CRLF, so its lines do not tell. */
  readonly isCrlf?: boolean | undefined;
}

/** A place of a file that is changed, with lines around it. */
export interface PatchHunk {
  readonly lines: readonly HunkLine[];
  /** Lines that stand above it, in sequence, though not next to it. */
  readonly anchors: readonly string[];
  /** Where the old lines begin, from 1, as a unified diff says it. Without old lines: the line before the new ones. */
  readonly lineNumber?: number | undefined;
  /** The old lines are the last of the file. */
  readonly isAtEnd: boolean;
  /** The last old line has no line end. */
  readonly oldLacksEnd: boolean;
  /** The last new line has none. */
  readonly newLacksEnd: boolean;
}

export type FilePatch =
  | {
      readonly kind: 'add';
      readonly path: string;
      readonly content: string;
      readonly permissions?: number | undefined;
    }
  | {
      readonly kind: 'delete';
      readonly path: string;
      /** All lines of the file. Absent when the format does not show them. */
      readonly hunks?: readonly PatchHunk[] | undefined;
    }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly to?: string | undefined;
      readonly hunks: readonly PatchHunk[];
    };

export const FORMAT_HINT =
  "Give '*** Begin Patch', sections '*** Add File: ', '*** Update File: ' or '*** Delete File: ', '*** End Patch'; or a unified diff.";

const MAX_SHOWN_COLUMNS = 100;

export function shown(line: string): string {
  return `'${truncateLine(escapeControls(line), MAX_SHOWN_COLUMNS)}'`;
}

/** An error about a line of a patch, which counts from 1. */
export function invalidPatch(what: string, lineNumber: number, hint: string = FORMAT_HINT): ToolError {
  return new ToolError('INVALID_PATCH', [`Line ${lineNumber} of the patch: ${what}`, hint]);
}

/** The lines of a patch without their line ends, and the current one. */
export interface PatchLines {
  readonly lines: readonly string[];
  /** Whether a line ends with CRLF. */
  readonly isCrlf: (at: number) => boolean;
  at: number;
}

export function patchLines(text: string): PatchLines {
  const raw = text.split('\n');
  const isCrlf = (at: number): boolean => raw[at]?.endsWith('\r') ?? false;
  return { lines: raw.map((line, at) => (isCrlf(at) ? line.slice(0, -1) : line)), isCrlf, at: 0 };
}

/**
 * Returns the current line as a line of a hunk.
 *
 * @param isCrlfPatch whether the lines of the patch itself end with CRLF.
 */
export function hunkLineOf({ lines, isCrlf, at }: PatchLines, kind: HunkLine['kind'], isCrlfPatch: boolean): HunkLine {
  return { kind, text: lines[at]?.slice(1) ?? '', ...(!isCrlfPatch && { isCrlf: isCrlf(at) }) };
}

/**
 * Parses an `@@` line: its numbers, as in `@@ -1,3 +1,4 @@`, or the line that it names instead, as in `@@ class A`. After its numbers,
 * `diff -p` and git repeat a line of the file, which need not be above the change.
 */
export function parseHunkStart(line: string): {
  readonly range?: Readonly<Record<'oldStart' | 'oldCount' | 'newCount', number>>;
  readonly anchor?: string;
} {
  const numbers = /^@@\s*-(\d+)(?:,(\d+))?\s+\+\d+(?:,(\d+))?\s*(?:@@|$)/u.exec(line);
  if (numbers) {
    const [, oldStart, oldCount = '1', newCount = '1'] = numbers;
    return { range: { oldStart: Number(oldStart), oldCount: Number(oldCount), newCount: Number(newCount) } };
  }
  const anchor = line
    .slice(2)
    .trim()
    .replace(/\s?@@$/u, '')
    .trim();
  return anchor === '' || anchor === '...' ? {} : { anchor };
}
