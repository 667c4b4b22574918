import { readFile } from 'node:fs/promises';
import { UsageError } from './errors.ts';

/** Where a command reads what is piped into it. */
export interface Input {
  /** Whether a person would have to type it. */
  readonly isTerminal: boolean;
  /** All of it. Rejects with the session's reason when the run is ended meanwhile. */
  read(): Promise<Uint8Array>;
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${what} is no UTF-8 text`, { cause: error });
  }
}

/** What is piped into a command, as text. `remedy` says how it could be given otherwise. */
export async function readText(input: Input, remedy: string): Promise<string> {
  if (input.isTerminal) throw new UsageError(`nothing is piped into it; ${remedy}`);
  return decode(await input.read(), 'what is piped into it');
}

/** A file that is named to a command, as text. */
export async function readTextFile(path: string, signal: AbortSignal): Promise<string> {
  return decode(await readFile(path, { signal }), path);
}
