import { ToolError } from '@cairn/tool';
import { join, relative } from 'node:path';
import { isGitInternal } from '../files/confine.ts';
import type { Workspace } from '../workspace.ts';

/** Removes suggestions that are in the scan only because it follows links. */
export interface Reach {
  /** Returns the first `most` matches that are not behind a link out of the allowed roots or into a `.git`. */
  firstOf<Match extends { readonly path: string }>(matches: readonly Match[], most: number): Promise<Match[]>;
}

/** How long the check of a directory is valid. Only names are at stake: a mentioned path is resolved again. */
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
      // The check that follows reports the reason.
      return false;
    }
  };
  const check = async (directory: string): Promise<boolean> => {
    try {
      const [realRoot = workspace.root] = await workspace.realRoots();
      // Usually there is no link, and this is enough.
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
    await Promise.all(unknown.map(async (parent) => verdicts.set(parent, await check(parent))));
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
      // One round, unless matches are removed.
      for (let at = 0; kept.length < most && at < matches.length; at += most) {
        const some = matches.slice(at, at + most);
        await learn(new Set(some.map(({ path }) => parentOf(path))), verdicts);
        kept.push(...some.filter(({ path }) => verdicts.get(parentOf(path)) ?? true));
      }
      return kept.slice(0, most);
    },
  };
}
