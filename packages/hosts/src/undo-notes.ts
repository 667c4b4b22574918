import { isMissing, isStrings, writeAtomically } from '@cairn/tool/kernel';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError } from './errors.ts';
import { isObject } from './formats/config-format.ts';
import { removeEmpty } from './remove-empty.ts';

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

/**
 * Keeps the undo notes of this user, one per subject: the kind of entry, the file and the name. Notes may hold secrets, as
 * configurations do, so only this user can read them.
 */
export interface UndoNotes {
  get(subject: readonly string[]): Promise<UndoNote | undefined>;
  /** Returns the notes of all subjects. */
  all(): Promise<readonly UndoNote[]>;
  set(subject: readonly string[], note: UndoNote): Promise<void>;
  /** Deletes a note, and with the last one the directories that were created for notes. */
  delete(subject: readonly string[]): Promise<void>;
}

/** Returns the hash that tells whether a text changed. */
export function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isNote(value: unknown): value is StoredNote {
  if (!isObject(value)) return false;
  const { before = null, path, after, entryPath, directories, knownParents, noteDirectories = [] } = value;
  return (
    typeof path === 'string' &&
    typeof after === 'string' &&
    typeof knownParents === 'number' &&
    (before === null || typeof before === 'string') &&
    isStrings(entryPath) &&
    isStrings(directories) &&
    isStrings(noteDirectories)
  );
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

/** Returns the directories from one down to another that is in it. */
function chain(top: string, directory: string): string[] {
  return directory.length <= top.length ? [directory] : [...chain(top, dirname(directory)), directory];
}

async function withStateError<T>(directory: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HostError || !(error instanceof Error)) throw error;
    const message = `cannot use ${directory} for undo notes: ${error.message}; set XDG_STATE_HOME to a directory that you can write to`;
    throw new HostError('STATE', message, { path: directory, cause: error });
  }
}

/** Converts integers that TOML can hold and JSON cannot. */
function withoutBigInt(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Creates the store of undo notes: one file per subject in `host-entries` of the state directory. */
export function createUndoNotes(stateDirectory: string): UndoNotes {
  const directory = join(stateDirectory, 'host-entries');
  const fileOf = (subject: readonly string[]): string =>
    join(directory, `${hashOfText(JSON.stringify(subject)).slice(0, 32)}.json`);
  const all = async (): Promise<StoredNote[]> => {
    const names = await readdir(directory).catch(noneIfMissing);
    const notes = await Promise.all(
      (names ?? []).filter((name) => name.endsWith('.json')).map((name) => read(join(directory, name))),
    );
    return notes.filter((note) => note !== undefined);
  };
  return {
    get: (subject) => withStateError(directory, () => read(fileOf(subject))),
    all: () => withStateError(directory, all),
    set: (subject, note) =>
      withStateError(directory, async () => {
        const created = await mkdir(directory, { recursive: true, mode: 0o700 });
        const known = (await all()).flatMap(({ noteDirectories = [] }) => noteDirectories);
        const noteDirectories = created === undefined ? [...new Set(known)] : chain(created, directory);
        await writeAtomically(fileOf(subject), JSON.stringify({ ...note, noteDirectories }, withoutBigInt));
      }),
    delete: (subject) =>
      withStateError(directory, async () => {
        const { noteDirectories = [] } = (await read(fileOf(subject))) ?? {};
        await rm(fileOf(subject), { force: true });
        await removeEmpty(noteDirectories);
      }),
  };
}
