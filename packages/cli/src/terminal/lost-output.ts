/** What a command does when its output cannot be written. A change is never stopped half way by it. */
import { BrokenPipe } from './exit.ts';
import { CommandError, OutputError } from './errors.ts';
import type { Output } from './output.ts';
import type { CommandContext } from './command-context.ts';

/**
 * What a command does besides printing.
 *
 * - `reads`: nothing. It ends with its output: quietly with status 0 when the reader closed the pipe.
 * - `writes`: it changes something. It goes on to its end without its output, and its exit status reports the change.
 * - `exports`: its output is the copy to keep, so that a lost output is an error.
 */
export type Effect = 'reads' | 'writes' | 'exports';

/** An output that drops what cannot be written, and keeps the reason, unless `onError` throws. */
class GuardedOutput implements Output {
  readonly #output: Output;
  readonly #onError: (error: Error) => void;
  failure: Error | undefined;

  constructor(output: Output, onError: (error: Error) => void) {
    this.#output = output;
    this.#onError = onError;
  }

  get isTerminal(): boolean {
    return this.#output.isTerminal;
  }

  get width(): number {
    return this.#output.width;
  }

  async write(text: string): Promise<void> {
    if (this.failure) return;
    try {
      await this.#output.write(text);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#onError(error);
      this.failure = error;
    }
  }
}

function dropUnread(error: Error): void {
  if (!(error instanceof BrokenPipe)) throw error;
}

function failExport(cause: Error): never {
  if (!(cause instanceof BrokenPipe)) throw cause;
  const message = 'the output is not complete, because its reader closed the pipe';
  throw new CommandError({ code: 'OUTPUT', message, fix: 'read it to its end, or write it to a file' }, { cause });
}

export class RunOutputs {
  readonly #sessions: Readonly<Record<Effect, CommandContext>>;
  readonly #steady: readonly GuardedOutput[];

  constructor(context: CommandContext) {
    const out = new GuardedOutput(context.out, () => undefined);
    const err = new GuardedOutput(context.err, () => undefined);
    // The notices are not read. The exit status of the command is what is left of them.
    const reading: CommandContext = { ...context, err: new GuardedOutput(context.err, dropUnread) };
    this.#steady = [out, err];
    this.#sessions = {
      reads: reading,
      writes: { ...context, out, err },
      exports: { ...reading, out: new GuardedOutput(context.out, failExport) },
    };
  }

  contextFor(effect: Effect): CommandContext {
    return this.#sessions[effect];
  }

  /** Reports an output that was lost for another reason than a reader that is gone. @throws {OutputError} */
  check(exitCode: number): void {
    const failure = this.#steady.map((one) => one.failure).find((one) => one instanceof OutputError);
    if (!failure) return;
    const message = `${failure.message}; the command itself ended with status ${exitCode}, and only its output is lost`;
    throw new OutputError(message, { cause: failure });
  }
}
