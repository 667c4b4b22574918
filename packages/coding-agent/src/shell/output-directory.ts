import { temporaryDirectory } from '@cairn/tool/internal';
import { execFile } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atExit } from './at-exit.ts';
import type { CreatedFile } from './command-output.ts';

const run = promisify(execFile);

/** The descriptors of the two ends of a pipe. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** What the output of one command needs. */
interface OutputPlace {
  readonly pipe: Pipe;
  /** Creates the file for the output. */
  readonly createFile: () => CreatedFile;
}

/**
 * Makes a pipe. Node's own pipes are sockets, with which `echo >/dev/stderr` fails. The path of a named pipe exists only until both
 * ends are open.
 */
async function openPipe(path: string): Promise<Pipe> {
  await run('mkfifo', ['-m', '600', path]);
  try {
    // The end for reading opens at once, and then the other one does.
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return { read, write: openSync(path, constants.O_WRONLY) };
    } catch (error) {
      closeSync(read);
      throw error;
    }
  } finally {
    unlinkSync(path);
  }
}

interface OutputDirectoryOptions {
  /** The directory in which to make it, absolute. Default: the system's directory for temporary files. */
  readonly parent: string | undefined;
  /** Called with its canonical path when it was made. */
  readonly onMade: (directory: string) => void;
}

/** The directory with the outputs of one session, for this user alone. It is made at the first need and removed with the session. */
export class OutputDirectory {
  readonly #options: OutputDirectoryOptions;
  readonly #paths = new Set<string>();
  #current: Promise<string> | undefined;
  #count = 0;
  #isClosed = false;
  #forgetExit: (() => void) | undefined;

  constructor(options: OutputDirectoryOptions) {
    this.#options = options;
  }

  async open(): Promise<OutputPlace> {
    const directory = await this.#path();
    const number = ++this.#count;
    const createFile = (): CreatedFile => {
      const path = join(directory, `output-${number}.txt`);
      return { path, fd: openSync(path, 'wx', 0o600) };
    };
    return { pipe: await openPipe(join(directory, `pipe-${number}`)), createFile };
  }

  /** Removes the directory with everything in it. */
  readonly close = (): void => {
    this.#isClosed = true;
    this.#forgetExit?.();
    for (const path of this.#paths) rmSync(path, { recursive: true, force: true });
    this.#paths.clear();
  };

  /** Returns the path. A directory that something removed is made again. */
  async #path(): Promise<string> {
    const current = this.#current;
    const path = await current?.catch(() => undefined);
    if (path !== undefined && existsSync(path)) return path;
    // Another call may have begun to make one.
    if (this.#current === current) this.#current = this.#make();
    return this.#current ?? this.#make();
  }

  async #make(): Promise<string> {
    const { parent = temporaryDirectory(), onMade } = this.#options;
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const path = await mkdtemp(join(await realpath(parent), 'cairn-shell-'));
    this.#paths.add(path);
    this.#forgetExit ??= atExit(this.close);
    if (this.#isClosed) this.close();
    onMade(path);
    return path;
  }
}
