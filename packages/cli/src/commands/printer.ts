import { listDocument, writeAnswer, writeNotices, type AnswerFlags, type Page } from '../terminal/answer.ts';
import { ExitCode } from '../terminal/exit.ts';
import type { CommandContext } from '../terminal/command-context.ts';

/** Prints the answer of a command on a store, with the notices that it collected. */
export class Printer {
  readonly #context: CommandContext;
  readonly #flags: AnswerFlags;
  #pending: string[] = [];

  constructor(context: CommandContext, flags: AnswerFlags) {
    this.#context = context;
    this.#flags = flags;
  }

  /** Adds a notice, which is printed with the answer. Two searches of one command may have the same. */
  readonly notice = (notice: string): void => {
    if (!this.#pending.includes(notice)) this.#pending.push(notice);
  };

  readonly print = (lines: Iterable<string>, document: object): Promise<void> =>
    writeAnswer(this.#context, this.#flags, { lines, document, notices: () => this.#take() });

  /** Prints a list, as lines or as a document of matches. @returns the exit status. */
  readonly printMatches = async (
    lines: Iterable<string>,
    matches: readonly unknown[],
    page?: Page,
  ): Promise<number> => {
    await this.print(lines, listDocument(matches, page));
    return matches.length > 0 ? ExitCode.Hit : ExitCode.None;
  };

  /** Prints the notices of a command that printed no answer, or failed. With `--json` the exit status remains. */
  async end(): Promise<void> {
    if (this.#flags.json !== true) await writeNotices(this.#context, this.#flags.color, this.#take());
  }

  #take(): readonly string[] {
    const notices = this.#pending;
    this.#pending = [];
    return notices;
  }
}
