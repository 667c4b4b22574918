import { unquotePath } from '@cairn/tool/paths';
import { Option } from 'commander';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { colorOption, filled, wholeNumber } from '../../terminal/options.ts';

/** The options of every search command, as parsed. */
export interface SearchFlags extends AnswerFlags {
  /** The paths of `--path`; see {@link rootsOf}. */
  readonly path?: readonly string[];
  readonly hidden?: boolean;
  /** False after `--no-ignore`. */
  readonly ignore: boolean;
  readonly limit?: number;
  readonly timeout?: number;
}

/** The differences between the commands in the options about places. */
export interface RootWording {
  /** What `--path` may be. */
  readonly root: string;
  readonly searchesHidden: boolean;
}

/** The differences between the commands in the options that they share. */
export interface SearchWording extends RootWording {
  /** What `--limit` counts, with the default. */
  readonly limit: string;
}

const pathParser = (name: string): ((value: string) => string) => {
  const parse = filled(name, "use a path, or '.' for the current directory");
  return (value) => unquotePath(parse(value));
};

/** Collects the values of a repeated option. */
export function repeated<T>(parse: (value: string) => T): (value: string, previous?: readonly T[]) => readonly T[] {
  return (value, previous = []) => [...previous, parse(value)];
}

/**
 * Returns where to search: the paths of `--path`, then those that are arguments, each as it was given; the current directory by
 * default. `-` is standard input.
 */
export function rootsOf({ path = [] }: Pick<SearchFlags, 'path'>, args: readonly string[] = []): readonly string[] {
  const roots = [...path, ...args.map(pathParser('the path'))];
  return roots.length === 0 ? ['.'] : roots;
}

/** Returns the options that state where to search. */
export function rootOptions(wording: RootWording): readonly [path: Option, ...Option[]] {
  const byDefault = (is: boolean): string => (is ? ' (default)' : '');
  return [
    new Option('--path <path>', `where to search: ${wording.root} (default: the current directory)`).argParser(
      repeated(pathParser('--path')),
    ),
    new Option('--hidden', `search names that start with a dot${byDefault(wording.searchesHidden)}`),
    new Option('--no-hidden', `skip names that start with a dot${byDefault(!wording.searchesHidden)}`),
    new Option('--no-ignore', 'do not apply .gitignore, .ignore and other ignore files'),
  ];
}

/** Returns the options that find, glob and grep share. */
export function searchOptions(wording: SearchWording): Option[] {
  return [
    ...rootOptions(wording),
    new Option('--limit <n>', wording.limit).argParser(wholeNumber('--limit')),
    new Option('--timeout <ms>', 'stop after N milliseconds, print the matches so far and exit with 2').argParser(
      wholeNumber('--timeout', 'milliseconds'),
    ),
    new Option('--json', 'print one JSON document'),
    colorOption(),
  ];
}
