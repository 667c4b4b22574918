import type { Input } from './input.ts';
import type { Environment, Output } from './output.ts';
import type { SessionOwner } from './session-owner.ts';
import type { Terminal } from './terminal.ts';

/** Everything that a run uses from its process. Commands use nothing else of it. */
export interface CommandContext {
  readonly input: Input;
  /** Opens the terminal to draw on; `undefined` when the process has none. */
  readonly openTerminal: () => Terminal | undefined;
  readonly out: Output;
  readonly err: Output;
  readonly env: Environment;
  readonly cwd: string;
  /** The name of this command in messages and help. Default: `cairn`. */
  readonly command?: (() => string) | undefined;
  /** How an agent runs this command, in any directory. Default: as `command`. */
  readonly agentCommand?: (() => string) | undefined;
  /** Returns the owner of the sessions that this run continues. Default: none, so that each run begins a session. */
  readonly owner?: (() => SessionOwner | undefined) | undefined;
  /** Aborted with an `Interrupted` when the run must end. */
  readonly signal: AbortSignal;
  /** Registers a clean-up for a process that ends before the command can clean up. Returns a function that removes it. */
  readonly onAbruptEnd: (cleanUp: () => void) => () => void;
}
