import { Command, type CommanderError } from 'commander';
import type { LoadedCommand } from './registry.ts';
import { splitShortValues } from './terminal/attached-values.ts';
import { addForeignOptions } from './terminal/foreign-arguments.ts';
import type { RunOutputs } from './terminal/lost-output.ts';
import { readManifest } from './terminal/manifest.ts';
import { createPaint, usesColor } from './terminal/output.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { usageErrorOf } from './usage.ts';

const rootHelp = `
Examples:
  $ cairn tour                              a tour of the current directory
  $ cairn find readme                       paths by a few letters of their name
  $ cairn glob '*.ts'                       paths by pattern
  $ cairn grep 'import .* from' -g '*.ts'   lines by regular expression
  $ cairn read README.md                    a file, and the tag of its content
  $ cairn edit README.md --old TODO --new Done --dry-run   what would change
  $ cairn memory remember 'the tests need redis-server'   keep a fact
  $ cairn recall 'what do the tests need'   ask facts, the assets of the team and past sessions
  $ cairn help agents                       define agents, run them, see what they are sent
  $ vim "$(cairn pick)"                     choose a file while you type
  $ cairn help grep                         the options of one command
  $ cairn help ripgrep                      what users of ripgrep type; 'cairn help fd' and 'cairn help fzf' too

Exit status: 0 if something was found or done, 1 if nothing was found, 2 if the arguments are wrong, a file could not be read\nor changed, or a search could not see everything.`;

class CairnCommand extends Command {
  override createCommand(name?: string): CairnCommand {
    return new CairnCommand(name);
  }

  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    return super.parseOptions(splitShortValues(words, this.options));
  }
}

/** Help and version texts. They are written after parsing, like every other output. */
export interface HelpTexts {
  out: string;
  err: string;
}

function isHelpOrVersion({ code }: CommanderError): boolean {
  return code === 'commander.helpDisplayed' || code === 'commander.version' || code === 'commander.help';
}

export interface ProgramParts {
  readonly args: readonly string[];
  readonly commands: readonly LoadedCommand[];
  readonly context: CommandContext;
  readonly outputs: RunOutputs;
  readonly onStart: (options: Readonly<Record<string, unknown>>) => void;
  readonly onDone: (exitCode: number) => void;
}

function prepare(command: Command, texts: HelpTexts, { args, context }: ProgramParts): Command {
  const paint = createPaint(usesColor('auto', context.out.isTerminal, context.env));
  return (
    command
      // Options after the name of a subcommand belong to it, even when its parent has one of the same name.
      .enablePositionalOptions()
      .configureOutput({
        writeOut: (text) => (texts.out += text),
        writeErr: (text) => (texts.err += text),
        outputError: () => undefined,
        getOutHelpWidth: () => Math.min(context.out.width, 110),
        getErrHelpWidth: () => Math.min(context.err.width, 110),
        getOutHasColors: () => paint.isColored,
        getErrHasColors: () => usesColor('auto', context.err.isTerminal, context.env),
      })
      .configureHelp({ styleTitle: createPaint(true).title })
      .exitOverride((error) => {
        if (isHelpOrVersion(error)) throw error;
        throw usageErrorOf(error, command, args);
      })
  );
}

/** Builds the command line of the loaded commands. Nothing is written or run before it is parsed. */
export function createProgram(parts: ProgramParts): { readonly program: Command; readonly texts: HelpTexts } {
  const texts: HelpTexts = { out: '', err: '' };
  const program = prepare(new CairnCommand('cairn'), texts, parts)
    .description(
      'Find, search, read and change the files of a workspace, and run agents on them. Every answer reports what it leaves out.',
    )
    .version(readManifest().version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', rootHelp)
    .hook('preAction', (_, command) => parts.onStart(command.opts()));
  for (const [path, create, effect] of parts.commands) {
    const words = path.split(' ');
    const name = words.pop() ?? '';
    const parent = words.reduce<Command | undefined>(
      (one, word) => one?.commands.find((inner) => inner.name() === word),
      program,
    );
    if (!parent) throw new Error(`the command '${path}' is registered before its parent`);
    const command = prepare(parent.command(name), texts, parts)
      .helpOption('-h, --help', 'show help')
      .showSuggestionAfterError(false);
    create(command, parts.outputs.contextFor(effect), parts.onDone);
    addForeignOptions(command, path);
  }
  return { program, texts };
}
