import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import { CommandError, UsageError } from './errors.ts';

/** What standard input is connected to. Node gives its child processes a socket. `other` is `/dev/null`, for example. */
export type InputKind = 'terminal' | 'pipe' | 'file' | 'socket' | 'other';

export interface Input {
  readonly kind: InputKind;
  /** Its bytes as they arrive. Fails with the context's reason when the run ends first. */
  stream(): Readable;
  /** Reads to the end. Rejects with the context's reason when the run ends first. */
  read(): Promise<Uint8Array>;
}

export function inputKind(descriptor: number): InputKind {
  if (isatty(descriptor)) return 'terminal';
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFIFO()) return 'pipe';
    if (stat.isFile()) return 'file';
    return stat.isSocket() ? 'socket' : 'other';
  } catch {
    // It is closed.
    return 'other';
  }
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const facts = { code: 'ENCODING', message: `${what} is not valid UTF-8`, fix: 'convert it to UTF-8' };
    throw new CommandError(facts, { cause: error });
  }
}

/** Reads standard input as text. `fix` states how to give the text in another way. */
export async function readText(input: Input, fix: string): Promise<string> {
  if (input.kind === 'terminal') throw new UsageError('standard input is a terminal', fix);
  return decode(await input.read(), 'standard input');
}

/** Returns a string that is given as an argument; `-` and no argument read it from standard input. */
export async function givenText(given: string | undefined, input: Input, fix: string): Promise<string> {
  return given === undefined || given === '-' ? readText(input, fix) : given;
}

/** Reads the file that an argument names; `-` and no argument read standard input. */
export async function readGiven(
  file: string | undefined,
  { input, cwd, signal }: { readonly input: Input; readonly cwd: string; readonly signal: AbortSignal },
  fix: string,
): Promise<string> {
  return file === undefined || file === '-' ? readText(input, fix) : readTextFile(resolve(cwd, file), signal);
}

async function readBytes(path: string, signal: AbortSignal): Promise<Uint8Array> {
  try {
    return await readFile(path, { signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof Error && 'code' in error)) throw error;
    const message = `cannot read ${path} (${String(error.code)})`;
    const fix = error.code === 'ENOENT' ? 'use the path of an existing file' : 'check the path and its permissions';
    throw new CommandError({ code: String(error.code), message, fix, path }, { cause: error });
  }
}

export async function readTextFile(path: string, signal: AbortSignal): Promise<string> {
  return decode(await readBytes(path, signal), path);
}
