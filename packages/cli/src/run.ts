import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { isCommand, loadCommands } from './registry.ts';
import { writeError } from './terminal/answer.ts';
import { UsageError } from './terminal/errors.ts';
import { BrokenPipe, ExitCode, Interrupted } from './terminal/exit.ts';
import { findWordError } from './terminal/foreign-arguments.ts';
import { helpText } from './terminal/help-text.ts';
import { RunOutputs } from './terminal/lost-output.ts';
import type { Output } from './terminal/output.ts';
import { withOwnCommand } from './terminal/own-command.ts';
import type { CommandContext } from './terminal/command-context.ts';

/** Returns whether the arguments ask for JSON. Used until they are parsed, because invalid arguments are reported so too. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

interface Invocation {
  json: boolean;
}

/** Returns `help <command> <subcommand>` as `<command> <subcommand> --help`, because commander reads one name only. */
function expandHelp(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  const names = rest.filter((arg) => !arg.startsWith('-'));
  if (first !== 'help' || names.length < 2) return args;
  const name = names.join(' ');
  if (isCommand(name)) return [...names, '--help'];
  throw new UsageError(`unknown command ${JSON.stringify(name)}`, "'cairn --help' lists the commands");
}

function shownHelp(text: string, output: Output, context: CommandContext): string {
  const runnable = withOwnCommand(text, context.command);
  return output.isTerminal ? helpText(runnable, output.width) : runnable;
}

async function pageOf([first, word, ...rest]: readonly string[]): Promise<string | undefined> {
  if (first !== 'help' || word === undefined || rest.length > 0) return undefined;
  const { equivalentsOf } = await import('./terminal/equivalents.ts');
  return equivalentsOf(word);
}

async function parseAndRun(given: readonly string[], context: CommandContext, invocation: Invocation): Promise<number> {
  const refused = findWordError(given);
  if (refused) throw refused;
  const page = await pageOf(given);
  if (page !== undefined) {
    await context.out.write(shownHelp(page, context.out, context));
    return ExitCode.Hit;
  }
  let exitCode: number = ExitCode.Hit;
  const args = expandHelp(given);
  const commands = await loadCommands(args);
  const outputs = new RunOutputs(context);
  const { program, texts } = createProgram({
    args,
    commands,
    context,
    outputs,
    onStart: (options) => {
      invocation.json = options['json'] === true;
    },
    onDone: (code) => {
      exitCode = code;
    },
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    outputs.check(exitCode);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander writes help to standard error if no help was requested.
    if (args[0] === 'help' && texts.err !== '') {
      throw new UsageError(`unknown command "${args[1] ?? ''}"`, "'cairn --help' lists the commands", {
        cause: error,
      });
    }
    exitCode = texts.err === '' ? ExitCode.Hit : ExitCode.Error;
  }
  await context.out.write(shownHelp(texts.out, context.out, context));
  await context.err.write(shownHelp(texts.err, context.err, context));
  return exitCode;
}

/** Runs one command line and returns its exit status. Every failure is reported here. */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const invocation: Invocation = { json: asksForJson(args) };
  try {
    return await parseAndRun(args, context, invocation);
  } catch (error) {
    const reason: unknown = context.signal.aborted ? context.signal.reason : error;
    if (reason instanceof Interrupted) return reason.exitCode;
    if (reason instanceof BrokenPipe) return ExitCode.Hit;
    // When the streams are gone as well, the exit status is all that is left.
    await writeError(context, error, invocation.json).catch(() => undefined);
    return ExitCode.Error;
  }
}
