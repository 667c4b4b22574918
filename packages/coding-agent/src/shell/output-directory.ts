import { errnoOf, temporaryDirectory } from '@cairn/tool/internal';
import { quotePath } from '@cairn/tool/paths';
import { lstatSync, openSync, rmSync, type BigIntStats } from 'node:fs';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { atExit } from './at-exit.ts';
import type { CreatedFile } from './command-output.ts';
import { openPipe, type Pipe } from './named-pipe.ts';

/** What the output of one command needs. */
interface OutputPlace {
  readonly pipe: Pipe;
  /** Creates the file for the output. */
  readonly createFile: () => CreatedFile;
}

interface OutputDirectoryOptions {
  /** The directory in which to make it, absolute. Default: the system's directory for temporary files. */
  readonly parent: string | undefined;
  /** Called with its canonical path when it was made. */
  readonly onMade: (directory: string) => void;
}

/** A directory as it was made. */
interface MadeDirectory {
  readonly path: string;
  readonly stat: BigIntStats;
}

/** Returns the stat of a directory if it is still at its path, perhaps with another mode. */
function statIfThere({ path, stat }: MadeDirectory): BigIntStats | undefined {
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return now?.ino === stat.ino && now.dev === stat.dev ? now : undefined;
}

/** Returns whether a directory is still at its path, for this user alone. Another program may have put a link there. */
function isUnchanged(directory: MadeDirectory): boolean {
  try {
    const now = statIfThere(directory);
    return now?.mode === directory.stat.mode && now.uid === directory.stat.uid;
  } catch {
    return false;
  }
}

/** Removes a directory with everything in it. A failure is a warning: this also runs where nothing could catch an error. */
function remove(directory: MadeDirectory): void {
  const { path } = directory;
  try {
    // A process that ends just now may still write.
    if (statIfThere(directory)) rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
  } catch (error) {
    const reason = errnoOf(error) ?? String(error);
    const what = `The outputs of commands in ${quotePath(path)} could not be removed (${reason}); remove them.`;
    process.emitWarning(what, 'CairnWarning');
  }
}

/** The directory with the outputs of one session, for this user alone. It is made at the first need and removed with the session. */
export class OutputDirectory {
  readonly #options: OutputDirectoryOptions;
  readonly #made = new Set<MadeDirectory>();
  #current: Promise<MadeDirectory> | undefined;
  #count = 0;
  #isClosed = false;
  #forgetExit: (() => void) | undefined;

  constructor(options: OutputDirectoryOptions) {
    this.#options = options;
  }

  /** @throws the reason of an abort. @throws {ToolError} `IO`; an error of the system. */
  async open(signal: AbortSignal): Promise<OutputPlace> {
    const directory = await this.#directory();
    const number = ++this.#count;
    const createFile = (): CreatedFile => {
      const path = join(directory.path, `output-${number}.txt`);
      if (!isUnchanged(directory)) {
        throw Object.assign(new Error('The directory for outputs was removed or replaced'), { code: 'ENOENT' });
      }
      return { path, fd: openSync(path, 'wx', 0o600) };
    };
    return { pipe: await openPipe(join(directory.path, `pipe-${number}`), { signal }), createFile };
  }

  /** Removes the directory with everything in it. Never throws. */
  readonly close = (): void => {
    this.#isClosed = true;
    this.#forgetExit?.();
    for (const directory of this.#made) remove(directory);
    this.#made.clear();
  };

  /** Returns the directory. One that something removed or replaced is made again. */
  async #directory(): Promise<MadeDirectory> {
    const current = this.#current;
    const directory = await current?.catch(() => undefined);
    if (directory !== undefined && isUnchanged(directory)) return directory;
    // Another call may have begun to make one.
    if (this.#current === current) this.#current = this.#make();
    return this.#current ?? this.#make();
  }

  async #make(): Promise<MadeDirectory> {
    const { parent = temporaryDirectory(), onMade } = this.#options;
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const path = await mkdtemp(join(await realpath(parent), 'cairn-shell-'));
    const directory = { path, stat: lstatSync(path, { bigint: true }) };
    this.#made.add(directory);
    this.#forgetExit ??= atExit('remove', this.close);
    if (this.#isClosed) this.close();
    onMade(path);
    return directory;
  }
}
