import type { WorkspaceCache, WorkspaceRun } from '@cairn/workspace-cache';

/** The tree for the prompts of agents. */
export interface WorkspaceSection {
  /** Returns the run whose tree the next request shows. */
  readonly next: () => Promise<WorkspaceRun | undefined>;
  /** Returns the last result of `next`. */
  readonly latest: () => WorkspaceRun | undefined;
}

/**
 * Makes a function that returns the tree for the next request. It stays the same while only the tools of agents change the
 * workspace: their changes are in `updates()`, and the system prompt keeps its bytes. When something else changed it between two
 * requests, or when the changes no longer fit into the updates, the tree is made again.
 */
export function createWorkspaceSection(cache: WorkspaceCache | undefined): WorkspaceSection {
  let run: Promise<WorkspaceRun> | undefined;
  let latest: WorkspaceRun | undefined;

  const next = async (): Promise<WorkspaceRun | undefined> => {
    if (cache === undefined) return undefined;
    const begin = async (): Promise<WorkspaceRun> => (await cache.init({ userContext: {} })).run;
    if (run === undefined) {
      // A run begins with the tree of now.
      run = begin();
    } else {
      const { others, isWhole } = await (await run).refresh();
      if (others > 0 || !isWhole) run = begin();
    }
    latest = await run;
    return latest;
  };
  return { next, latest: () => latest };
}
