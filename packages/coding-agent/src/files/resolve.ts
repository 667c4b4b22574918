import { checkArguments, isMissing } from '@cairn/tool/kernel';
import { errnoOf, explainSystemError } from '@cairn/tool/internal';
import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isGitInternal, isWithin } from './confine.ts';
import type { FileOperations, FileStat } from './operations.ts';

/** A path that was resolved and is allowed. */
export interface ResolvedPath {
  /** Relative to the root, or below the root's display name; with `/`. Absolute outside the root. */
  readonly path: string;
  /** For messages: `path`, quoted where it could forge a line or hide a part of itself. */
  readonly display: string;
  /** The given path, made absolute. */
  readonly absolute: string;
  /** The canonical path: of a link's target, or of the link itself when it was not followed. */
  readonly real: string;
  /** Absent when nothing exists there. */
  readonly stat?: FileStat;
}

/** A longer chain of links counts as a circle; the limit of Linux. */
const MAX_LINKS = 40;

/**
 * Returns the canonical path of something that may not exist: the path of its nearest existing ancestor, plus the rest. A broken
 * link resolves to its target.
 */
export async function realPathOf(operations: FileOperations, path: string, links: number = 0): Promise<string> {
  try {
    return await operations.realpath(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  const parent = await realPathOf(operations, dirname(path), links);
  const here = join(parent, basename(path));
  const target = await linkTarget(operations, here);
  if (target === undefined) return here;
  if (links === MAX_LINKS) throw Object.assign(new Error(`too many links at ${path}`), { code: 'ELOOP' });
  return realPathOf(operations, resolve(parent, target), links + 1);
}

/** Returns a function that finds the canonical roots once; a root that cannot be resolved stands for itself. */
export function canonicalRoots(operations: FileOperations, roots: readonly string[]): () => Promise<readonly string[]> {
  let found: Promise<readonly string[]> | undefined;
  return () => (found ??= Promise.all(roots.map((root) => realPathOf(operations, root).catch(() => root))));
}

async function linkTarget(operations: FileOperations, path: string): Promise<string | undefined> {
  try {
    const { kind } = await operations.lstat(path);
    return kind === 'symlink' ? await operations.readLink(path) : undefined;
  } catch (error) {
    // The second: another program replaced the link.
    if (isMissing(error) || errnoOf(error) === 'EINVAL') return undefined;
    throw error;
  }
}

async function statOrMissing(stat: Promise<FileStat>): Promise<FileStat | undefined> {
  try {
    return await stat;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The paths that the tools may use. */
export interface Territory {
  readonly operations: FileOperations;
  /** The root as the caller named it. */
  readonly root: string;
  /** The canonical root and the other allowed ones; `undefined` when nothing is confined. */
  readonly allowed: readonly string[] | undefined;
  /** The roots as they are named, with the directories that they led to when the territory was made. */
  readonly roots?: readonly NamedRoot[] | undefined;
}

/** A root that may be a link. */
export interface NamedRoot {
  readonly named: string;
  /** Canonical. */
  readonly real: string;
}

export interface PathUse {
  /** The path will be written, moved or removed. */
  readonly write?: boolean;
  /** A link stands for itself, not for its target. */
  readonly noFollow?: boolean;
  /** The display name of the root. Default: paths are shown relative to the root. */
  readonly rootName?: string;
}

/** The files that a call may use. */
export interface PathScope {
  /** The root directory as the caller named it. */
  readonly root: string;
  readonly operations: FileOperations;
  /** Resolves a path and checks that the policy allows it. @throws {ToolError} see `resolvePath`. */
  resolve(path: string, use?: PathUse): Promise<ResolvedPath>;
}

function shownPath(absolute: string, root: string, rootName: string | undefined): string {
  if (!isWithin(absolute, root)) return absolute;
  const below = relative(root, absolute).replaceAll(sep, '/');
  if (below === '') return rootName ?? '.';
  return rootName === undefined ? below : `${rootName}/${below}`;
}

/**
 * Resolves a path and checks that it is allowed. The canonical path is checked, so neither `..` nor a link leads out of the root.
 * A path that does not exist is judged by its nearest existing ancestor.
 *
 * @throws {ToolError} `INVALID_INPUT`, `ROOT_MOVED`, `OUTSIDE_ROOT`, `PROTECTED`, or the system's error.
 */
export async function resolvePath(territory: Territory, path: string, use: PathUse = {}): Promise<ResolvedPath> {
  checkArguments.options('resolvePath', use, { write: 'optional', noFollow: 'optional', rootName: 'optional' });
  const { operations, root, allowed } = territory;
  if (path === '' || path.includes('\0')) {
    const what = path === '' ? 'The path is empty' : 'The path contains a NUL character';
    throw new ToolError('INVALID_INPUT', [what, "Name a path relative to the root; '.' is the root itself."]);
  }
  const absolute = resolve(root, path);
  const shown = shownPath(absolute, root, use.rootName);
  const display = quotePath(shown);
  try {
    const real = use.noFollow
      ? join(await realPathOf(operations, dirname(absolute)), basename(absolute))
      : await realPathOf(operations, absolute);
    await checkRoot(territory, absolute, real);
    if (allowed && !allowed.some((directory) => isWithin(real, directory))) {
      const leads = real === absolute ? '' : ` (it resolves to ${quotePath(real)})`;
      const summary = `${display} is outside the root${leads}`;
      throw new ToolError('OUTSIDE_ROOT', [summary, 'Use a path below the root.'], { path: display });
    }
    if (use.write && (isGitInternal(real) || isGitInternal(absolute))) {
      const summary = `${display} belongs to git's own data, which is not writable`;
      throw new ToolError('PROTECTED', [summary, 'Change it with git commands.'], { path: display });
    }
    const stat = await statOrMissing(use.noFollow ? operations.lstat(real) : operations.stat(real));
    return { path: shown, display, absolute, real, ...(stat && { stat }) };
  } catch (error) {
    throw explainSystemError(error, display);
  }
}

/**
 * Checks that the root which a path starts from still leads to the same directory. Costs nothing for a path without links.
 *
 * @throws {ToolError} `ROOT_MOVED`
 */
async function checkRoot({ operations, roots = [] }: Territory, absolute: string, real: string): Promise<void> {
  const around = roots.filter(({ named }) => isWithin(absolute, named));
  const [root] = around.toSorted((a, b) => b.named.length - a.named.length);
  if (root === undefined || real === join(root.real, relative(root.named, absolute))) return;
  // A link in the root may lead there, too.
  const now = await realPathOf(operations, root.named);
  if (now !== root.real) throw rootMoved(root, now);
}

export function rootMoved({ named, real }: NamedRoot, now: string): ToolError {
  const summary = `the root ${quotePath(named)} led to ${quotePath(real)} and now leads to ${quotePath(now)}`;
  const hint = 'Tell the user: link it to the first directory again, or start a new session.';
  return new ToolError('ROOT_MOVED', [summary, hint], { path: quotePath(named) });
}
