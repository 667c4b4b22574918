import { errnoOf, isMissing } from '@cairn/tool';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { FileOperations } from '../files/operations.ts';
import type { Changes } from './changes.ts';
import { isRunning, ownIdentity, parseIdentity, uniqueName } from './process-identity.ts';
import { recover, temporaryPath } from './temporary.ts';

/** A path that nobody else changes until it is released. */
export interface LockedPath {
  readonly path: string;
  /** Where new content may be prepared. The next start removes it when this process is killed. */
  readonly temporary: string;
}

/** The content of a lock file. */
interface LockNote extends LockedPath {
  readonly owner: string;
}

function isLockNote(value: unknown): value is LockNote {
  if (typeof value !== 'object' || value === null) return false;
  return ['owner', 'path', 'temporary'].every((key) => typeof Reflect.get(value, key) === 'string');
}

async function readNote(lock: string): Promise<LockNote | undefined> {
  try {
    const note: unknown = JSON.parse(await fs.readFile(lock, 'utf8'));
    return isLockNote(note) ? note : undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function ageOf(path: string): Promise<number> {
  const { mtimeMs } = await fs.stat(path);
  return Date.now() - mtimeMs;
}

/**
 * Lock files in a directory of this machine. A lock file names its owner, the path and the temporary file, so it is also the
 * journal of the commit that holds it. A hard link creates it, which fails when its name exists: that excludes other processes.
 */
export class LockFiles {
  readonly #directory: string;
  readonly #operations: FileOperations;
  readonly #changes: Changes;
  readonly #own = ownIdentity();

  constructor(directory: string, operations: FileOperations, changes: Changes) {
    this.#directory = directory;
    this.#operations = operations;
    this.#changes = changes;
  }

  /** Makes the note of a lock that this process is about to take. */
  noteFor(path: string): LockNote {
    return { owner: uniqueName(this.#own), path, temporary: temporaryPath(path, this.#own) };
  }

  /** Creates the lock file. Returns false when another process holds the lock. */
  async tryLock(note: LockNote): Promise<boolean> {
    const written = join(this.#directory, `${uniqueName(this.#own)}.note`);
    try {
      await fs.writeFile(written, JSON.stringify(note), { mode: 0o600 });
      await fs.link(written, this.#lockOf(note.path));
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await fs.rm(written, { force: true });
    }
  }

  async unlock(path: string): Promise<void> {
    await fs.rm(this.#lockOf(path), { force: true });
  }

  /** When the owner of a path's lock is gone: finishes its work and removes the lock. */
  async clearAbandoned(path: string): Promise<void> {
    await this.#clear(this.#lockOf(path));
  }

  /**
   * Clears up one entry of the directory that a killed process left, when `concerns` accepts its path.
   *
   * @param hold locks the path of a claim meanwhile.
   */
  async recoverEntry(name: string, { concerns, hold }: RecoveryOptions): Promise<void> {
    // A name that is not a path stands for a file with several names, which may concern any workspace.
    const isConcerned = (note: LockNote): boolean => !isAbsolute(note.path) || concerns(note.path);
    const path = join(this.#directory, name);
    if (name.endsWith('.lock')) {
      const note = await readNote(path);
      if (note && isConcerned(note)) await this.#clear(path);
      return;
    }
    const identity = parseIdentity(name);
    if (identity === undefined || isRunning(identity, this.#own, 0)) return;
    // The process was killed while it took a lock, or while it took over an abandoned one.
    const note = name.endsWith('.claim') ? await readNote(path) : undefined;
    if (note && !isConcerned(note)) return;
    if (note) await hold(note.path, () => this.#recover(note));
    await fs.rm(path, { force: true });
  }

  #lockOf(path: string): string {
    return join(this.#directory, `${createHash('sha1').update(path).digest('hex')}.lock`);
  }

  /** Finishes or undoes the work of a killed process. Only this process can announce it. */
  async #recover({ temporary, path }: LockNote): Promise<void> {
    const isWritten = await recover(this.#operations, temporary, path);
    this.#changes.invalidate([{ kind: 'delete', path: temporary }]);
    if (isWritten) this.#changes.announce([{ kind: 'write', path }]);
  }

  async #isAbandoned(lock: string, owner: string): Promise<boolean> {
    const identity = parseIdentity(owner);
    return identity !== undefined && !isRunning(identity, this.#own, await ageOf(lock));
  }

  /** Renames the lock to a claim first, so that only one process clears it. */
  async #clear(lock: string): Promise<void> {
    const claim = join(this.#directory, `${uniqueName(this.#own)}.claim`);
    try {
      const note = await readNote(lock);
      if (note === undefined || !(await this.#isAbandoned(lock, note.owner))) return;
      await fs.rename(lock, claim);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    await this.#finishClaim(claim, lock);
  }

  async #finishClaim(claim: string, lock: string): Promise<void> {
    const note = await readNote(claim);
    if (note && (await this.#isAbandoned(claim, note.owner))) {
      try {
        await this.#recover(note);
      } catch (error) {
        await fs.rename(claim, lock);
        throw error;
      }
    } else {
      // Another process cleared the lock and took it again after it was read here: give it back.
      await fs.link(claim, lock);
    }
    await fs.unlink(claim);
  }
}

/** How {@link LockFiles.recoverEntry} decides and locks. */
interface RecoveryOptions {
  /** Whether a path belongs to this workspace. */
  readonly concerns: (path: string) => boolean;
  readonly hold: (path: string, use: () => Promise<void>) => Promise<void>;
}
