/** What a command does with options of other tools. {@link foreignOptionsOf} lists them. */
import { Option } from 'commander';
import { UsageError } from './errors.ts';
import { findWords, foreignOptionsOf } from './foreign-options.ts';

/** Tools with a page of equivalents in the help. */
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
  const word = Object.keys(findWords).find((one) => given.has(one));
  if (word === undefined) return undefined;
  return new UsageError(`option "${word}" of find(1) is not supported`, `${findWords[word]} (see 'cairn help find')`);
}

/** Returns the error for a word that is an option of another tool: `-z`, `-z5`, `--sort=path`, and of grep `-2` and `-hn`. */
export function foreignOptionError(command: string, word: string): UsageError | undefined {
  if (command === 'grep' && /^-\d+$/u.test(word)) return refusal('grep', word, `use -C ${word.slice(1)}`);
  if (command === 'grep' && /^-h./u.test(word)) return refusal('grep', '-h', 'use -I to leave out paths');
  const given = word.startsWith('--') ? word.replace(/=.*$/su, '') : word.slice(0, 2);
  for (const { tool, refused } of foreignOptionsOf(command)) {
    for (const [flags, instead] of Object.entries(refused)) {
      const { long, short } = new Option(flags);
      if (given === long || given === short) return refusal(tool, flags, instead);
    }
  }
  return undefined;
}

/** Returns the options, absent from the help, that a command accepts for users of other tools. */
export function acceptedOptions(command: string): readonly Option[] {
  return foreignOptionsOf(command).flatMap(({ tool, same = {}, ignored, refused }) => [
    ...Object.entries(same).map(([flags, values]) => new Option(flags).hideHelp().implies(values)),
    ...Object.entries(ignored).map(([flags, values]) => {
      const option = new Option(flags).hideHelp();
      if (values === 'any') return option;
      return option.argParser((value: string) => {
        if (!values.includes(value)) throw refusal(tool, flags, refused[flags] ?? 'leave it out', value);
        return value;
      });
    }),
  ]);
}
