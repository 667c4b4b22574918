import type { FileDiff } from '@cairn/coding-agent';
import type { Paint } from './output.ts';

/** A diff of one file. A created file has no `from`, a deleted one no `to`. */
export interface ShownDiff {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly diff: FileDiff;
}

export interface DiffStyle {
  readonly paint: Paint;
  /** Escapes control characters for a terminal. */
  readonly escape: (text: string) => string;
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

const escapes: Readonly<Record<string, string>> = {
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '"': '"',
  '\\': '\\',
};

/** Returns a name in quotes with escapes, as git writes names with control characters, quotes or backslashes. */
function quoteName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern finds control characters
  const quoted = name.replace(/[\u0000-\u001f\u007f"\\]/gu, (character) => {
    const letter = escapes[character] ?? character.charCodeAt(0).toString(8).padStart(3, '0');
    return `\\${letter}`;
  });
  return quoted === name ? name : `"${quoted}"`;
}

/** Returns a unified diff, line by line. Without colours `git apply` accepts it. */
export function* diffLines({ from, to, diff }: ShownDiff, style: DiffStyle): Generator<string, void, undefined> {
  const { paint, escape } = style;
  yield paint.title(escape(from === undefined ? '--- /dev/null' : `--- ${quoteName(`a/${from}`)}`));
  yield paint.title(escape(to === undefined ? '+++ /dev/null' : `+++ ${quoteName(`b/${to}`)}`));
  for (const { oldStart, oldLines, newStart, newLines, lines } of diff.hunks) {
    yield paint.link(`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`);
    for (const line of lines) yield paintLine(line, style);
  }
}
