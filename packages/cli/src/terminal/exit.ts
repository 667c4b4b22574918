/** Exit statuses, as in ripgrep: 0 for a match, 1 for none, 2 for an error or a result that may be incomplete. */
export const ExitCode = { Hit: 0, None: 1, Error: 2 } as const;

export interface SearchOutcome {
  readonly shown: number;
  readonly stopReason?: 'limit' | 'timeout' | 'budget' | undefined;
  readonly unreadable: number;
}

/**
 * Returns the exit status of a finished search. A search that reached the user's limit succeeded. One that ran out of time or
 * budget, or could not read something, is an error even with results, because it may have missed others.
 */
export function exitCodeOf(outcome: SearchOutcome): number {
  if (outcome.unreadable > 0) return ExitCode.Error;
  if (outcome.stopReason === 'timeout' || outcome.stopReason === 'budget') return ExitCode.Error;
  return outcome.shown > 0 ? ExitCode.Hit : ExitCode.None;
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

export type EndingSignal = keyof typeof signalNumbers;

export const endingSignals: readonly EndingSignal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/** The user, or the system, ended the run. Used as the reason of the signal. */
export class Interrupted extends Error {
  override readonly name: string = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super(`ended by ${signal}`);
    this.exitCode = 128 + signalNumbers[signal];
  }
}

/** The reader of the output closed the pipe (`cairn glob '*' | head -1`). The run ends without an error. */
export class BrokenPipe extends Error {
  override readonly name: string = 'BrokenPipe';
}
