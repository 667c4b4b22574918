/** Exit statuses, as ripgrep's: 0 for a hit, 1 for none, 2 when the answer cannot be trusted to be whole. */
export const ExitCode = { Hit: 0, None: 1, Error: 2 } as const;

/** What a finished search says about itself, whichever command ran it. */
export interface SearchOutcome {
  /** How many results were shown. */
  readonly shown: number;
  /** Why the search stopped before its end, when it did. */
  readonly stopReason?: 'limit' | 'timeout' | 'budget' | undefined;
  /** Directories and files that could not be read. */
  readonly unreadable: number;
}

/**
 * The exit status of a finished search. A search that stopped at the limit it was given is a whole answer; one that
 * ran out of time or budget, or could not read something, is an error even when it has results, because what it did
 * not see may matter.
 */
export function exitCodeOf(outcome: SearchOutcome): number {
  if (outcome.unreadable > 0) return ExitCode.Error;
  if (outcome.stopReason === 'timeout' || outcome.stopReason === 'budget') return ExitCode.Error;
  return outcome.shown > 0 ? ExitCode.Hit : ExitCode.None;
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** The signals that end a run in order: its search is aborted and its clean-up runs. */
export type EndingSignal = keyof typeof signalNumbers;

export const endingSignals: readonly EndingSignal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/** The user, or the system, ended the run. Used as the reason of the session's signal. */
export class Interrupted extends Error {
  override readonly name: string = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super(`ended by ${signal}`);
    this.exitCode = 128 + signalNumbers[signal];
  }
}

/** Whoever read the output has stopped reading (`cairn glob '*' | head -1`): a quiet end, and no error. */
export class BrokenPipe extends Error {
  override readonly name: string = 'BrokenPipe';
}
