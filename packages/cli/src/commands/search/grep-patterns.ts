import { UsageError } from '../../terminal/errors.ts';
import { readText, readTextFile } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';

/** Where a pattern comes from: the text of `-e`, or the lines of the file of `-f`. `-` is standard input. */
export type PatternSource = { readonly text: string } | { readonly file: string };

/** The patterns of a search and its paths. */
export interface GrepArguments {
  readonly patterns: readonly string[];
  readonly paths: readonly string[];
  /** Whether standard input had the patterns, so that it has no text to search. */
  readonly usesInput: boolean;
}

/** Returns the lines of a file of patterns. As in ripgrep, an empty line is a pattern that matches every line. */
function patternsIn(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/u, ''));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

async function patternsOf(source: PatternSource, session: Session): Promise<readonly string[]> {
  if ('text' in source) return [source.text];
  const text =
    source.file === '-'
      ? await readText(session.input, 'pipe the patterns into it, one a line')
      : await readTextFile(source.file, session.signal);
  return patternsIn(text);
}

/** Splits the arguments: the first is the pattern, unless -e or -f gave the patterns. */
export async function readArguments(
  args: readonly string[],
  sources: readonly PatternSource[],
  session: Session,
): Promise<GrepArguments> {
  if (sources.length > 0) {
    const lists: (readonly string[])[] = [];
    for (const source of sources) lists.push(await patternsOf(source, session));
    const usesInput = sources.some((source) => 'file' in source && source.file === '-');
    return { patterns: lists.flat(), paths: args, usesInput };
  }
  const [pattern, ...paths] = args;
  if (pattern === undefined) {
    throw new UsageError(
      'missing argument <pattern>',
      "use 'cairn grep [options] <pattern> [path...]' (see 'cairn grep --help')",
    );
  }
  return { patterns: [pattern], paths, usesInput: false };
}
