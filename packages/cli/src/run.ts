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
import type { Session } from './terminal/session.ts';

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

function shownHelp(text: string, output: Output, session: Session): string {
  const runnable = withOwnCommand(text, session.command);
  return output.isTerminal ? helpText(runnable, output.width) : runnable;
}

async function pageOf([first, word, ...rest]: readonly string[]): Promise<string | undefined> {
  if (first !== 'help' || word === undefined || rest.length > 0) return undefined;
  const { equivalentsOf } = await import('./terminal/equivalents.ts');
  return equivalentsOf(word);
}

async function parseAndRun(given: readonly string[], session: Session, invocation: Invocation): Promise<number> {
  const refused = findWordError(given);
  if (refused) throw refused;
  const page = await pageOf(given);
  if (page !== undefined) {
    await session.out.write(shownHelp(page, session.out, session));
    return ExitCode.Hit;
  }
  let exitCode: number = ExitCode.Hit;
  const args = expandHelp(given);
  const commands = await loadCommands(args);
  const outputs = new RunOutputs(session);
  const { program, texts } = createProgram({
    args,
    commands,
    session,
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
  await session.out.write(shownHelp(texts.out, session.out, session));
  await session.err.write(shownHelp(texts.err, session.err, session));
  return exitCode;
}

/** Runs one command line and returns its exit status. Every failure is reported here. */
export async function run(args: readonly string[], session: Session): Promise<number> {
  const invocation: Invocation = { json: asksForJson(args) };
  try {
    return await parseAndRun(args, session, invocation);
  } catch (error) {
    const reason: unknown = session.signal.aborted ? session.signal.reason : error;
    if (reason instanceof Interrupted) return reason.exitCode;
    if (reason instanceof BrokenPipe) return ExitCode.Hit;
    // When the streams are gone as well, the exit status is all that is left.
    await writeError(session, error, invocation.json).catch(() => undefined);
    return ExitCode.Error;
  }
}
