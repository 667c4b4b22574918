import type { Readable } from 'node:stream';
import { UsageError } from '../../terminal/errors.ts';
import { readText, readTextFile } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import { chooseInput, openStandardInput, STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { rootsOf } from './options.ts';

/** Where a pattern comes from: the text of `-e`, or the lines of the file of `-f`. `-` is standard input. */
export type PatternSource = { readonly text: string } | { readonly file: string };

export interface GivenArguments {
  readonly args: readonly string[];
  readonly sources: readonly PatternSource[];
  readonly path: readonly string[] | undefined;
}

export interface GrepArguments {
  readonly patterns: readonly string[];
  readonly roots: readonly string[];
  /** The text of the root `-`. */
  readonly input?: Readable;
  readonly notices: readonly string[];
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

async function splitArguments(
  { args, sources }: GivenArguments,
  session: Session,
): Promise<{ readonly patterns: readonly string[]; readonly paths: readonly string[] }> {
  if (sources.length > 0) {
    const lists: (readonly string[])[] = [];
    for (const source of sources) lists.push(await patternsOf(source, session));
    return { patterns: lists.flat(), paths: args };
  }
  const [pattern, ...paths] = args;
  if (pattern === undefined) {
    throw new UsageError(
      'missing argument <pattern>',
      "use 'cairn grep [options] <pattern> [path...]' (see 'cairn grep --help')",
    );
  }
  return { patterns: [pattern], paths };
}

const TO_SEARCH_FILES = 'to search files, add a path, such as .';

export async function readArguments(given: GivenArguments, session: Session): Promise<GrepArguments> {
  const { patterns, paths } = await splitArguments(given, session);
  const usesInput = given.sources.some((source) => 'file' in source && source.file === '-');
  const isGiven = paths.length > 0 || given.path !== undefined;
  const roots = rootsOf(given, paths);
  if (isGiven && roots.includes(STANDARD_INPUT)) {
    if (usesInput) {
      throw new UsageError('-f - and the path - both need standard input', 'put the patterns or the text in a file');
    }
    const { stream } = await openStandardInput(session, TO_SEARCH_FILES);
    // The second time, it has nothing left.
    const once = roots.filter((root, index) => root !== STANDARD_INPUT || roots.indexOf(root) === index);
    return { patterns, roots: once, input: stream, notices: [] };
  }
  if (isGiven || usesInput) return { patterns, roots, notices: [] };
  const { input, notices } = await chooseInput(session, TO_SEARCH_FILES);
  return input === undefined
    ? { patterns, roots, notices }
    : { patterns, roots: [STANDARD_INPUT], input: input.stream, notices };
}
