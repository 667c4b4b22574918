import type { Command, CommanderError, Option } from 'commander';
import { UsageError } from './terminal/errors.ts';
import { foreignOptionError } from './terminal/foreign-arguments.ts';

function isSearch(command: Command): boolean {
  return command.registeredArguments.some((argument) => ['pattern', 'query', 'question'].includes(argument.name()));
}

/** Returns the words that run a command: `cairn mcp install`. */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

/** Returns the name of a command in the registry: `mcp install`. */
function registeredName(command: Command): string {
  return fullName(command).split(' ').slice(1).join(' ');
}

function argumentCount(count: number): string {
  return ['no argument', 'one argument', 'two arguments'][count] ?? `${count} arguments`;
}

/** Returns the option that a token names: `--limit`, or the last of short flags as in `-iC`. */
function optionOf(command: Command, token: string): Option | undefined {
  const isShort = /^-[^-]/u.test(token);
  return command.options.find(
    ({ long, short }) => long === token || short === token || (isShort && short === `-${token.slice(-1)}`),
  );
}

function conflictOf(command: Command): readonly Option[] {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  for (const option of given) {
    // commander's types leave this field out.
    const excluded: unknown = Reflect.get(option, 'conflictsWith');
    const other = given.find((one) => Array.isArray(excluded) && excluded.includes(one.attributeName()));
    if (other) return [option, other];
  }
  return [];
}

type Parts = readonly [message: string, fix: string];

/** Commands by the names that other tools give them. */
const otherNames: Readonly<Record<string, string>> = {
  ack: 'grep',
  ag: 'grep',
  rg: 'grep',
  search: 'grep',
  fd: 'find',
  files: 'find',
  fzf: 'pick',
  cat: 'read',
  mv: 'rename',
  rm: 'delete',
};

/** Commands of a group that people type without its name. */
const inGroups: Readonly<Record<string, string>> = {
  remember: 'memory remember',
  forget: 'memory forget',
  share: 'knowledge share',
};

function unknownCommand(command: Command): Parts {
  const [word = ''] = command.args;
  const inGroup = command.parent === null ? inGroups[word] : undefined;
  if (inGroup !== undefined) return [`unknown command "${word}"`, `use "${inGroup}"`];
  const names = command.commands.map((one) => one.name());
  const similar =
    names.find((name) => name === otherNames[word]) ??
    closest(
      word,
      command.commands.flatMap((one) => [one.name(), ...one.aliases()]),
    );
  return [
    `unknown command "${word}"`,
    similar === undefined ? `use one of ${names.join(', ')}` : `did you mean "${similar}"?`,
  ];
}

/** Returns the way to pass a word that looks like an option. A command without arguments has no use for it. */
function optionFix(command: Command): string {
  if (command.registeredArguments.length > 0) {
    return `to use it as ${isSearch(command) ? 'text to search for' : 'a name'}, put -- before it`;
  }
  return command.commands.length > 0 ? 'put the options of a command after its name' : 'leave it out';
}

/** `--project` without a value chose the file of the project in earlier versions. */
const PROJECT_FIX =
  '--project <identity> names the project of facts; for a file in the project use --store .cairn/memory.db';

/** Returns the first word that is not an option of the command. commander leaves what it could not parse in `args`, operands first. */
function unknownWord(command: Command): string {
  return command.args.find((one) => one.length > 1 && one.startsWith('-')) ?? '';
}

function unknownOption(command: Command): Parts {
  const word = unknownWord(command);
  const flag = word.replace(/=.*$/su, '');
  if (flag !== word && optionOf(command, flag) !== undefined) {
    return [`option "${flag}" does not accept a value`, `use ${flag} alone`];
  }
  if (flag === '--project' && command.options.some(({ long }) => long === '--store')) {
    return ['unknown option "--project"', PROJECT_FIX];
  }
  if (flag === '--version' || flag === '-V') return [`unknown option "${flag}"`, "use 'cairn --version'"];
  const similar = closest(
    flag,
    command.options.flatMap(({ long }) => long ?? []),
  );
  const fix = optionFix(command);
  return [`unknown option "${flag}"`, similar === undefined ? fix : `did you mean "${similar}"? ${fix}`];
}

/** The names of arguments that are text in which words are usual. */
const texts: ReadonlySet<string> = new Set(['text', 'query', 'goal', 'prompt', 'answer']);

/** Returns the fix for extra words: the option that takes them, or the quotes that are missing. An id has no spaces. */
function excessFix({ options, registeredArguments }: Command): string {
  const last = registeredArguments.at(-1)?.name();
  const wanted = last === undefined ? '--group' : '--text';
  const option = options.find(({ long }) => long === wanted);
  if (option !== undefined) return `use ${option.flags} for a ${option.name()}`;
  if (last === undefined || last === 'id') return 'leave out the extra ones';
  return texts.has(last)
    ? 'put quotes around a text that contains spaces'
    : 'put quotes around names that contain spaces';
}

function excessArguments(command: Command): Parts {
  const { args, registeredArguments } = command;
  const count = argumentCount(registeredArguments.length);
  const shown = args.map((one) => (one === '' ? "''" : one)).join(' ');
  return [`'${fullName(command)}' takes ${count}, but got ${args.length}: ${shown}`, excessFix(command)];
}

function messageOf(error: CommanderError, command: Command, args: readonly string[]): Parts {
  const usage = `use '${fullName(command)} ${command.usage()}'`;
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownCommand(command);
    case 'commander.unknownOption':
      return unknownOption(command);
    case 'commander.excessArguments':
      return excessArguments(command);
    case 'commander.missingArgument': {
      const missing = command.registeredArguments.filter((one, index) => one.required && index >= command.args.length);
      return [`missing argument ${missing.map((one) => `<${one.name()}>`).join(' ')}`, usage];
    }
    case 'commander.optionMissingArgument': {
      const last = args.at(-1) ?? '';
      if (last === '--project') return ['option "--project <identity>" needs a value', PROJECT_FIX];
      return [`option "${optionOf(command, last)?.flags ?? last}" needs a value`, 'add it after the option'];
    }
    case 'commander.conflictingOption': {
      const flags = conflictOf(command).map((option) => `"${option.flags}"`);
      return [`options ${flags.join(' and ')} exclude each other`, 'leave one of them out'];
    }
    default:
      return [error.message, usage];
  }
}

export function usageErrorOf(error: CommanderError, command: Command, args: readonly string[]): UsageError {
  const isUnknown = error.code === 'commander.unknownOption';
  const foreign = isUnknown ? foreignOptionError(registeredName(command), unknownWord(command)) : undefined;
  if (foreign) return foreign;
  const [message, fix] = messageOf(error, command, args);
  return new UsageError(message, `${fix} (see '${fullName(command)} --help')`, { cause: error });
}

/** More typing errors than this make another word. */
const MAX_DISTANCE = 3;
const MIN_SIMILARITY = 0.5;

/** Returns the number of characters that were inserted, deleted, replaced or swapped with their neighbour. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const replaced = (above[column - 1] ?? 0) + (isSame ? 0 : 1);
      let best = Math.min((above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced);
      if (one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        best = Math.min(best, (before[column - 2] ?? Infinity) + 1);
      }
      current.push(best);
    }
    before = above;
    above = current;
  }
  return above[other.length] ?? 0;
}

function closest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, errors: distance(word, candidate) }))
    .filter(({ candidate, errors }) => {
      const length = Math.max(word.length, candidate.length);
      return errors <= MAX_DISTANCE && (length - errors) / length >= MIN_SIMILARITY;
    })
    .toSorted((one, other) => one.errors - other.errors);
  return ranked[0]?.candidate;
}
