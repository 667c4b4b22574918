import { unquotePath } from '@cairn/tool/paths';
import { Option, type Command } from 'commander';
import { UsageError } from './errors.ts';
import { colorModes } from './output.ts';
import { formatCount } from './text.ts';

/** The largest count of an option: the addon counts in 32 bits. */
export const MAX_COUNT = 4_294_967_295;

/** Returns the parser of an option's values. `name` is the option, for its errors. `previous` is the value before. */
export type ParserOf<T> = (name: string) => (value: string, previous?: T) => T;

interface OptionTraits {
  readonly default?: unknown;
  /** The default in the help, if that is not the value itself. */
  readonly shownDefault?: string;
  /** The names of the options that exclude it, in camel case. */
  readonly conflicts?: string | readonly string[];
  readonly isHidden?: boolean;
  /** The name of its value, which several options share; the last one that is given counts. */
  readonly name?: string;
}

export type OptionRow = readonly [
  flags: string,
  description: string,
  parserOf?: ((name: string) => (value: string, previous?: never) => unknown) | undefined,
  traits?: OptionTraits,
];

function optionOf([flags, description, parserOf, traits = {}]: OptionRow): Option {
  const option = new Option(flags, description);
  if (parserOf) option.argParser(parserOf(option.long ?? flags) as (value: string, previous: unknown) => unknown);
  if ('default' in traits) option.default(traits.default, traits.shownDefault ?? String(traits.default));
  if (traits.conflicts !== undefined) option.conflicts([traits.conflicts].flat());
  const { name } = traits;
  // A shared value has no default, not even that of a flag that begins with --no-.
  if (name !== undefined) Object.assign(option, { negate: false, attributeName: () => name });
  return option.hideHelp(traits.isHidden ?? false);
}

export function hidden(flags: string, traits: OptionTraits = {}): OptionRow {
  return [flags, '', undefined, { ...traits, isHidden: true }];
}

export function addOptions(command: Command, rows: readonly OptionRow[]): void {
  for (const row of rows) command.addOption(optionOf(row));
}

function invalid(name: string, value: string, fix: string): UsageError {
  return new UsageError(`invalid ${name} "${value}"`, fix);
}

/** Rejects an empty value, which is more likely an unset variable than a choice. */
export function filled(name: string, fix: string = 'give it a value'): (value: string) => string {
  return (value) => {
    if (value === '') throw new UsageError(`${name} is empty`, fix);
    return value;
  };
}

/** Parses a path, which may be in quotes as answers show it. */
export function pathParser(name: string, fix: string): (value: string) => string {
  const parse = filled(name, fix);
  return (value) => unquotePath(parse(value));
}

interface NumberOptions {
  readonly unit?: string;
  /** @default 0 */
  readonly minimum?: number;
  /** @default the largest that the addon counts to */
  readonly maximum?: number;
}

export function wholeNumber({ unit, minimum = 0, maximum = MAX_COUNT }: NumberOptions = {}): ParserOf<number> {
  const wanted = `use a whole number${unit === undefined ? '' : ` of ${unit}`} from ${minimum}`;
  return (name) => (value) => {
    const isValid = /^\d+$/u.test(value) && Number(value) >= minimum;
    if (!isValid) throw invalid(name, value, wanted);
    if (Number(value) > maximum) throw invalid(name, value, `${wanted} to ${formatCount(maximum)}`);
    return Number(value);
  };
}

const sizeFactors: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** Parses a size in bytes: digits, then K, M or G for powers of 1024. */
export function byteSize(name: string): (value: string) => number {
  return (value) => {
    const [, digits = '', suffix = ''] = /^(\d+)([KMG]?)$/iu.exec(value) ?? [];
    const bytes = Number(digits) * (sizeFactors[suffix.toUpperCase()] ?? 1);
    if (digits === '' || !Number.isSafeInteger(bytes)) {
      throw invalid(name, value, 'use a size such as 4096, 512K, 10M or 1G');
    }
    return bytes;
  };
}

function listOf(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}

export function oneOf<const T extends string>(values: readonly T[]): ParserOf<T> {
  return (name) => (value) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw invalid(name, value, `use ${listOf(values)}`);
    return found;
  };
}

/** Sets a value that two options set: `--pin` and `--no-pin`. Rejects both instead of silently taking the last. */
export function switchOf(value: boolean): ParserOf<boolean> {
  return (name) => (_, previous) => {
    if (previous === !value) {
      const other = value ? `--no-${name.slice(2)}` : `--${name.slice('--no-'.length)}`;
      throw new UsageError(`options "${other}" and "${name}" exclude each other`, 'leave one of them out');
    }
    return value;
  };
}

/** Rejects a second value instead of silently dropping the first. */
export function once(fix: string): ParserOf<string> {
  return (name) => (value, previous) => {
    if (previous !== undefined) throw new UsageError(`${name} is given twice`, fix);
    return value;
  };
}

export function repeated<T>(parserOf: ParserOf<T>): ParserOf<readonly T[]> {
  return (name) => {
    const parse = parserOf(name);
    return (value, previous = []) => [...previous, parse(value)];
  };
}

/** Collects the words of comma-separated lists. The option may be repeated. */
export function wordsOf<T>(parserOf: ParserOf<T>): ParserOf<readonly T[]> {
  return (name) => {
    const parse = parserOf(name);
    return (value, previous = []) => [...previous, ...value.split(',').map((word) => parse(word.trim()))];
  };
}

/** Collects the values of an option that may be repeated or hold several, as `--tag a,b`. */
export const splitValues: ParserOf<readonly string[]> = (name) => {
  const parse = filled(name);
  return (value, previous = []) => [...previous, ...parse(value).split(',')];
};

/** Parses a comma-separated list of names. Empty ones are dropped. */
export const nameList: ParserOf<readonly string[]> = () => (value) =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

export const stateOption = [
  '--state-dir <dir>',
  'directory for the journal of running changes, on a local disk (default: in the home directory of the user database)',
  (name: string) => filled(name, 'use a directory of your own, or leave it out'),
] as const;

export const watchOption = ['--watch', 'watch large trees, so that repeated searches in files take less time'] as const;

const jsonOption = ['--json', 'print one JSON document'] as const;

export const colorOption = [
  '--color <when>',
  'use colours: auto (in a terminal), always or never; auto follows NO_COLOR and FORCE_COLOR',
  oneOf(colorModes),
  { default: 'auto' },
] as const;

export const answerOptions = [jsonOption, colorOption] as const;
