import { pairsOf, similarity } from '@cairn/tool/internal';
import { fold, type TextLine } from './lines.ts';

/** The place of a file that is most similar to a string that is not in it. Lines count from 1. */
interface Closest {
  readonly lineNumber: number;
  /** The number of equal lines, apart from whitespace and the form of quotes. */
  readonly equalLines: number;
  /** The first line that differs, in the file and in the text. */
  readonly differsAt: number;
  readonly file: string | undefined;
  readonly asked: string;
}

function essence(line: string): string {
  return fold(line).trim();
}

/** The number of lines that are compared one by one. Only a message depends on it. */
const MAX_COMPARED_LINES = 20_000;
const MIN_SIMILARITY = 0.4;

/** Of a line that the text repeats more often, only the first positions vote. */
const MAX_POSITIONS = 16;

/** Returns the start that most lines vote for: each line of the text that is in the file votes for one start. */
function byEqualLines(lines: readonly TextLine[], wanted: readonly string[]): number | undefined {
  const positions = new Map<string, number[]>();
  wanted.forEach((line, index) => {
    const known = positions.get(line) ?? [];
    if (line === '' || known.length === MAX_POSITIONS) return;
    known.push(index);
    positions.set(line, known);
  });
  const votes = new Map<number, number>();
  lines.forEach(({ text }, index) => {
    const line = essence(text);
    for (const position of positions.get(line) ?? []) {
      // A long line counts more: a closing brace is everywhere.
      votes.set(index - position, (votes.get(index - position) ?? 0) + line.length);
    }
  });
  const [best] = [...votes].toSorted(([startA, a], [startB, b]) => b - a || startA - startB);
  return best?.[0];
}

/** Returns the start at which the longest line of the text is most similar to the file's. */
function bySimilarity(lines: readonly TextLine[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((at, line, index) => (line.length > (wanted[at]?.length ?? 0) ? index : at), 0);
  const pairs = pairsOf(wanted[longest] ?? '');
  let best: { readonly start: number; readonly score: number } | undefined;
  for (const [index, { text }] of lines.slice(0, MAX_COMPARED_LINES).entries()) {
    const score = similarity(pairs, pairsOf(essence(text.slice(0, 1000))));
    if (score >= MIN_SIMILARITY && score > (best?.score ?? 0)) best = { start: index - longest, score };
  }
  return best?.start;
}

/** Finds the place that was probably meant. For messages only: no text is replaced because it is similar. */
export function closestPlace(lines: readonly TextLine[], oldLines: readonly string[]): Closest | undefined {
  const asked = oldLines.length > 1 && oldLines.at(-1) === '' ? oldLines.slice(0, -1) : oldLines;
  const wanted = asked.map(essence);
  const found = byEqualLines(lines, wanted) ?? bySimilarity(lines, wanted);
  if (found === undefined) return undefined;
  const equal = asked.map((line, index) => lines[found + index]?.text === line);
  const differing = Math.max(0, equal.indexOf(false));
  return {
    lineNumber: Math.max(0, found) + 1,
    equalLines: wanted.filter((line, index) => essence(lines[found + index]?.text ?? '\0') === line).length,
    differsAt: found + differing + 1,
    file: lines[found + differing]?.text,
    asked: asked[differing] ?? '',
  };
}
