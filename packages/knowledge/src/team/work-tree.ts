/** The files of the clone: what somebody edited by hand, and how they follow the team's branch. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KnowledgeError } from '../errors.ts';
import type { Git } from './git.ts';
import { commitOf } from './repository.ts';
import { isRegular, keyOfPath, MAX_BATCH_BYTES, oidOf, readBlobs, readTree } from './tree.ts';
import type { Tree, TreeFile } from './tree.ts';

interface Options {
  readonly signal?: AbortSignal | undefined;
}

/** The state of the work tree's HEAD. */
export interface Checkout {
  /** The branch; `undefined` for a detached HEAD. */
  readonly branch: string | undefined;
  readonly head: string | undefined;
  /** Whether somebody merges, rebases or picks commits. */
  readonly isBusy: boolean;
}

const BUSY_FILES = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply', 'BISECT_LOG'];

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

export async function readCheckout(git: Git, { signal }: Options): Promise<Checkout> {
  const { stdout } = await git(['symbolic-ref', '--quiet', 'HEAD'], { accepts: [0, 1], signal });
  const name = stdout.toString().trim();
  const busy = await Promise.all(BUSY_FILES.map((file) => exists(join(git.gitDirectory, file))));
  return {
    branch: name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : undefined,
    head: await commitOf(git, 'HEAD', signal),
    isBusy: busy.includes(true),
  };
}

/**
 * Names the branch of the work tree otherwise, as after the team renamed its branch. No file changes. A work tree on a branch of the
 * user stays there, and so does one for which the user has a branch of the new name.
 */
export async function switchBranch(
  git: Git,
  [from, to]: readonly [from: string, to: string],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { branch, head, isBusy } = await readCheckout(git, { signal });
  if (branch !== from || head === undefined || isBusy) return;
  const ref = `refs/heads/${to}`;
  const call = { accepts: [0, 1, 128], signal };
  const existing = await commitOf(git, ref, signal);
  if (existing === undefined && (await git(['update-ref', ref, head], call)).status !== 0) return;
  if (existing === undefined || existing === head) await git(['symbolic-ref', 'HEAD', ref], { signal });
}

/** Returns the paths of files that differ from the checked-out commit, with new ones that git does not ignore. */
export async function changedPaths(git: Git, { signal }: Options): Promise<Set<string>> {
  const args = ['--porcelain=v2', '-z', '--untracked-files=all', '--ignore-submodules=all', '--no-renames'];
  const { stdout } = await git(['status', ...args], { signal });
  const paths = new Set<string>();
  for (const field of stdout.toString().split('\0')) {
    // The fields before the path: eight of a changed file, ten of an unmerged one, one of a new one.
    const count = { '1': 8, u: 10, '?': 1 }[field.slice(0, 1)];
    if (count !== undefined && field[1] === ' ') paths.add(field.split(' ').slice(count).join(' '));
  }
  return paths;
}

/** Returns the paths of which the user has git pass over changes: `skip-worktree` and `assume-unchanged`. */
async function hiddenPaths(git: Git, { signal }: Options): Promise<Set<string>> {
  const { stdout } = await git(['ls-files', '-v', '-z'], { signal });
  const lines = stdout.toString().split('\0');
  return new Set(lines.flatMap((line) => (/^[Sa-z] /u.test(line) ? [line.slice(2)] : [])));
}

/** Returns whether a file may have this path on every system. Git itself checks out no others. */
function isSafePath(path: string): boolean {
  return path.split('/').every((part) => {
    // File systems ignore some characters and know short names: all of these may become `.git`.
    const plain = part.replaceAll(/[\p{Cf}\p{Cc}]/gu, '').toLowerCase();
    return (
      plain !== '' &&
      plain !== '.' &&
      plain !== '..' &&
      !/^(?:\.git|git~\d+)[ .]*(?:$|:)/u.test(plain) &&
      !/[\\:]/u.test(part)
    );
  });
}

/** A larger file of the team is not an asset, and would have to be in memory. */
const MAX_WORK_FILE_BYTES = 100 * 1024 * 1024;

/** Returns the file that a tree has in the work tree; `undefined` for those that are not written: links, submodules, unsafe paths. */
export function checkedOut(tree: Tree, path: string): TreeFile | undefined {
  const file = tree.get(path);
  if (file === undefined || file.bytes > MAX_WORK_FILE_BYTES) return undefined;
  return isRegular(file) && isSafePath(path) ? file : undefined;
}

/** Returns whether the directories of a path are directories, not links. */
async function hasPlainParents(workTree: string, path: string): Promise<boolean> {
  const parts = path.split('/').slice(0, -1);
  for (const index of parts.keys()) {
    const found = await lstat(join(workTree, ...parts.slice(0, index + 1))).catch(() => undefined);
    if (found === undefined) return true;
    if (!found.isDirectory()) return false;
  }
  return true;
}

/** Returns the bytes of a file of the work tree; `null` when it is missing, `undefined` when it is something else. */
export async function readWorkFile(workTree: string, path: string): Promise<Buffer | null | undefined> {
  if (!isSafePath(path)) return undefined;
  const full = join(workTree, path);
  const found = await lstat(full).catch(() => null);
  if (found === null) return (await hasPlainParents(workTree, path)) ? null : undefined;
  if (!found.isFile() || !(await hasPlainParents(workTree, path))) return undefined;
  return readFile(full);
}

/** `blocked`: a file or directory of the user is in its place. `unnameable`: this system cannot have a file of this path. */
type Written = 'written' | 'blocked' | 'unnameable';

/** Returns why a file cannot be at its path. Other errors are thrown. */
function obstacleOf(error: unknown): Exclude<Written, 'written'> {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (/^(?:EISDIR|ENOTDIR|ENOTEMPTY|EEXIST)$/u.test(code)) return 'blocked';
  if (/^(?:ENAMETOOLONG|EILSEQ|EINVAL)$/u.test(code)) return 'unnameable';
  throw error;
}

async function writeWorkFile(workTree: string, { path, mode }: TreeFile, content: Buffer): Promise<Written> {
  const full = join(workTree, path);
  try {
    await mkdir(dirname(full), { recursive: true, mode: 0o700 });
  } catch (error) {
    return obstacleOf(error);
  }
  const temporary = join(dirname(full), `.${randomUUID()}.cairn.tmp`);
  try {
    const file = await open(temporary, 'wx', mode === '100755' ? 0o700 : 0o600);
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    await rename(temporary, full);
    return 'written';
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    return obstacleOf(error);
  }
}

/** Removes a file, and the directories that are empty then. */
async function removeWorkFile(workTree: string, path: string): Promise<void> {
  await rm(join(workTree, path), { force: true });
  for (let directory = dirname(path); directory !== '.'; directory = dirname(directory)) {
    try {
      await rmdir(join(workTree, directory));
    } catch {
      return;
    }
  }
}

type Edited = Readonly<Record<string, string | null>>;

/** What became of the files of the work tree. */
export interface Moved {
  /** See `CloneState.edited`. */
  readonly edited: Edited;
  /** Files that were not written, because somebody edited them. */
  readonly kept: readonly string[];
  /** Paths of the commit that no file may have, and links. */
  readonly skipped: readonly string[];
}

export interface MoveOptions extends Options {
  readonly checkout: Checkout;
  /** The commit that the files are of. */
  readonly from: string | undefined;
  /** Whether the files are gone and are written again. */
  readonly isLost: boolean;
  /** Called before files are changed, with what they are then. */
  readonly beforeMove: (edited: Edited) => Promise<void>;
  readonly to: string;
  readonly edited: Edited;
  readonly branch: string;
}

interface MovePlan extends Moved {
  readonly writes: readonly TreeFile[];
  readonly removes: readonly string[];
  /** Whether the index is not that of the commit: a process that was ended has moved the branch, and not the index. */
  readonly isIndexStale: boolean;
}

/** Decides for each file whether it follows the commit. */
async function planMove(
  git: Git,
  { checkout, from: commit, isLost, to, edited, signal }: MoveOptions,
): Promise<MovePlan> {
  const [from, target] = [await readTree(git, commit, { signal }), await readTree(git, to, { signal })];
  const dirty = await changedPaths(git, { signal });
  const next: Record<string, string | null> = {};
  const [kept, skipped, removes]: [string[], string[], string[]] = [[], [], []];
  const writes: TreeFile[] = [];
  let isIndexStale = checkout.head !== to;
  let hidden: ReadonlySet<string> | undefined;
  const paths = new Set([...dirty, ...Object.keys(edited)]);
  // Without a checked-out commit, git names no missing file.
  const isNew = checkout.head === undefined;
  for (const [path, { oid }] of target) if (isNew || from.get(path)?.oid !== oid) paths.add(path);
  for (const path of from.keys()) if (!target.has(path)) paths.add(path);
  for (const path of paths) {
    const [file, before] = [checkedOut(target, path), checkedOut(from, path)];
    if (file === undefined && target.has(path)) skipped.push(path);
    if (!isSafePath(path)) continue;
    const content = await readWorkFile(git.workTree, path);
    const now = content && oidOf(content, to);
    if (now === (file?.oid ?? null)) {
      isIndexStale ||= dirty.has(path);
      continue;
    }
    const taken = edited[path];
    const isMoved = file?.oid !== before?.oid;
    let isClean = now !== undefined && now === (before?.oid ?? null);
    if (now !== undefined && !isClean && before !== undefined && !dirty.has(path)) {
      // Without a line of `git status`, the file is as git would have written it, perhaps with other line ends.
      isClean = now === null || !(hidden ??= await hiddenPaths(git, { signal })).has(path);
    }
    const isTaken = now !== undefined && now === taken;
    if ((isMoved && (isClean || isTaken)) || (isLost && now === null)) {
      if (file === undefined) removes.push(path);
      else writes.push(file);
      continue;
    }
    if (isMoved) kept.push(path);
    if (taken !== undefined) next[path] = taken;
    else if (isMoved) next[path] = before?.oid ?? null;
  }
  return { edited: next, kept, skipped, writes, removes, isIndexStale };
}

/** Divides files, so that the bytes of a batch can be in memory. */
function* batchesOf(files: readonly TreeFile[]): Generator<readonly TreeFile[]> {
  let [batch, bytes]: [TreeFile[], number] = [[], 0];
  for (const file of files) {
    batch.push(file);
    bytes += file.bytes;
    if (bytes < MAX_BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  yield batch;
}

/** Writes files of a commit. @returns the paths of those that were not written. @throws {KnowledgeError} `GIT_FAILED`. */
async function writeFiles(
  git: Git,
  files: readonly TreeFile[],
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<Exclude<Written, 'written'>, readonly string[]>>> {
  const [blocked, unnameable]: [string[], string[]] = [[], []];
  try {
    for (const batch of batchesOf(files)) {
      const contents = new Map<string, Buffer>();
      await readBlobs(git, batch, { signal, use: (oid, content) => void contents.set(oid, Buffer.from(content)) });
      for (const file of batch) {
        const content = contents.get(file.oid);
        const written = content && (await writeWorkFile(git.workTree, file, content));
        if (written === 'blocked') blocked.push(file.path);
        if (written === 'unnameable') unnameable.push(file.path);
      }
    }
  } catch (error) {
    if (signal?.aborted === true || KnowledgeError.isInstance(error)) throw error;
    const summary = `The work tree of the team store cannot be written: ${String(error)}`;
    const hint = 'The assets are synchronized. Free space or check the permissions, then repeat the command.';
    throw new KnowledgeError('GIT_FAILED', [summary, hint], { path: git.workTree, cause: error });
  }
  return { blocked, unnameable };
}

/**
 * Moves the work tree to a commit. Files that somebody edited stay as they are, unless `edited` states that the edit was taken.
 */
export async function moveWorkTree(git: Git, options: MoveOptions): Promise<Moved> {
  const { checkout, to, branch, beforeMove, signal } = options;
  const { edited, kept, skipped, writes, removes, isIndexStale } = await planMove(git, options);
  if (checkout.head !== to) await beforeMove(edited);
  for (const path of removes) await removeWorkFile(git.workTree, path);
  const { blocked, unnameable } = await writeFiles(git, writes, signal);
  if (checkout.branch !== branch) await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], { signal });
  if (checkout.head !== to) await git(['update-ref', `refs/heads/${branch}`, to], { signal });
  if (isIndexStale || writes.length > 0) await moveIndex(git, to, signal);
  // Such a file is missing without having been removed.
  const missing = Object.fromEntries(unnameable.map((path) => [path, null]));
  return { edited: { ...edited, ...missing }, kept: [...kept, ...blocked], skipped: [...skipped, ...unnameable] };
}

/** Makes the index that of a commit, so that `git status` shows only what somebody edited. */
async function moveIndex(git: Git, to: string, signal: AbortSignal | undefined): Promise<void> {
  const call = { accepts: [0, 1, 128], signal };
  // The first keeps what git knows of unchanged files; it refuses when a merge was left, which the second drops.
  const { status } = await git(['read-tree', '-m', to], call);
  if (status !== 0) await git(['read-tree', '--reset', to], call);
  await git(['update-index', '-q', '--refresh'], call);
}

/** Returns whether all files of assets are gone, which is a lost directory and not their removal. */
export async function areFilesLost(workTree: string, tree: Tree): Promise<boolean> {
  const paths = [...tree.keys()].filter((path) => keyOfPath(path) !== undefined);
  if (paths.length < 2) return false;
  for (const path of paths) if ((await lstat(join(workTree, path)).catch(() => null)) !== null) return false;
  return true;
}
