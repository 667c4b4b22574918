import { fuzzyFind } from '@cairn/natives';
import { CHECK_PATH, isMissing, ToolError } from '@cairn/tool';
import { basename, dirname, join } from 'node:path';
import type { FileStat } from './operations.ts';
import type { ResolvedPath } from './resolve.ts';
import type { FileScope } from './scope.ts';

const MOST_NAMES = 3;
/** How many of the tree's paths are looked at. */
const MOST_CANDIDATES = 12;
/** A directory of more is not looked through for a message. */
const MOST_SIBLINGS = 5000;
const SEARCH_MS = 300;
const LEAST_LIKENESS = 0.5;

function pairsOf(name: string): Set<string> {
  const text = ` ${name.toLowerCase()} `;
  return new Set([...text].map((_, index) => text.slice(index, index + 2)).filter((pair) => pair.length === 2));
}

/** How alike two names are, from 0 to 1. */
function likeness(a: string, b: string): number {
  const [one, other] = [pairsOf(a), pairsOf(b)];
  const common = [...one].filter((pair) => other.has(pair)).length;
  return (2 * common) / Math.max(1, one.size + other.size);
}

/** Names in the directory the path was looked for in, most alike first. */
async function siblings(workspace: FileScope, target: ResolvedPath): Promise<string[]> {
  const directory = dirname(target.real);
  const wanted = basename(target.real);
  try {
    const entries = await workspace.operations.list(directory);
    const paths = entries
      .slice(0, MOST_SIBLINGS)
      .map(({ name }) => ({ name, score: likeness(name, wanted) }))
      .filter(({ score }) => score >= LEAST_LIKENESS)
      .toSorted((a, b) => b.score - a.score)
      .map(({ name }) => join(dirname(target.absolute), name));
    return await shown(workspace, paths);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The first few paths as they are shown. Those that are not allowed, by links that lead out, are nobody's business here. */
async function shown(workspace: FileScope, paths: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const path of paths) {
    if (names.length === MOST_NAMES) break;
    try {
      const { display } = await workspace.resolve(path);
      names.push(path.endsWith('/') ? `${display}/` : display);
    } catch (error) {
      if (!ToolError.isInstance(error)) throw error;
    }
  }
  return names;
}

/** Paths of the tree that the name leads to. */
async function elsewhere(workspace: FileScope, target: ResolvedPath): Promise<string[]> {
  try {
    const { matches } = await fuzzyFind({
      path: workspace.root,
      query: basename(target.absolute),
      maxResults: MOST_CANDIDATES,
      timeoutMs: SEARCH_MS,
      onTimeout: 'partial',
      cache: true,
    });
    const paths = matches.map(({ path }) => path);
    return await shown(workspace, paths);
  } catch {
    // Only a suggestion: a name that cannot be looked for has none.
    return [];
  }
}

/** Up to three paths that may have been meant. */
async function nearNames(workspace: FileScope, target: ResolvedPath): Promise<string[]> {
  const close = await siblings(workspace, target);
  const names = close.length >= MOST_NAMES ? close : [...close, ...(await elsewhere(workspace, target))];
  return [...new Set(names)].slice(0, MOST_NAMES);
}

/**
 * What is at a path.
 *
 * @throws {ToolError} `NOT_FOUND`, with near names.
 */
export async function requireExisting(workspace: FileScope, target: ResolvedPath): Promise<FileStat> {
  const { stat, display: path } = target;
  if (stat) return stat;
  const names = await nearNames(workspace, target);
  const hint = names.length > 0 ? `Did you mean ${names.join(', ')}?` : CHECK_PATH;
  throw new ToolError('NOT_FOUND', [`${path} does not exist`, hint], { path });
}
