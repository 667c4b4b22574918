import type { FileDiff } from '@cairn/coding-agent';
import type { Paint } from './output.ts';

/** A file whose difference is shown. Without a name on one side it is new, or gone. */
export interface ShownDiff {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly diff: FileDiff;
}

export interface DiffLook {
  readonly paint: Paint;
  /** Control characters would act on a terminal. */
  readonly escape: (text: string) => string;
}

/** `1,5`; a side without lines is named by the line before it, as `diff -u` does. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function paintLine(line: string, { paint, escape }: DiffLook): string {
  const shown = escape(line);
  if (line.startsWith('+')) return paint.added(shown);
  if (line.startsWith('-')) return paint.removed(shown);
  return line.startsWith('\\') ? paint.dim(shown) : shown;
}

/** A unified diff, line by line; plain it can be given to `git apply`. */
export function* diffLines({ from, to, diff }: ShownDiff, look: DiffLook): Generator<string, void, undefined> {
  const { paint, escape } = look;
  yield paint.title(escape(from === undefined ? '--- /dev/null' : `--- a/${from}`));
  yield paint.title(escape(to === undefined ? '+++ /dev/null' : `+++ b/${to}`));
  for (const { oldStart, oldLines, newStart, newLines, lines } of diff.hunks) {
    yield paint.link(`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`);
    for (const line of lines) yield paintLine(line, look);
  }
}
