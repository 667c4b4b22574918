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

/** Returns a name as `---` and `+++` have it. A tab ends one with a space at its end, as git writes it. */
function headerName(name: string): string {
  const quoted = quoteName(name);
  return quoted.endsWith(' ') ? `${quoted}\t` : quoted;
}

/** Returns the lines that git writes above a diff for what `---` and `+++` do not tell: a move, or an empty file. */
function gitLines({ from, to, diff }: ShownDiff): string[] {
  const isWhole = diff.hunks.length === 0 && !diff.cut;
  const names = `diff --git ${quoteName(`a/${from ?? to ?? ''}`)} ${quoteName(`b/${to ?? from ?? ''}`)}`;
  if (from === undefined) return isWhole ? [names, 'new file mode 100644'] : [];
  if (to === undefined) return isWhole ? [names, 'deleted file mode 100644'] : [];
  return from === to ? [] : [names, `rename from ${quoteName(from)}`, `rename to ${quoteName(to)}`];
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
