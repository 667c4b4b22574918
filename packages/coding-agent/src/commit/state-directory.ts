import { isMissing } from '@cairn/tool/kernel';
import { errnoOf, explainSystemError } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import type { FileOperations } from '../files/operations.ts';
import { realPathOf } from '../files/resolve.ts';
import { isThere } from './temporary.ts';

const HINT =
  'Choose a directory of your own on a local disk with stateDirectory, or with --state-dir of cairn. Reading works without one.';

const OTHERS_MAY_WRITE = 0o022;

const nameOf = (directory: string): string => `The state directory ${quotePath(directory)}`;

/** @throws {ToolError} `PERMISSION`, unless this user owns the directory and no other user can write to it: the tools trust its content. */
async function requirePrivate(operations: FileOperations, directory: string): Promise<void> {
  const name = nameOf(directory);
  const { kind, mode, uid } = await operations.lstat(directory);
  const own = process.geteuid?.() ?? uid;
  if (kind !== 'directory' || uid !== own) {
    throw new ToolError('PERMISSION', [`${name} belongs to another user or is not a directory`, HINT]);
  }
  if (process.geteuid && (mode & OTHERS_MAY_WRITE) !== 0) {
    const hint = `Remove that permission with chmod go-w, or choose another one. ${HINT}`;
    throw new ToolError('PERMISSION', [`${name} is writable by other users`, hint]);
  }
}

async function create(operations: FileOperations, directory: string): Promise<void> {
  const parent = dirname(directory);
  // Some file systems answer ENOENT to every new directory, so it is tried once.
  if (parent !== directory && !(await isThere(operations, parent))) await create(operations, parent);
  try {
    await operations.makeDirectory(directory, 0o700);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Errors of a directory that cannot be written, or whose home directory does not exist. */
const unusable: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ELOOP'];

function explained(directory: string, error: unknown): unknown {
  const known = explainSystemError(error, nameOf(directory));
  if (ToolError.isInstance(error) || !ToolError.isInstance(known)) return error;
  return new ToolError(known.code, [known.summary, HINT], { cause: error });
}

/** Where a user's processes keep their journals: the first of several directories that can be used. */
export class StateDirectory {
  readonly #operations: FileOperations;
  readonly #candidates: readonly string[];
  readonly #canonical = new Map<string, string>();
  /** Directories that were private. Other users cannot change that, so it is checked once, unless the directory disappears. */
  readonly #trusted = new Set<string>();

  constructor(operations: FileOperations, candidates: readonly string[]) {
    this.#operations = operations;
    this.#candidates = candidates;
  }

  /**
   * Runs `use` with the first directory that can be used; it is created when it is missing.
   *
   * @throws {ToolError} when none can be used, or when others could have written to one.
   */
  async use<T>(use: (directory: string) => Promise<T>): Promise<T> {
    let first: unknown;
    for (const directory of this.#candidates) {
      try {
        return await this.#useOne(directory, use);
      } catch (error) {
        first ??= explained(directory, error);
        if (!unusable.includes(errnoOf(error))) break;
      }
    }
    throw first;
  }

  /** Returns the paths of the files in the directories, without those that {@link use} would not accept. */
  async list(): Promise<string[]> {
    const lists: string[] = [];
    for (const directory of this.#candidates) lists.push(...(await this.#listOne(directory)));
    return lists;
  }

  async #useOne<T>(named: string, use: (directory: string) => Promise<T>): Promise<T> {
    const directory = await this.#resolve(named);
    try {
      await this.#trust(directory);
      return await use(directory);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    this.#trusted.delete(directory);
    await create(this.#operations, directory);
    await this.#trust(directory);
    return use(directory);
  }

  async #listOne(named: string): Promise<string[]> {
    let directory = named;
    try {
      directory = await this.#resolve(named);
      await this.#trust(directory);
      return (await this.#operations.list(directory)).map(({ name }) => join(directory, name));
    } catch (error) {
      this.#trusted.delete(directory);
      // Another user can make the one in /var/tmp. That must not matter while the first one can be used.
      if (ToolError.isInstance(error) || unusable.includes(errnoOf(error))) return [];
      throw explained(directory, error);
    }
  }

  /** Links on the way are followed, but not one in the place of the directory itself. */
  async #resolve(named: string): Promise<string> {
    const known = this.#canonical.get(named);
    const found = known ?? join(await realPathOf(this.#operations, dirname(named)), basename(named));
    this.#canonical.set(named, found);
    return found;
  }

  async #trust(directory: string): Promise<void> {
    if (this.#trusted.has(directory)) return;
    await requirePrivate(this.#operations, directory);
    this.#trusted.add(directory);
  }
}
