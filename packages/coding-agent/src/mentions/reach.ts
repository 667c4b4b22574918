import { ToolError } from '@cairn/tool';
import { join, relative } from 'node:path';
import { isGitInternal } from '../files/confine.ts';
import type { Workspace } from '../workspace.ts';

/** How long the check of a directory is valid. Only names are at stake: a mentioned path is resolved again. */
const TRUSTED_MS = 10_000;

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/', path.length - 2)));
}

/** Removes suggestions that are in the scan only because it follows links. */
export class Reach {
  readonly #workspace: Workspace;
  /** By directory below the root. */
  #known = new Map<string, boolean>();
  #sinceMs = 0;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Returns the first `most` matches that are not behind a link out of the allowed roots or into a `.git`. */
  async firstOf<Match extends { readonly path: string }>(matches: readonly Match[], most: number): Promise<Match[]> {
    const nowMs = this.#workspace.clock();
    if (Math.abs(nowMs - this.#sinceMs) > TRUSTED_MS) {
      this.#known = new Map();
      this.#sinceMs = nowMs;
    }
    const verdicts = this.#known;
    const kept: Match[] = [];
    // One round, unless matches are removed.
    for (let at = 0; kept.length < most && at < matches.length; at += most) {
      const some = matches.slice(at, at + most);
      const parents = [...new Set(some.map(({ path }) => parentOf(path)))];
      const unknown = parents.filter((parent) => parent !== '' && !verdicts.has(parent));
      await Promise.all(unknown.map(async (parent) => verdicts.set(parent, await this.#check(parent))));
      kept.push(...some.filter(({ path }) => verdicts.get(parentOf(path)) ?? true));
    }
    return kept.slice(0, most);
  }

  async #check(directory: string): Promise<boolean> {
    const { operations, root } = this.#workspace;
    try {
      const [realRoot = root] = await this.#workspace.realRoots();
      const path = join(realRoot, directory);
      // Usually there is no link, and this is enough. The check that follows reports the error of this one.
      if ((await operations.realpath(path).catch(() => undefined)) === path) return true;
      const { real } = await this.#workspace.resolve(directory);
      return !isGitInternal(relative(realRoot, real));
    } catch (error) {
      if (ToolError.isInstance(error)) return error.code !== 'OUTSIDE_ROOT';
      throw error;
    }
  }
}
