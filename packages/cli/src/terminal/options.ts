import { Option } from 'commander';
import { UsageError } from './errors.ts';
import { colorModes } from './output.ts';
import { formatCount } from './text.ts';

/** The largest count of an option: the addon counts in 32 bits. */
export const MAX_COUNT = 4_294_967_295;

function invalid(flag: string, value: string, fix: string): UsageError {
  return new UsageError(`invalid ${flag} "${value}"`, fix);
}

/** Rejects an empty value, which is more likely an unset variable than a choice. */
export function filled(flag: string, fix: string = 'give it a value'): (value: string) => string {
  return (value) => {
    if (value === '') throw new UsageError(`${flag} is empty`, fix);
    return value;
  };
}

/** Parses a whole number of plain digits, from `minimum` to `maximum`. */
export function wholeNumber(
  flag: string,
  unit: string = '',
  minimum: number = 0,
  maximum: number = MAX_COUNT,
): (value: string) => number {
  const wanted = `use a whole number${unit === '' ? '' : ` of ${unit}`} from ${minimum}`;
  return (value) => {
    const isValid = /^\d+$/u.test(value) && Number(value) >= minimum;
    if (!isValid) throw invalid(flag, value, wanted);
    if (Number(value) > maximum) throw invalid(flag, value, `${wanted} to ${formatCount(maximum)}`);
    return Number(value);
  };
}

const sizeFactors: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** Parses a size in bytes: digits, then K, M or G for powers of 1024. */
export function byteSize(flag: string): (value: string) => number {
  return (value) => {
    const [, digits = '', suffix = ''] = /^(\d+)([KMG]?)$/iu.exec(value) ?? [];
    const bytes = Number(digits) * (sizeFactors[suffix.toUpperCase()] ?? 1);
    if (digits === '' || !Number.isSafeInteger(bytes)) {
      throw invalid(flag, value, 'use a size such as 4096, 512K, 10M or 1G');
    }
    return bytes;
  };
}

function listOf(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}

/** Parses one of a few words. */
export function oneOf<T extends string>(flag: string, values: readonly T[]): (value: string) => T {
  return (value) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw invalid(flag, value, `use ${listOf(values)}`);
    return found;
  };
}

/** Rejects a second value instead of silently dropping the first. */
export function once(flag: string, fix: string): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous !== undefined) throw new UsageError(`${flag} is given twice`, fix);
    return value;
  };
}

/** Returns the option of each command that changes files through the tools. */
export function stateOption(): Option {
  return new Option(
    '--state-dir <dir>',
    'directory for the journal of running changes, on a local disk (default: in the home directory of the user database)',
  ).argParser(filled('--state-dir', 'use a directory of your own, or leave it out'));
}

export function colorOption(): Option {
  return new Option(
    '--color <when>',
    'use colours: auto (in a terminal), always or never; auto follows NO_COLOR and FORCE_COLOR',
  )
    .argParser(oneOf('--color', colorModes))
    .default('auto', 'auto');
}
