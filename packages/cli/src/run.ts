import { CommanderError } from 'commander';
import { errorLine, UsageError } from './errors.ts';
import { BrokenPipe, ExitCode, Interrupted } from './exit.ts';
import { createProgram } from './program.ts';
import type { Session } from './session.ts';

async function parseAndRun(args: readonly string[], session: Session): Promise<number> {
  let exitCode: number = ExitCode.Hit;
  const { program, texts } = createProgram(session, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was not asked for goes to standard error, and the call was wrong.
    if (args[0] === 'help' && texts.err !== '') {
      throw new UsageError(
        `there is no command '${args[1] ?? ''}' to show help for; 'cairn --help' lists the commands`,
        { cause: error },
      );
    }
    exitCode = texts.err === '' ? ExitCode.Hit : ExitCode.Error;
  }
  await session.out.write(texts.out);
  await session.err.write(texts.err);
  return exitCode;
}

async function report(error: unknown, session: Session): Promise<void> {
  await session.err.write(`${errorLine(error)}\n`);
  if (session.env['CAIRN_DEBUG'] === '1' && error instanceof Error) await session.err.write(`${error.stack ?? ''}\n`);
}

/** Runs one command line and returns its exit status. Every failure ends here, as one line on standard error. */
export async function run(args: readonly string[], session: Session): Promise<number> {
  try {
    return await parseAndRun(args, session);
  } catch (error) {
    const reason: unknown = session.signal.aborted ? session.signal.reason : error;
    if (reason instanceof Interrupted) return reason.exitCode;
    if (reason instanceof BrokenPipe) return ExitCode.Hit;
    // Standard error may be gone as well; then the exit status is all that is left to say.
    await report(error, session).catch(() => undefined);
    return ExitCode.Error;
  }
}
