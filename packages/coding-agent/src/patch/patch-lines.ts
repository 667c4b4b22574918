import type { HunkLine } from './file-patch.ts';

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
