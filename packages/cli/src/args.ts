import { Option } from 'commander';
import { UsageError } from './errors.ts';
import { colorModes, type ColorMode } from './output.ts';
import { formatCount } from './text.ts';

/** The largest count an option takes: what a 32-bit number holds. */
const maxCountValue = 4_294_967_295;

/** Reads a whole number, in plain digits, from `minimum`. */
export function wholeNumber(flag: string, unit: string = '', minimum: number = 0): (value: string) => number {
  const wanted = `${flag} takes a whole number${unit === '' ? '' : ` of ${unit}`} from ${minimum}`;
  return (value) => {
    if (!/^\d+$/u.test(value) || Number(value) < minimum) throw new UsageError(`${wanted}, not '${value}'`);
    if (Number(value) > maxCountValue)
      throw new UsageError(`${wanted} to ${formatCount(maxCountValue)}, not '${value}'`);
    return Number(value);
  };
}

const sizeFactors: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** Reads a size in bytes: digits, with K, M or G for powers of 1024. */
export function byteSize(flag: string): (value: string) => number {
  return (value) => {
    const [, digits = '', suffix = ''] = /^(\d+)([KMG]?)$/iu.exec(value) ?? [];
    const bytes = Number(digits) * (sizeFactors[suffix.toUpperCase()] ?? 1);
    if (digits === '' || !Number.isSafeInteger(bytes)) {
      throw new UsageError(`${flag} takes a size such as 4096, 512K, 10M or 1G, not '${value}'`);
    }
    return bytes;
  };
}

function listOf(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}

/** Reads one of a few words. */
export function oneOf<T extends string>(flag: string, values: readonly T[]): (value: string) => T {
  return (value) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw new UsageError(`${flag} takes ${listOf(values)}, not '${value}'`);
    return found;
  };
}

/** Refuses a second value instead of dropping the first in silence. `hint` says how to ask for both. */
export function once(flag: string, hint: string): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous !== undefined) throw new UsageError(`${flag} can be given once; ${hint}`);
    return value;
  };
}

/** Reads the root of a search; an empty one is more likely an unset variable than the current directory. */
function searchRoot(value: string): string {
  if (value === '') throw new UsageError("--path takes a path, not an empty text; '.' is the current directory");
  return value;
}

/** The options every search command has, as parsed. */
export interface SharedFlags {
  readonly path: string;
  readonly hidden?: boolean;
  /** False after `--no-ignore`. */
  readonly ignore: boolean;
  readonly limit?: number;
  readonly timeout?: number;
  readonly json?: boolean;
  readonly color: ColorMode;
}

export function colorOption(): Option {
  return new Option(
    '--color <when>',
    'colours: auto (in a terminal), always or never; NO_COLOR and FORCE_COLOR count for auto',
  )
    .argParser(oneOf('--color', colorModes))
    .default('auto', 'auto');
}

/** What differs between the commands in the options they share. */
export interface SharedWording {
  /** What `--path` may be. */
  readonly root: string;
  /** What `--limit` counts, with the default. */
  readonly limit: string;
  readonly searchesHidden: boolean;
}

export function sharedOptions(wording: SharedWording): Option[] {
  const byDefault = (is: boolean): string => (is ? ' (the default)' : '');
  return [
    new Option('--path <path>', `where to search: ${wording.root}`)
      .argParser(searchRoot)
      .default('.', 'the current directory'),
    new Option('--hidden', `search names that start with a dot${byDefault(wording.searchesHidden)}`),
    new Option('--no-hidden', `leave out names that start with a dot${byDefault(!wording.searchesHidden)}`),
    new Option('--no-ignore', 'do not apply .gitignore, .ignore and the other ignore files'),
    new Option('--limit <n>', wording.limit).argParser(wholeNumber('--limit')),
    new Option('--timeout <ms>', 'stop after so many milliseconds, show what was found and exit with 2').argParser(
      wholeNumber('--timeout', 'milliseconds'),
    ),
    new Option('--json', 'print the whole result as one JSON document'),
    colorOption(),
  ];
}
