import type { Command, CommanderError } from 'commander';
import { UsageError } from './errors.ts';

function searches(command: Command): boolean {
  return command.options.some(({ long }) => long === '--path');
}

function counted(most: number): string {
  return ['no argument', 'one argument', 'two arguments'][most] ?? `${most} arguments`;
}

/** The words that a command is typed with. */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

/** What commander found wrong, said in one line that names the remedy. */
export function usageMessage(error: CommanderError, command: Command): string {
  const name = fullName(command);
  const see = `see '${name} --help'`;
  // Suggestions come on a line of their own, in brackets.
  const [first = '', suggestion = ''] = error.message.replace(/^error: /u, '').split('\n');
  const similar = /^\(Did you mean (.+)\?\)$/u.exec(suggestion)?.[1];
  const didYouMean = similar === undefined ? '' : `; did you mean ${similar}?`;
  switch (error.code) {
    case 'commander.unknownCommand':
      return `${first}${
        didYouMean === ''
          ? `; the commands are ${command.commands
              .map((one) => one.name())
              .filter((one) => one !== 'help')
              .join(', ')}`
          : didYouMean
      } (${see})`;
    case 'commander.unknownOption':
      return `${first}${didYouMean} (${see}; ${searches(command) ? 'to search for text' : 'for a name'} that starts with '-', put -- before it)`;
    case 'commander.missingArgument':
      return `${first.replace('missing required argument', `'${name}' needs an argument:`).replaceAll(/: '(\w+)'$/gu, ': <$1>')} (${see})`;
    case 'commander.excessArguments':
      return `'${name}' takes ${counted(command.registeredArguments.length)}, but got ${command.args.length}: ${command.args.join(' ')}; ${searches(command) ? 'quote a pattern, and use --path to say where to search' : 'quote a name that has blanks'} (${see})`;
    case 'commander.optionMissingArgument':
      return `${first.replace(' argument missing', ' needs a value')} (${see})`;
    default:
      return `${first}${didYouMean} (${see})`;
  }
}

/** Adds a command below a command. */
export function subcommand(parent: Command, name: string): Command {
  const command = parent.command(name).helpOption('-h, --help', 'show help').showSuggestionAfterError();
  return command.exitOverride((error) => {
    if (isHelpOrVersion(error)) throw error;
    throw new UsageError(usageMessage(error, command), { cause: error });
  });
}

export function isHelpOrVersion(error: CommanderError): boolean {
  return (
    error.code === 'commander.helpDisplayed' || error.code === 'commander.version' || error.code === 'commander.help'
  );
}
