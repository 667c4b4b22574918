import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { deleteCommand } from './commands/delete.ts';
import { editCommand } from './commands/edit.ts';
import { findCommand } from './commands/find.ts';
import { globCommand } from './commands/glob.ts';
import { grepCommand } from './commands/grep.ts';
import { lsCommand } from './commands/ls.ts';
import { memoryCommand } from './commands/memory.ts';
import { notesCommand } from './commands/notes.ts';
import { patchCommand } from './commands/patch.ts';
import { pickCommand } from './commands/pick.ts';
import { readCommand } from './commands/read.ts';
import { renameCommand } from './commands/rename.ts';
import { tourCommand } from './commands/tour.ts';
import { workflowCommand } from './commands/workflow.ts';
import { writeCommand } from './commands/write.ts';
import { UsageError } from './errors.ts';
import { createPaint, usesColor } from './output.ts';
import type { Session } from './session.ts';
import { isHelpOrVersion, usageMessage } from './usage.ts';

/** A command adds itself to the program and reports the exit status of a finished run. */
type CommandFactory = (command: Command, session: Session, done: (exitCode: number) => void) => void;

/** The registry: a new command is one file and one line here. */
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
  memory: memoryCommand,
  notes: notesCommand,
  workflow: workflowCommand,
  tour: tourCommand,
};

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (
    typeof manifest === 'object' &&
    manifest !== null &&
    'version' in manifest &&
    typeof manifest.version === 'string'
  ) {
    return manifest.version;
  }
  throw new Error('the package.json of @cairn/cli has no version');
}

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

/** Builds the command line. Nothing is written or run before it is parsed. */
export function createProgram(
  session: Session,
  done: (exitCode: number) => void,
): { program: Command; texts: HelpTexts } {
  const texts: HelpTexts = { out: '', err: '' };
  const prepare = (command: Command): Command => {
    const paint = createPaint(usesColor('auto', session.out.isTerminal, session.env));
    return command
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
      });
  };
  const program = prepare(new Command('cairn'))
    .description(
      'Find, search, read and change the files of a workspace, and remember. What an answer leaves out is always said.',
    )
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', rootHelp);
  for (const [name, create] of Object.entries(commands)) {
    const command = prepare(program.command(name)).helpOption('-h, --help', 'show help').showSuggestionAfterError();
    create(command, session, done);
  }
  return { program, texts };
}
