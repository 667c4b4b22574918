import { Command, type CommanderError } from 'commander';
import { deleteCommand } from './commands/delete.ts';
import { doctorCommand } from './commands/doctor.ts';
import { editCommand } from './commands/edit.ts';
import { findCommand } from './commands/find.ts';
import { globCommand } from './commands/glob.ts';
import { grepCommand } from './commands/grep.ts';
import { lsCommand } from './commands/ls.ts';
import { memoryCommands } from './commands/memory.ts';
import { mcpInstallCommand } from './commands/mcp/install.ts';
import { mcpCommand } from './commands/mcp/mcp.ts';
import { notesCommands } from './commands/notes.ts';
import { patchCommand } from './commands/patch.ts';
import { pickCommand } from './commands/pick.ts';
import { readCommand } from './commands/read.ts';
import { renameCommand } from './commands/rename.ts';
import { tourCommand } from './commands/tour.ts';
import { workflowCommands } from './commands/workflow.ts';
import { writeCommand } from './commands/write.ts';
import { UsageError } from './errors.ts';
import { readManifest } from './manifest.ts';
import { createPaint, usesColor } from './output.ts';
import type { Session } from './session.ts';

/** A command adds itself to the program and reports the exit status of a finished run. */
type CommandFactory = (command: Command, session: Session, done: (exitCode: number) => void) => void;

/** The registry: a new command is one file and one line here. One with a blank in its name belongs to the one before it. */
const commands: Readonly<Record<string, CommandFactory>> = {
  find: findCommand,
  glob: globCommand,
  grep: grepCommand,
  pick: pickCommand,
  ls: lsCommand,
  read: readCommand,
  write: writeCommand,
  edit: editCommand,
  patch: patchCommand,
  delete: deleteCommand,
  rename: renameCommand,
  ...memoryCommands,
  ...notesCommands,
  ...workflowCommands,
  tour: tourCommand,
  mcp: mcpCommand,
  'mcp install': mcpInstallCommand,
  doctor: doctorCommand,
};

const rootHelp = `
Examples:
  $ cairn tour                              see it at work on the current directory
  $ cairn find readme                       paths by a few letters of their name
  $ cairn glob '*.ts'                       paths by pattern
  $ cairn grep 'import .* from' -g '*.ts'   lines by regular expression
  $ cairn read README.md                    a file, with the tag of its content
  $ cairn edit README.md --old TODO --new Done --dry-run   what would change
  $ cairn memory add 'the tests need redis-server'   remember; 'cairn memory search redis' finds it
  $ vim "$(cairn pick)"                     choose while you type
  $ cairn help grep                         the options of one command

Exit status: 0 when something was found, 1 when nothing was, 2 when the call was wrong, the\nsearch could not see everything, or a file could not be read or changed.`;

/** Help and version texts, kept until they can be written like any other output. */
export interface HelpTexts {
  out: string;
  err: string;
}

function searches(command: Command): boolean {
  return command.options.some(({ long }) => long === '--path');
}

/** What is typed to run a command: `cairn mcp install`. */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function counted(most: number): string {
  return ['no argument', 'one argument', 'two arguments'][most] ?? `${most} arguments`;
}

/** What commander found wrong, said in one line that names the remedy. */
function usageMessage(error: CommanderError, command: Command): string {
  const name = fullName(command);
  const see = `see '${name} --help'`;
  // Suggestions come on a line of their own, in brackets.
  const [first = '', suggestion = ''] = error.message.replace(/^error: /u, '').split('\n');
  const similar = /^\(Did you mean (.+)\?\)$/u.exec(suggestion)?.[1];
  const didYouMean = similar === undefined ? '' : `; did you mean ${similar}?`;
  switch (error.code) {
    case 'commander.unknownCommand':
      return `${first}${didYouMean === '' ? `; the commands are ${command.commands.map((one) => one.name()).join(', ')}` : didYouMean} (${see})`;
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

function isHelpOrVersion(error: CommanderError): boolean {
  return (
    error.code === 'commander.helpDisplayed' || error.code === 'commander.version' || error.code === 'commander.help'
  );
}

/** Builds the command line. Nothing is written or run before it is parsed. */
export function createProgram(
  session: Session,
  done: (exitCode: number) => void,
): { program: Command; texts: HelpTexts } {
  const texts: HelpTexts = { out: '', err: '' };
  const prepare = (command: Command): Command => {
    const paint = createPaint(usesColor('auto', session.out.isTerminal, session.env));
    return (
      command
        // What follows the name of an inner command is the inner one's, also when both have an option of that name.
        .enablePositionalOptions()
        .configureOutput({
          writeOut: (text) => (texts.out += text),
          writeErr: (text) => (texts.err += text),
          outputError: () => undefined,
          getOutHelpWidth: () => Math.min(session.out.width, 110),
          getErrHelpWidth: () => Math.min(session.err.width, 110),
          getOutHasColors: () => paint.isColored,
          getErrHasColors: () => usesColor('auto', session.err.isTerminal, session.env),
        })
        .configureHelp({ styleTitle: createPaint(true).title })
        .exitOverride((error) => {
          if (isHelpOrVersion(error)) throw error;
          throw new UsageError(usageMessage(error, command), { cause: error });
        })
    );
  };
  const program = prepare(new Command('cairn'))
    .description('Find, search, read and change the files of a workspace. What an answer leaves out is always said.')
    .version(readManifest().version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', rootHelp);
  for (const [path, create] of Object.entries(commands)) {
    const [name, inner] = path.split(' ');
    const parent = inner === undefined ? program : program.commands.find((one) => one.name() === name);
    if (name === undefined || !parent) throw new Error(`the command '${path}' comes before the one it belongs to`);
    const command = prepare(parent.command(inner ?? name))
      .helpOption('-h, --help', 'show help')
      .showSuggestionAfterError();
    create(command, session, done);
  }
  return { program, texts };
}
