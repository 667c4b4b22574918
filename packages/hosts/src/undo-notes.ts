import { isMissing, isStrings, writeAtomically } from '@cairn/tool/kernel';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError } from './errors.ts';
import { isObject } from './formats/config-format.ts';

/** What an installation changed, kept so that it can be undone. */
export interface UndoNote {
  readonly path: string;
  /**
   * The content before; `null` if there was no file. Absent if another program changed the file between two of our
   * installations.
   */
  readonly before?: string | null;
  /** The SHA-256 of the content that was written. */
  readonly after: string;
  /** The entry before; absent when there was none. */
  readonly entryBefore?: unknown;
  /** The entry that was written. */
  readonly entryAfter: unknown;
  readonly entryPath: readonly string[];
  /** How many of the objects above the entry existed before. */
  readonly knownParents: number;
  /** The directories that were created for the file, by this or by another installation, outermost first. */
  readonly directories: readonly string[];
}

/** A note as it is stored. */
interface StoredNote extends UndoNote {
  /** The directories that were created for notes, outermost first. Absent in notes of older versions. */
  readonly noteDirectories?: readonly string[];
}

export function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isNote(value: unknown): value is StoredNote {
  if (!isObject(value)) return false;
  const { before = null, path, after, entryPath, directories, knownParents, noteDirectories = [] } = value;
  const isValid = isStrings([path, after, before ?? '']) && typeof knownParents === 'number';
  return isValid && [entryPath, directories, noteDirectories].every(isStrings);
}

function noneIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Reads a note. A system crash can leave a half-written one, which counts as none. */
async function read(path: string): Promise<StoredNote | undefined> {
  const text = await readFile(path, 'utf8').catch(noneIfMissing);
  if (text === undefined) return undefined;
  try {
    const note: unknown = JSON.parse(text);
    return isNote(note) ? note : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Codes of a directory that stays: it has files, it is gone, the user put a link or a file in its place, or the directory above it
 * does not let it go. None of them makes what was undone incomplete.
 */
const STAYS = ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EBUSY', 'EROFS'];

/** Deletes each of `directories`, outermost first, that exists, is empty and can be deleted. */
export async function removeEmpty(directories: readonly string[]): Promise<void> {
  for (const directory of directories.toReversed()) {
    try {
      await rmdir(directory);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && STAYS.includes(String(error.code)))) throw error;
    }
  }
}

/** Returns the directories from one down to another that is in it. */
function chain(top: string, directory: string): string[] {
  return directory.length <= top.length ? [directory] : [...chain(top, dirname(directory)), directory];
}

/**
 * Keeps the undo notes of this user: one file per subject (the kind of entry, the file and the name) in `host-entries` of the state
 * directory. Notes may hold secrets, as configurations do, so only this user can read them.
 */
export class UndoNotes {
  readonly #directory: string;

  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, 'host-entries');
  }

  get(subject: readonly string[]): Promise<UndoNote | undefined> {
    return this.#run(() => read(this.#fileOf(subject)));
  }

  all(): Promise<readonly UndoNote[]> {
    return this.#run(() => this.#all());
  }

  set(subject: readonly string[], note: UndoNote): Promise<void> {
    return this.#run(async () => {
      const created = await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const known = (await this.#all()).flatMap(({ noteDirectories = [] }) => noteDirectories);
      const noteDirectories = created === undefined ? [...new Set(known)] : chain(created, this.#directory);
      // TOML can hold integers that JSON cannot.
      const text = JSON.stringify({ ...note, noteDirectories }, (_, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      );
      await writeAtomically(this.#fileOf(subject), text);
    });
  }

  /** Deletes a note, and with the last one the directories that were created for notes. */
  delete(subject: readonly string[]): Promise<void> {
    return this.#run(async () => {
      const file = this.#fileOf(subject);
      const { noteDirectories = [] } = (await read(file)) ?? {};
      await rm(file, { force: true });
      await removeEmpty(noteDirectories);
    });
  }

  #fileOf(subject: readonly string[]): string {
    return join(this.#directory, `${hashOfText(JSON.stringify(subject)).slice(0, 32)}.json`);
  }

  async #all(): Promise<StoredNote[]> {
    const names = (await readdir(this.#directory).catch(noneIfMissing)) ?? [];
    const files = names.filter((name) => name.endsWith('.json')).map((name) => join(this.#directory, name));
    return (await Promise.all(files.map(read))).filter((note) => note !== undefined);
  }

  async #run<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      if (error instanceof HostError || !(error instanceof Error)) throw error;
      const message = `cannot use ${this.#directory} for undo notes: ${error.message}; set XDG_STATE_HOME to a directory that you can write to`;
      throw new HostError('STATE', message, { path: this.#directory, cause: error });
    }
  }
}
