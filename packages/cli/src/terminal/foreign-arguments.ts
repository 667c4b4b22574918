import { Option, type Command } from 'commander';
import { UsageError } from './errors.ts';
import { findWords, foreignOptionsOf, optionsIn, VALUES, type ForeignOptions } from './foreign-options.ts';

const toolsWithHelp: readonly string[] = ['ripgrep', 'fd', 'fzf'];

function refusal(tool: string, flags: string, instead: string, value: string = ''): UsageError {
  const given = value === '' ? '' : ` with "${value}"`;
  const see = toolsWithHelp.includes(tool) ? ` (see 'cairn help ${tool}')` : '';
  return new UsageError(`option "${flags}" of ${tool} is not supported${given}`, `${instead}${see}`);
}

/** Returns the error for arguments of find(1): `cairn find . -name '*.c'`. */
export function findWordError([command, ...args]: readonly string[]): UsageError | undefined {
  if (command !== 'find') return undefined;
  const end = args.indexOf('--');
  const given = new Set(args.slice(0, end === -1 ? undefined : end));
  for (const [words, instead] of Object.entries(findWords)) {
    const word = optionsIn(words).find((one) => given.has(one));
    if (word === undefined) continue;
    return new UsageError(`option "${word}" of find(1) is not supported`, `${instead} (see 'cairn help find')`);
  }
  return undefined;
}

function refusalOf(
  { tool, refused }: ForeignOptions,
  name: string | undefined,
  value?: string,
): UsageError | undefined {
  for (const [list, instead] of Object.entries(refused)) {
    for (const flags of optionsIn(list)) {
      const { long, short } = new Option(flags);
      if (name === long || name === short) return refusal(tool, flags, instead, value);
    }
  }
  return undefined;
}

/** Returns the error for a word that is an option of another tool: `-z`, `-z5`, `--sort=path`, and of grep `-2` and `-hn`. */
export function foreignOptionError(command: string, word: string): UsageError | undefined {
  if (command === 'grep' && /^-\d+$/u.test(word)) return refusal('grep', word, `use -C ${word.slice(1)}`);
  if (command === 'grep' && /^-h./u.test(word)) return refusal('grep', '-h', 'use -I to leave out paths');
  const given = word.startsWith('--') ? word.replace(/=.*$/su, '') : word.slice(0, 2);
  for (const foreign of foreignOptionsOf(command)) {
    const error = refusalOf(foreign, given);
    if (error) return error;
  }
  return undefined;
}

/** Returns an option that a command ignores, unless it has another value than the ones that it may have. */
function ignoredOption(flags: string, foreign: ForeignOptions): Option {
  const values = VALUES.exec(flags)?.[0].split('|');
  if (values === undefined) return new Option(flags).hideHelp();
  const option = new Option(flags.replace(VALUES, '<value>')).hideHelp();
  return option.argParser((value: string) => {
    if (values.includes(value)) return value;
    throw refusalOf(foreign, option.long, value) ?? refusal(foreign.tool, flags, 'leave it out', value);
  });
}

/** Adds the options, absent from the help, that a command accepts for users of other tools. */
export function addForeignOptions(command: Command, name: string): void {
  for (const foreign of foreignOptionsOf(name)) {
    for (const [flags, own] of Object.entries(foreign.same ?? {})) {
      const option = new Option(flags).hideHelp();
      command.addOption(option).on(`option:${option.name()}`, () => void command.parseOptions(own.split(' ')));
    }
    for (const flags of foreign.ignored ? optionsIn(foreign.ignored) : []) {
      command.addOption(ignoredOption(flags, foreign));
    }
  }
}
