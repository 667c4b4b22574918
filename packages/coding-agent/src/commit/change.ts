import { errnoOf, isMissing } from '@cairn/tool';
import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { hashOf } from '../files/ledger.ts';
import { readBytes, withFile } from '../files/operations.ts';
import type { FileOperations, FileStat } from '../files/operations.ts';
import { hashOfStart } from './content-hash.ts';
import { isThere, removeAll, removeFile, statOf } from './temporary.ts';
import { copyTree } from './tree.ts';
import { writeOver } from './write-over.ts';

/** What a path held. It tells later whether somebody else changed it. */
export interface Mark {
  /** The number of the file in its file system. The number of the file system itself may change with a reboot. */
  readonly inode: string;
  /** Absent for a directory, and where nothing compares the content. */
  readonly hash?: string | undefined;
}

/** Prepared content for a file. */
interface Replacement {
  readonly path: string;
  /** The path of the new content. */
  readonly temporary: string;
  /** A second temporary path. */
  readonly spare: string;
  readonly before: Mark;
  readonly after: Mark;
}

/** A path that will exist, and the missing directories on the way to it, each before those inside it. */
interface Arrival {
  readonly directories: readonly string[];
}

/**
 * One change of a commit, as its journal states it. Each can be inspected, done and undone from what is on the disk alone, so a
 * later process can finish or undo it.
 */
export type Change =
  /** Exchanges a file and its new content. `isSource`: the new content is a path of the user, not a temporary one. */
  | ({ readonly kind: 'replace'; readonly isSource?: boolean } & Replacement)
  /** Writes the new content over the file; `spare` holds the old one. Keeps hard links and what only the owner may set. */
  | ({ readonly kind: 'overwrite' } & Replacement)
  | ({ readonly kind: 'create'; readonly path: string; readonly temporary: string; readonly after: Mark } & Arrival)
  | ({ readonly kind: 'move'; readonly path: string; readonly to: string; readonly before: Mark } & Arrival)
  | { readonly kind: 'delete'; readonly path: string; readonly temporary: string; readonly before: Mark };

/** Checks that a path holds what a change was computed from. */
export type Expectation = (path: string) => Promise<boolean>;

/** The tools of {@link apply} and the functions beside it. */
export interface ChangeTools {
  readonly operations: FileOperations;
  /** Receives the paths of other programs' content that lost its place to a later one. */
  readonly rescued: string[];
}

/** How far a change is; `conflict`: somebody else changed the path. */
export type Progress = 'applied' | 'unapplied' | 'conflict';

/** Returns the inode of a {@link Mark}. */
export function inodeOf({ identity }: FileStat): string {
  return identity.slice(identity.indexOf(':') + 1);
}

async function hashAt(operations: FileOperations, path: string, { kind }: FileStat): Promise<string | undefined> {
  if (kind === 'symlink') return hashOf(Buffer.from(await operations.readLink(path)));
  if (kind !== 'file') return undefined;
  // However large it became.
  return withFile(operations, path, 'read', async (file) => hashOfStart(file, (await file.stat()).size));
}

/** Returns the mark of an existing path. */
export async function markOf(operations: FileOperations, path: string): Promise<Mark> {
  const stat = await operations.lstat(path);
  return { inode: inodeOf(stat), hash: await hashAt(operations, path, stat) };
}

/** Returns which of the marks a path has. With `byContent`, equal content suffices. */
async function find<Name extends string>(
  operations: FileOperations,
  path: string,
  marks: Readonly<Record<Name, Mark>>,
  byContent: boolean = false,
): Promise<Name | 'missing' | 'other'> {
  const stat = await statOf(operations, path);
  if (stat === undefined) return 'missing';
  const inode = inodeOf(stat);
  const isHashed = Object.values<Mark>(marks).some((mark) => mark.hash !== undefined);
  const hash = isHashed ? await hashAt(operations, path, stat) : undefined;
  const isEqual = ({ hash: wanted }: Mark): boolean => wanted === undefined || wanted === hash;
  const names = Object.keys(marks) as Name[];
  return (
    names.find((name) => marks[name].inode === inode && isEqual(marks[name])) ??
    names.find((name) => byContent && marks[name].hash !== undefined && isEqual(marks[name])) ??
    'other'
  );
}

/** Returns the expectation that a path has a mark. */
export function expects(operations: FileOperations, before: Mark): Expectation {
  return async (path) => (await find(operations, path, { before })) === 'before';
}

/** Syncs directories after a change. A file system that cannot sync one does not make the change fail. */
async function syncQuietly(operations: FileOperations, ...directories: readonly string[]): Promise<void> {
  for (const directory of new Set(directories)) {
    try {
      await operations.syncDirectory(directory);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

/**
 * Exchanges new content with the old one, whose attributes another program may have changed since the new content got them. Returns
 * undefined where names cannot be exchanged, and false when the path holds something else by now.
 */
async function exchangeContent(
  operations: FileOperations,
  { path, temporary }: Replacement,
): Promise<boolean | undefined> {
  try {
    const { outcome } = await operations.replace(temporary, path, true);
    return outcome === 'unsupported' ? undefined : outcome === 'exchanged';
  } catch (error) {
    // It became a link.
    if (errnoOf(error) === 'ELOOP') return false;
    throw error;
  }
}

/** Exchanges two names: in one step where the file system can, otherwise by way of `spare`. Returns false when `expected` refuses. */
async function swap(
  { operations }: ChangeTools,
  change: Replacement & { readonly isSource?: boolean },
  expected?: Expectation,
): Promise<boolean> {
  const { path, temporary, spare } = change;
  if (expected && !change.isSource) {
    const isDone = await exchangeContent(operations, change);
    if (isDone !== undefined) return isDone;
  } else if (await operations.exchange(temporary, path)) {
    return true;
  }
  if (expected && !(await expected(path))) return false;
  if (!(await linkTo(operations, path, spare))) await copyTree(operations, path, spare);
  await operations.rename(temporary, path);
  await operations.rename(spare, temporary);
  return true;
}

/** Completes an exchange by way of `spare` that was interrupted. */
async function settleSpare(operations: FileOperations, { temporary, spare }: Replacement): Promise<void> {
  if (!(await isThere(operations, spare))) return;
  if (await isThere(operations, temporary)) await removeFile(operations, spare);
  else await operations.rename(spare, temporary);
}

const MAX_SWAPS = 16;

/**
 * Gives a path back the content of another program, which an exchange moved to the temporary path. If that program saves again
 * meanwhile, its last content stays at the path, and the one before is rescued. At the end `put` is at the temporary path again.
 */
async function giveBack(tools: ChangeTools, change: Replacement, put: Mark): Promise<void> {
  const { operations } = tools;
  const marks = async (): Promise<Mark> => markOf(operations, change.temporary);
  // A file of the user that was moved here has no hash.
  const isEqual = (left: Mark, right: Mark): boolean =>
    left.inode === right.inode && (right.hash === undefined || left.hash === right.hash);
  let [last, next] = [put, await marks()];
  for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
    await swap(tools, change);
    const out = await marks();
    if (isEqual(out, put)) return;
    if (isEqual(out, last)) break;
    [last, next] = [next, out];
  }
  await rescue(tools, change.path, change.temporary);
}

/** Keeps content that has no place any more under a name that the user sees. */
async function rescue({ operations, rescued }: ChangeTools, path: string, temporary: string): Promise<void> {
  const aside = `${path}.saved-${randomBytes(4).toString('hex')}`;
  await operations.rename(temporary, aside);
  rescued.push(aside);
}

/** Errors of file systems that cannot give a file a second name. */
const cannotLink: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/** Gives a file a second name; returns false where that is not possible, as for a directory. */
async function linkTo(operations: FileOperations, from: string, to: string): Promise<boolean> {
  // Some systems link the target of a link.
  if ((await operations.lstat(from)).kind !== 'file') return false;
  try {
    await operations.link(from, to);
    return true;
  } catch (error) {
    if (cannotLink.includes(errnoOf(error))) return false;
    throw error;
  }
}

/** Returns whether a directory lists exactly this name: a file system that ignores case also finds other spellings. */
export async function isListed(operations: FileOperations, path: string): Promise<boolean> {
  const entries = await operations.list(dirname(path));
  return entries.some(({ name }) => name === basename(path));
}

/** Gives something the name `to`, which must not exist; returns false when it does. */
export async function place(operations: FileOperations, from: string, to: string): Promise<boolean> {
  try {
    if (await operations.renameNoReplace(from, to)) return true;
    // A link does not replace what another program created at the last moment, either.
    if (await linkTo(operations, from, to)) {
      await operations.unlink(from);
      return true;
    }
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  const [source, there] = [await operations.lstat(from), await statOf(operations, to)];
  if (there !== undefined && there.identity !== source.identity) return false;
  // Two names of one file stay two after a rename; two spellings of one name do not.
  if (there?.kind === 'file' && (await isListed(operations, to))) await operations.unlink(from);
  else await operations.rename(from, to);
  return true;
}

/** Moves something away to a temporary path. Returns false, and leaves it, when it is not what was expected. */
async function takeAway(tools: ChangeTools, path: string, temporary: string, expected: Expectation): Promise<boolean> {
  const { operations } = tools;
  await operations.rename(path, temporary);
  if (await expected(temporary)) return true;
  if (!(await place(operations, temporary, path))) await rescue(tools, path, temporary);
  return false;
}

async function makeDirectories(operations: FileOperations, directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    try {
      await operations.makeDirectory(directory);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    await syncQuietly(operations, dirname(directory));
  }
}

async function removeDirectories(operations: FileOperations, directories: readonly string[]): Promise<void> {
  for (const directory of directories.toReversed()) {
    try {
      await operations.removeDirectory(directory);
    } catch (error) {
      // Missing, or another program uses it by now.
      if (isMissing(error) || ['ENOTEMPTY', 'EEXIST', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) continue;
      throw error;
    }
  }
}

/**
 * Makes a change that is `unapplied`. Returns false when the path did not hold what was expected; then it holds that again.
 *
 * @param expected what the change was computed from. A move carries its content along, whatever it is.
 */
export async function apply(tools: ChangeTools, change: Change, expected: Expectation): Promise<boolean> {
  const { operations } = tools;
  const { path } = change;
  switch (change.kind) {
    case 'replace': {
      if (!(await swap(tools, change, expected))) return false;
      const syncing = syncQuietly(operations, dirname(path), dirname(change.temporary));
      const [isExpected] = await Promise.all([expected(change.temporary), syncing]);
      if (!isExpected) await giveBack(tools, change, change.after);
      return isExpected;
    }
    case 'overwrite': {
      if (!(await expected(path))) return false;
      await writeOver(operations, change.temporary, path);
      return true;
    }
    case 'create': {
      await makeDirectories(operations, change.directories);
      if (!(await place(operations, change.temporary, path))) return false;
      await syncQuietly(operations, dirname(path));
      return true;
    }
    case 'move': {
      if (!(await expected(path))) return false;
      await makeDirectories(operations, change.directories);
      if (!(await place(operations, path, change.to))) return false;
      await syncQuietly(operations, dirname(path), dirname(change.to));
      return true;
    }
    case 'delete': {
      if (!(await takeAway(tools, path, change.temporary, expected))) return false;
      await syncQuietly(operations, dirname(path));
      return true;
    }
  }
}

/** Returns how far a change is. Content of another program that the change had moved away goes back at once. */
export async function inspect(tools: ChangeTools, change: Change): Promise<Progress> {
  const { operations } = tools;
  const { path } = change;
  switch (change.kind) {
    case 'replace': {
      await settleSpare(operations, change);
      const { before, after } = change;
      const [out, at] = [
        await find(operations, change.temporary, { before, after }, true),
        await find(operations, path, { before, after }),
      ];
      if (out === 'before') return 'applied';
      if (out === 'after') return at === 'before' ? 'unapplied' : 'conflict';
      // Nothing is left to finish with, or the commit was over.
      if (out === 'missing') return at === 'before' ? 'conflict' : 'applied';
      if (at === 'after') await giveBack(tools, change, after);
      else if (!change.isSource) await rescue(tools, path, change.temporary);
      return 'conflict';
    }
    case 'overwrite':
      return inspectOverwrite(operations, change);
    case 'create': {
      const at = await find(operations, path, { after: change.after });
      if (at === 'after') return (await isThere(operations, change.temporary)) ? 'unapplied' : 'applied';
      return at === 'missing' && (await isThere(operations, change.temporary)) ? 'unapplied' : 'conflict';
    }
    case 'move': {
      // Edits in place move along.
      const before = { inode: change.before.inode };
      const [from, to] = [await find(operations, path, { before }), await find(operations, change.to, { before })];
      if (from === 'before') return to === 'other' ? 'conflict' : 'unapplied';
      return to === 'before' ? 'applied' : 'conflict';
    }
    case 'delete': {
      const marks = { before: change.before };
      const out = await find(operations, change.temporary, marks, true);
      if (out === 'before') return 'applied';
      if (out === 'other') {
        if (!(await place(operations, change.temporary, path))) await rescue(tools, path, change.temporary);
        return 'conflict';
      }
      const at = await find(operations, path, marks);
      if (at === 'missing') return 'applied';
      // Without a hash nobody can tell whether the content is still the one that was to be deleted.
      return at === 'before' && change.before.hash !== undefined ? 'unapplied' : 'conflict';
    }
  }
}

async function inspectOverwrite(operations: FileOperations, change: Replacement): Promise<Progress> {
  const { path, temporary, spare, before, after } = change;
  const stat = await statOf(operations, path);
  // A move that comes before is still to be made.
  if (stat === undefined) return 'unapplied';
  if (stat.kind !== 'file' || inodeOf(stat) !== before.inode) return 'conflict';
  if ((await hashAt(operations, path, stat)) === after.hash) return 'applied';
  const sizes = [await statOf(operations, temporary), await statOf(operations, spare)].map((file) => file?.size ?? NaN);
  // A file that was half written has lost nothing, and grown no further than its new content.
  if (!(stat.size >= Math.min(...sizes) && stat.size <= Math.max(...sizes))) return 'conflict';
  const bytesOf = (from: string): Promise<Buffer> => withFile(operations, from, 'read', (file) => readBytes(file));
  const [now, written, old] = [await bytesOf(path), await bytesOf(temporary), await bytesOf(spare)];
  // Each of its bytes is an old or a new one.
  return now.every((byte, at) => byte === written[at] || byte === old[at]) ? 'unapplied' : 'conflict';
}

/**
 * Whether a change that was begun is out of sight: somebody moved its directory, and what it had done by then went along. `rescued`
 * names what has left a temporary path.
 */
export async function isOutOfSight({ operations, rescued }: ChangeTools, change: Change): Promise<boolean> {
  const { path, kind } = change;
  if (rescued.some((aside) => aside.startsWith(path))) return false;
  if (await isThere(operations, kind === 'move' ? change.to : change.temporary)) return false;
  return kind === 'replace' || kind === 'overwrite' || !(await isThere(operations, path));
}

/** Undoes a change, however far it is. What somebody else wrote since stays; returns false then. */
export async function revert(tools: ChangeTools, change: Change): Promise<boolean> {
  const { operations } = tools;
  const { path } = change;
  const progress = await inspect(tools, change);
  switch (change.kind) {
    case 'replace': {
      const { before, after } = change;
      if (progress !== 'applied') return true;
      // Without its old content it cannot be undone.
      if ((await find(operations, path, { after })) !== 'after' || !(await isThere(operations, change.temporary)))
        return false;
      await swap(tools, change);
      if (!(await expects(operations, after)(change.temporary))) await giveBack(tools, change, before);
      await syncQuietly(operations, dirname(path), dirname(change.temporary));
      return true;
    }
    case 'overwrite': {
      if (progress === 'conflict') return false;
      if (!(await isThere(operations, path)) || (await expects(operations, change.before)(path))) return true;
      await writeOver(operations, change.spare, path);
      return true;
    }
    case 'create': {
      const isOurs = (await find(operations, path, { after: change.after })) === 'after';
      // With the temporary path it is still another name of the file.
      if (isOurs && progress === 'unapplied') await operations.unlink(path);
      else if (isOurs) await takeAway(tools, path, change.temporary, expects(operations, change.after));
      if (progress !== 'conflict' || isOurs) await removeDirectories(operations, change.directories);
      return progress !== 'conflict';
    }
    case 'move': {
      if (progress !== 'applied') return progress === 'unapplied';
      if (!(await place(operations, change.to, path))) return false;
      await removeDirectories(operations, change.directories);
      await syncQuietly(operations, dirname(path));
      return true;
    }
    case 'delete': {
      if (!(await isThere(operations, change.temporary))) return progress !== 'conflict';
      if (!(await place(operations, change.temporary, path))) {
        await rescue(tools, path, change.temporary);
        return false;
      }
      await syncQuietly(operations, dirname(path));
      return true;
    }
  }
}

/** Removes what a change leaves, after it was applied or undone. */
export async function clean(operations: FileOperations, change: Change, isApplied: boolean): Promise<void> {
  switch (change.kind) {
    case 'replace':
      // The path of the user holds the replaced file now, unless somebody saved there since.
      if (change.isSource && !(isApplied && (await expects(operations, change.before)(change.temporary)))) return;
      await removeFile(operations, change.temporary);
      return;
    case 'overwrite':
      await removeFile(operations, change.temporary);
      await removeFile(operations, change.spare);
      return;
    case 'create':
    case 'delete':
      await removeAll(operations, change.temporary);
      return;
    case 'move':
  }
}
