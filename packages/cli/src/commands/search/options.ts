import { unquotePath } from '@cairn/tool/paths';
import { Option } from 'commander';
import type { AnswerFlags } from '../../terminal/answer.ts';
import { colorOption, filled, wholeNumber } from '../../terminal/options.ts';

/** The options of every search command, as parsed. */
export interface SearchFlags extends AnswerFlags {
  readonly path: string;
  readonly hidden?: boolean;
  /** False after `--no-ignore`. */
  readonly ignore: boolean;
  readonly limit?: number;
  readonly timeout?: number;
}

/** The differences between the commands in the options that they share. */
export interface SearchWording {
  /** What `--path` may be. */
  readonly root: string;
  /** What `--limit` counts, with the default. */
  readonly limit: string;
  readonly searchesHidden: boolean;
}

export function searchOptions(wording: SearchWording): Option[] {
  const byDefault = (is: boolean): string => (is ? ' (default)' : '');
  return [
    new Option('--path <path>', `where to search: ${wording.root}`)
      .argParser((value) => unquotePath(filled('--path', "use a path, or '.' for the current directory")(value)))
      .default('.', 'the current directory'),
    new Option('--hidden', `search names that start with a dot${byDefault(wording.searchesHidden)}`),
    new Option('--no-hidden', `skip names that start with a dot${byDefault(!wording.searchesHidden)}`),
    new Option('--no-ignore', 'do not apply .gitignore, .ignore and other ignore files'),
    new Option('--limit <n>', wording.limit).argParser(wholeNumber('--limit')),
    new Option('--timeout <ms>', 'stop after N milliseconds, print the matches so far and exit with 2').argParser(
      wholeNumber('--timeout', 'milliseconds'),
    ),
    new Option('--json', 'print one JSON document'),
    colorOption(),
  ];
}
