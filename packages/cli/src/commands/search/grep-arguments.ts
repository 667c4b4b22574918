import type { Readable } from 'node:stream';
import { UsageError } from '../../terminal/errors.ts';
import { readText, readTextFile } from '../../terminal/input.ts';
import type { Session } from '../../terminal/session.ts';
import { chooseInput, openStandardInput, STANDARD_INPUT } from '../../terminal/standard-input.ts';
import type { GrepFlags, PatternSource } from './grep-options.ts';
import { rootsOf } from './options.ts';

/** What to search for, and where. */
export interface GrepArguments {
  readonly patterns: readonly string[];
  readonly roots: readonly string[];
  /** The text of the root `-`. */
  readonly input?: Readable | undefined;
  /** Notices about the choice of the roots. */
  readonly notices: readonly string[];
}

/** Returns the patterns of a source. As in ripgrep, an empty line of a file is a pattern that matches every line. */
async function patternsOf(source: PatternSource, { input, signal }: Session): Promise<readonly string[]> {
  if ('text' in source) return [source.text];
  const { file } = source;
  const text = await (file === '-'
    ? readText(input, 'pipe the patterns into it, one a line')
    : readTextFile(file, signal));
  const lines = text.split('\n').map((line) => line.replace(/\r$/u, ''));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

const TO_SEARCH_FILES = 'to search files, add a path, such as .';

/**
 * Reads the patterns of -e and -f, or takes the first argument, and decides what is searched: the given paths, standard input or the
 * current directory.
 */
export async function readArguments(
  { args, flags }: { readonly args: readonly string[]; readonly flags: GrepFlags },
  session: Session,
): Promise<GrepArguments> {
  const { sources = args.slice(0, 1).map((text) => ({ text })) } = flags;
  const paths = flags.sources ? args : args.slice(1);
  if (sources.length === 0) {
    throw new UsageError(
      'missing argument <pattern>',
      "use 'cairn grep [options] <pattern> [path...]' (see 'cairn grep --help')",
    );
  }
  const patterns: string[] = [];
  for (const source of sources) patterns.push(...(await patternsOf(source, session)));
  const usesInput = sources.some((source) => 'file' in source && source.file === '-');
  const isGiven = paths.length > 0 || flags.path !== undefined;
  const roots = rootsOf(flags, paths);
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
  return { patterns, roots: input ? [STANDARD_INPUT] : roots, input: input?.stream, notices };
}
