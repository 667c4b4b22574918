import { isMissing } from '@cairn/tool/kernel';
import { CHECK_PATH, errnoOf, nearNames } from '@cairn/tool/internal';
import { fuzzyFind } from '@cairn/natives';
import { ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { basename, dirname, join } from 'node:path';
import { OWN_TEMPORARY, type FileStat } from './operations.ts';
import type { PathScope, ResolvedPath } from './resolve.ts';

const MAX_NAMES = 3;
const MAX_CANDIDATES = 12;
/** Only these entries of a large directory are compared. */
const MAX_SIBLINGS = 5000;
const SEARCH_MS = 300;
const MIN_SIMILARITY = 0.5;

/** Returns similar names in the directory of the path, the most similar first. */
async function siblings(workspace: PathScope, target: ResolvedPath): Promise<string[]> {
  const directory = dirname(target.real);
  try {
    const entries = (await workspace.operations.list(directory)).slice(0, MAX_SIBLINGS);
    const names = entries.map(({ name }) => name).filter((name) => !OWN_TEMPORARY.test(name));
    const near = nearNames(basename(target.real), names, { minSimilarity: MIN_SIMILARITY, most: Infinity });
    const paths = near.map((name) => join(dirname(target.absolute), name));
    return await shown(workspace, paths);
  } catch (error) {
    // The directory may have been replaced, too.
    if (isMissing(error) || errnoOf(error) === 'ESTALE') return [];
    throw error;
  }
}

/**
 * Returns the display form of the first paths. Leaves out paths that are not allowed, such as links out of the root, and those
 * that are gone.
 */
async function shown(workspace: PathScope, paths: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const path of paths) {
    if (names.length === MAX_NAMES) break;
    try {
      const { path: found, display, real } = await workspace.resolve(path);
      await workspace.operations.lstat(real);
      names.push(path.endsWith('/') ? quotePath(`${found}/`) : display);
    } catch (error) {
      if (!ToolError.isInstance(error) && errnoOf(error) === undefined) throw error;
    }
  }
  return names;
}

async function elsewhere(workspace: PathScope, target: ResolvedPath): Promise<string[]> {
  try {
    const { matches } = await fuzzyFind({
      path: workspace.root,
      query: basename(target.absolute),
      maxResults: MAX_CANDIDATES,
      timeoutMs: SEARCH_MS,
      onTimeout: 'partial',
      cache: true,
    });
    // A path that only happens to have the letters does not help.
    const paths = matches.filter(({ guess }) => guess !== 'scattered').map(({ path }) => path);
    return await shown(workspace, paths);
  } catch {
    // Only a suggestion: without a search there is none.
    return [];
  }
}

/** Returns the stat of a path. @throws {ToolError} `NOT_FOUND`, with near names. */
export async function requireExisting(workspace: PathScope, target: ResolvedPath): Promise<FileStat> {
  const { stat, display: path } = target;
  if (stat) return stat;
  const close = await siblings(workspace, target);
  const names = close.length >= MAX_NAMES ? close : [...close, ...(await elsewhere(workspace, target))];
  const near = [...new Set(names)].slice(0, MAX_NAMES);
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : CHECK_PATH;
  throw new ToolError('NOT_FOUND', [`${path} does not exist`, hint], { path });
}
