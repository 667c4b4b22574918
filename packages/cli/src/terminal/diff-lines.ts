import { escapeControls } from '@cairn/tool/paths';
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

function escapeOne(character: string): string {
  const letter = escapes[character];
  if (letter !== undefined) return `\\${letter}`;
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Returns a name in quotes with escapes, as git writes it, when it has quotes, backslashes or what {@link escapeControls} escapes. */
function quoteName(name: string): string {
  const quoted = [...name]
    .map((character) =>
      /["\\]/u.test(character) || escapeControls(character) !== character ? escapeOne(character) : character,
    )
    .join('');
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
