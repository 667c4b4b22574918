import type { Input } from './input.ts';
import type { Environment, Output } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Everything a run takes from the process around it; commands use nothing else of it. */
export interface Session {
  readonly input: Input;
  /** Opens the terminal to draw on; `undefined` when the process has none. */
  readonly openTerminal: () => Terminal | undefined;
  readonly out: Output;
  readonly err: Output;
  readonly env: Environment;
  readonly cwd: string;
  /** Aborted with an `Interrupted` when the run is to end. */
  readonly signal: AbortSignal;
  /**
   * Keeps a synchronous clean-up that runs when the process is ended before the command could do it.
   * Returns the function that forgets it again.
   */
  readonly onAbruptEnd: (cleanUp: () => void) => () => void;
}
