import { ToolError } from '@cairn/tool';
import { join, relative } from 'node:path';
import { isGitInternal } from '../files/confine.ts';
import type { Workspace } from '../workspace.ts';

/** Keeps out of the suggestions what only a link brings into the scan: it follows them wherever they lead. */
export interface Reach {
  /** The first so many matches that do not lie behind a link to where the tools may not go, or into a `.git`. */
  firstOf<Match extends { readonly path: string }>(matches: readonly Match[], most: number): Promise<Match[]>;
}

/** How long a directory is trusted to lead where it led. Only names are at stake: what is mentioned is looked up anew. */
const TRUSTED_MS = 10_000;

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/', path.length - 2)));
}

export function createReach(workspace: Workspace): Reach {
  /** By directory below the root. */
  let known = new Map<string, boolean>();
  let sinceMs = 0;

  const isItself = async (path: string): Promise<boolean> => {
    try {
      return (await workspace.operations.realpath(path)) === path;
    } catch {
      // Why is said by the look-up that follows.
      return false;
    }
  };
  const look = async (directory: string): Promise<boolean> => {
    try {
      const [realRoot = workspace.root] = await workspace.realRoots();
      // Nearly always no link leads there, and this is all it takes.
      if (await isItself(join(realRoot, directory))) return true;
      const { real } = await workspace.resolve(directory);
      return !isGitInternal(relative(realRoot, real));
    } catch (error) {
      if (ToolError.isInstance(error)) return error.code !== 'OUTSIDE_ROOT';
      throw error;
    }
  };
  const learn = async (parents: ReadonlySet<string>, verdicts: Map<string, boolean>): Promise<void> => {
    const unknown = [...parents].filter((parent) => parent !== '' && !verdicts.has(parent));
    await Promise.all(unknown.map(async (parent) => verdicts.set(parent, await look(parent))));
  };

  return {
    firstOf: async (matches, most) => {
      const nowMs = workspace.clock();
      if (Math.abs(nowMs - sinceMs) > TRUSTED_MS) {
        known = new Map();
        sinceMs = nowMs;
      }
      const verdicts = known;
      const kept: (typeof matches)[number][] = [];
      // One round, unless something is left out.
      for (let at = 0; kept.length < most && at < matches.length; at += most) {
        const some = matches.slice(at, at + most);
        await learn(new Set(some.map(({ path }) => parentOf(path))), verdicts);
        kept.push(...some.filter(({ path }) => verdicts.get(parentOf(path)) ?? true));
      }
      return kept.slice(0, most);
    },
  };
}
