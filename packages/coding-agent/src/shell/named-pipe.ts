import { ToolError } from '@cairn/tool';
import { errnoOf } from '@cairn/tool/internal';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, rmSync } from 'node:fs';

/** A program of this name in another directory of `PATH`, such as `node_modules/.bin`, would run without an approval. */
const MKFIFO: readonly string[] = ['/usr/bin/mkfifo', '/bin/mkfifo'];

const LIMIT_MS = 5000;

/** The descriptors of the two ends of a pipe. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

interface PipeOptions {
  readonly signal: AbortSignal;
  /** The programs to try. Default: {@link MKFIFO}. */
  readonly programs?: readonly string[] | undefined;
  /** Milliseconds. Default: {@link LIMIT_MS}. */
  readonly limitMs?: number | undefined;
}

function failed(summary: string, hint: string, cause?: unknown): ToolError {
  return new ToolError('IO', [summary, `Tell the user: ${hint}`], { cause });
}

/** Makes a named pipe. @throws the reason of an abort. @throws {ToolError} `IO`; an error of the system. */
async function makeNamedPipe(
  path: string,
  { signal, programs = MKFIFO, limitMs = LIMIT_MS }: PipeOptions,
): Promise<void> {
  const program = programs.find((candidate) => existsSync(candidate));
  if (program === undefined) {
    throw failed(`No command can run without ${programs.join(' or ')}`, 'install mkfifo, which coreutils has.');
  }
  const limit = AbortSignal.timeout(limitMs);
  let code: unknown;
  try {
    // Without pipes of its own: a failed start would leave them open.
    const child = spawn(program, ['-m', '600', path], {
      env: {},
      stdio: 'ignore',
      killSignal: 'SIGKILL',
      signal: AbortSignal.any([signal, limit]),
    });
    [code] = (await once(child, 'exit')) as [unknown];
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) throw failed(`${program} did not end within ${limitMs} ms`, 'try again.', error);
    const errno = errnoOf(error);
    if (errno !== 'EPERM' && errno !== 'EACCES' && errno !== 'ENOENT') throw error;
    throw failed(`The system does not let this process start ${program} (${errno})`, 'allow it.', error);
  }
  signal.throwIfAborted();
  if (code === 0) return;
  const hint = 'free some space, or choose a directory that can have named pipes with outputDirectory.';
  throw failed(`${program} could not make a named pipe for the output of the command`, hint);
}

export function closePipe({ read, write }: Pipe): void {
  closeSync(read);
  closeSync(write);
}

/**
 * Makes a pipe. Node's own pipes are sockets, with which `echo >/dev/stderr` fails. The path of a named pipe exists only until both
 * ends are open.
 *
 * @throws the reason of an abort. @throws {ToolError} `IO`; an error of the system.
 */
export async function openPipe(path: string, options: PipeOptions): Promise<Pipe> {
  try {
    await makeNamedPipe(path, options);
    // The end for reading opens at once, and then the other one does.
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return { read, write: openSync(path, constants.O_WRONLY) };
    } catch (error) {
      closeSync(read);
      throw error;
    }
  } finally {
    rmSync(path, { force: true });
  }
}
