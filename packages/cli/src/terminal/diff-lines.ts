import type { FileDiff } from '@cairn/coding-agent';
import { quoteGitName } from './git-names.ts';
import { createPaint, usesColor, type ColorMode, type Paint } from './output.ts';
import type { CommandContext } from './command-context.ts';
import { lineEscape } from './text.ts';

/** A diff of one file. A created file has no `from`, a deleted one no `to`. */
export interface ShownDiff {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly diff: FileDiff;
}

interface DiffStyle {
  readonly paint: Paint;
  readonly escape: (text: string) => string;
}

/** Returns the style of diffs on standard output. */
export function diffStyle({ out, env }: Pick<CommandContext, 'out' | 'env'>, color: ColorMode): DiffStyle {
  return { paint: createPaint(usesColor(color, out.isTerminal, env)), escape: lineEscape(out) };
}

/** Returns `1,5`. An empty side has the number of the line before it, as in `diff -u`. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function paintLine(line: string, { paint, escape }: DiffStyle): string {
  const shown = escape(line);
  if (line.startsWith('+')) return paint.added(shown);
  if (line.startsWith('-')) return paint.removed(shown);
  return line.startsWith('\\') ? paint.dim(shown) : shown;
}

/** Returns a name as `---` and `+++` have it. A tab ends one with a space at its end, as git writes it. */
function headerName(name: string): string {
  const quoted = quoteGitName(name);
  return quoted.endsWith(' ') ? `${quoted}\t` : quoted;
}

/** Returns the lines that git writes above a diff for what `---` and `+++` do not tell: a move, or an empty file. */
function gitLines({ from, to, diff }: ShownDiff): string[] {
  const isWhole = diff.hunks.length === 0 && !diff.cut;
  const names = `diff --git ${quoteGitName(`a/${from ?? to ?? ''}`)} ${quoteGitName(`b/${to ?? from ?? ''}`)}`;
  if (from === undefined) return isWhole ? [names, 'new file mode 100644'] : [];
  if (to === undefined) return isWhole ? [names, 'deleted file mode 100644'] : [];
  return from === to ? [] : [names, `rename from ${quoteGitName(from)}`, `rename to ${quoteGitName(to)}`];
}

/** Returns a unified diff, line by line. Without colours `git apply` accepts it. */
export function* diffLines(shown: ShownDiff, style: DiffStyle): Generator<string, void, undefined> {
  const { from, to, diff } = shown;
  const { paint, escape } = style;
  const above = gitLines(shown);
  for (const line of above) yield paint.title(escape(line));
  if (above.length > 0 && diff.hunks.length === 0) return;
  yield paint.title(escape(from === undefined ? '--- /dev/null' : `--- ${headerName(`a/${from}`)}`));
  yield paint.title(escape(to === undefined ? '+++ /dev/null' : `+++ ${headerName(`b/${to}`)}`));
  for (const { oldStart, oldLines, newStart, newLines, lines } of diff.hunks) {
    yield paint.link(`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`);
    for (const line of lines) yield paintLine(line, style);
  }
}
