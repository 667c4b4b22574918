import type { WorkspaceCache, WorkspaceRun } from '@cairn/workspace-cache';

/**
 * The tree for the prompts of agents. It stays the same while only the tools of agents change the workspace: their changes are in
 * `updates()`, and the system prompt keeps its bytes. When something else changed it between two requests, or when the changes no
 * longer fit into the updates, the tree is made again.
 */
export class WorkspaceSection {
  readonly #cache: WorkspaceCache | undefined;
  #run: Promise<WorkspaceRun> | undefined;
  latest: WorkspaceRun | undefined;

  constructor(cache: WorkspaceCache | undefined) {
    this.#cache = cache;
  }

  async next(): Promise<WorkspaceRun | undefined> {
    const cache = this.#cache;
    if (cache === undefined) return undefined;
    const begin = async (): Promise<WorkspaceRun> => (await cache.init({ userContext: {} })).run;
    if (this.#run === undefined) {
      // A run begins with the tree of now.
      this.#run = begin();
    } else {
      const { others, isWhole } = await (await this.#run).refresh();
      if (others > 0 || !isWhole) this.#run = begin();
    }
    this.latest = await this.#run;
    return this.latest;
  }
}
