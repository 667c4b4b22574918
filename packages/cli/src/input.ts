import { UsageError } from './errors.ts';

/** Where a command reads what is piped into it. */
export interface Input {
  /** Whether a person would have to type it. */
  readonly isTerminal: boolean;
  /** All of it. Rejects with the session's reason when the run is ended meanwhile. */
  read(): Promise<Uint8Array>;
}

/** What is piped into a command, as text. `remedy` says how it could be given otherwise. */
export async function readText(input: Input, remedy: string): Promise<string> {
  if (input.isTerminal) throw new UsageError(`nothing is piped into it; ${remedy}`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await input.read());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError('what is piped into it is no UTF-8 text', { cause: error });
  }
}
