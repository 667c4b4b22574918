import { errnoOf, isMissing, ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { dirname } from 'node:path';
import { withFile } from '../files/operations.ts';
import type { FileOperations, OpenFile } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { wholeOf } from '../files/seen.ts';
import type { SeenRanges } from '../files/seen.ts';
import type { PathChange } from './changes.ts';
import { syncQuietly } from './commit.ts';
import type { Step } from './commit.ts';
import type { LockedTarget } from './locked-targets.ts';
import type { CommitScope } from './scope.ts';
import { hashOfSuccessor, holds } from './snapshot.ts';
import type { FileSnapshot } from './snapshot.ts';
import { readyPath, removeAll, writeOver } from './temporary.ts';

/** New content for a file. */
export interface NewContent {
  readonly target: LockedTarget;
  /** The content, in consecutive parts. */
  readonly parts: readonly Buffer[];
  /** The content that it replaces; absent for a new file. */
  readonly before: FileSnapshot | undefined;
  /** The permissions of a new file. Default: those that the system gives. */
  readonly permissions?: number | undefined;
  /** What the author of the change has seen of it. Default: all. */
  readonly seen?: SeenRanges | undefined;
  /** The encoding for the ledger. */
  readonly encoding?: string | undefined;
  /** Other computations, run while the content is being written. */
  readonly meanwhile?: (() => void) | undefined;
}

const WRITE_BITS = 0o222;
const PERMISSION_BITS_OF_TEMPORARY = 0o600;

/** Checks that the file itself is writable: for a rename onto it, the system checks only the directory. */
async function requireWritable(operations: FileOperations, target: ResolvedPath, before: FileSnapshot): Promise<void> {
  const path = target.display;
  if ((before.stat.mode & WRITE_BITS) === 0) {
    const summary = `${path} is read-only (mode ${before.stat.mode.toString(8)})`;
    throw new ToolError(
      'READ_ONLY',
      [summary, 'Ask the user whether it may be changed; chmod u+w makes it writable.'],
      {
        path,
      },
    );
  }
  await withFile(operations, target.real, 'update', async () => undefined);
}

/** Returns the bytes of a content. */
export function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

async function writeParts(file: OpenFile, parts: readonly Uint8Array[]): Promise<void> {
  let at = 0;
  for (const part of parts) {
    await file.write(part, at);
    at += part.length;
  }
}

/** Writes the temporary file. Returns its hash, and whether a rename onto the target keeps the target's owner. */
async function writeTemporary(
  operations: FileOperations,
  content: NewContent,
): Promise<{ keepsOwner: boolean; hash: string }> {
  const { target, parts, before, permissions } = content;
  const file = await operations.open(target.temporary, 'create', before ? PERMISSION_BITS_OF_TEMPORARY : 0o666);
  try {
    const writing = writeParts(file, parts);
    try {
      content.meanwhile?.();
    } finally {
      await writing;
    }
    let keepsOwner = true;
    if (before) {
      const { uid, gid, mode } = before.stat;
      const own = await file.stat();
      if (own.uid !== uid || own.gid !== gid) keepsOwner = await trySetOwner(() => file.setOwner(uid, gid));
      await file.setMode(mode);
    } else if (permissions !== undefined) {
      await file.setMode(permissions);
    }
    // The hash is computed while the disk works.
    const syncing = file.sync();
    const hash = hashOfSuccessor(parts, before);
    await syncing;
    return { keepsOwner, hash };
  } finally {
    await file.close();
  }
}

async function trySetOwner(set: () => Promise<void>): Promise<boolean> {
  try {
    await set();
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EPERM') return false;
    throw error;
  }
}

/** Returns whether the path exists, also as a broken link. */
export async function isThere(operations: FileOperations, path: string): Promise<boolean> {
  try {
    await operations.lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** @throws {ToolError} `STALE` when the directory of a path has become a link. */
export async function verifyParent(operations: FileOperations, target: ResolvedPath): Promise<void> {
  const parent = dirname(target.real);
  if ((await operations.realpath(parent)) !== parent) throw changedMeanwhile(target.display);
}

export function changedMeanwhile(path: string): ToolError {
  return new ToolError(
    'STALE',
    [`${path} was changed by another program during the call`, 'Read it again, then repeat the change.'],
    {
      path,
    },
  );
}

/** Errors of file systems that cannot give a file a second name. */
const cannotLink: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/** @throws {ToolError} when the new file stays. */
async function takeNameBack(operations: FileOperations, { real, temporary, display }: LockedTarget): Promise<void> {
  try {
    await operations.unlink(real);
  } catch (error) {
    const summary = `${display} was written, but its other name ${quotePath(temporary)} could not be removed`;
    throw new ToolError('IO', [summary, `Delete ${quotePath(temporary)}.`], {
      path: display,
      changed: true,
      cause: error,
    });
  }
}

/**
 * Gives the prepared file its name by a hard link. A rename would replace a file that another program created at the last moment;
 * a link fails then. Returns false when the file system has no links.
 *
 * @throws {ToolError} `STALE`.
 */
async function nameNewFile(operations: FileOperations, target: LockedTarget): Promise<boolean> {
  const { real, temporary, display } = target;
  try {
    await operations.link(temporary, real);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw changedMeanwhile(display);
    if (cannotLink.includes(errnoOf(error))) return false;
    throw error;
  }
  try {
    await operations.unlink(temporary);
  } catch (error) {
    await takeNameBack(operations, target);
    throw error;
  }
  return true;
}

class WriteStep implements Step {
  readonly path: string;
  readonly #workspace: CommitScope;
  readonly #operations: FileOperations;
  readonly #content: NewContent;
  /** The file keeps its inode: a rename would lose its other names or its owner. */
  #inPlace = false;
  #hash = '';

  constructor(workspace: CommitScope, content: NewContent) {
    this.#workspace = workspace;
    this.#operations = workspace.operations;
    this.#content = content;
    this.path = content.target.display;
  }

  async check(): Promise<void> {
    const { target, before } = this.#content;
    if (before) await requireWritable(this.#operations, target, before);
  }

  async prepare(): Promise<void> {
    const { before } = this.#content;
    const { hash, keepsOwner } = await writeTemporary(this.#operations, this.#content);
    this.#hash = hash;
    this.#inPlace = before !== undefined && (before.stat.links > 1 || !keepsOwner);
  }

  async verify(): Promise<void> {
    const { target, before } = this.#content;
    await verifyParent(this.#operations, target);
    const same = before
      ? await holds(this.#operations, target.real, before.bytes)
      : !(await isThere(this.#operations, target.real));
    if (!same) throw changedMeanwhile(target.display);
  }

  async apply(): Promise<void> {
    const { before } = this.#content;
    if (!before) await this.#create();
    else if (this.#inPlace) await this.#writeInPlace(before);
    else await this.#replace();
  }

  async undo(): Promise<void> {
    const { target, before } = this.#content;
    if (!before) {
      await this.#operations.unlink(target.real);
    } else if (this.#inPlace) {
      await this.#restore(before);
    } else {
      await writeTemporary(this.#operations, { ...this.#content, parts: [before.bytes] });
      await this.#replace();
    }
  }

  async discard(): Promise<void> {
    await removeAll(this.#operations, this.#content.target.temporary);
  }

  async finish(): Promise<void> {
    const { target, parts, encoding } = this.#content;
    const size = sizeOf(parts);
    const { seen = wholeOf(size) } = this.#content;
    this.#workspace.ledger.record(target.real, { hash: this.#hash, length: size, size, seen, encoding });
  }

  changes(): readonly PathChange[] {
    return [{ kind: 'write', path: this.#content.target.real }];
  }

  async #create(): Promise<void> {
    const { target } = this.#content;
    if (!(await nameNewFile(this.#operations, target))) await this.#operations.rename(target.temporary, target.real);
    await syncQuietly(this.#operations, dirname(target.real));
  }

  async #replace(): Promise<void> {
    const { target } = this.#content;
    await this.#operations.rename(target.temporary, target.real);
    await syncQuietly(this.#operations, dirname(target.real));
  }

  async #writeInPlace(before: FileSnapshot): Promise<void> {
    const { real, temporary } = this.#content.target;
    await this.#operations.rename(temporary, readyPath(temporary));
    try {
      await writeOver(this.#operations, temporary, real);
    } catch (error) {
      await this.#restore(before);
      await removeAll(this.#operations, readyPath(temporary));
      throw error;
    }
  }

  /** Writes the old content from memory. */
  async #restore({ bytes }: FileSnapshot): Promise<void> {
    await withFile(this.#operations, this.#content.target.real, 'update', async (file) => {
      await file.write(bytes, 0);
      await file.truncate(bytes.length);
      await file.sync();
    });
  }
}

/**
 * Makes the step that puts content into a file: written beside it, synced and renamed onto it, so that the file is old or new at
 * every moment. A file with several names, or with an owner that cannot be kept, is overwritten in place; the prepared content
 * stays until that is done, so that the next start can repeat it.
 */
export function writeStep(workspace: CommitScope, content: NewContent): Step {
  return new WriteStep(workspace, content);
}
