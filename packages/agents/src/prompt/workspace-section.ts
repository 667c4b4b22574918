import type { WorkspaceCache, WorkspaceRun } from '@cairn/workspace-cache';

/** The tree for the prompts of agents. */
export interface WorkspaceSection {
  /** Returns the run whose tree the next request shows. */
  readonly next: () => Promise<WorkspaceRun | undefined>;
  /** Returns what `next` returned last. */
  readonly latest: () => WorkspaceRun | undefined;
}

/**
 * Makes a function that returns the tree for the next request. It stays the same while only the tools of agents change the
 * workspace: their changes are in `updates()`, and the system prompt keeps its bytes. When something else changed it, the tree is
 * made again.
 */
export function createWorkspaceSection(cache: WorkspaceCache | undefined): WorkspaceSection {
  let run: Promise<WorkspaceRun> | undefined;
  /** The version of the tree, and the changes by tools, at the last request. */
  let known: { readonly version: number; readonly updates: string } | undefined;

  let latest: WorkspaceRun | undefined;

  const next = async (): Promise<WorkspaceRun | undefined> => {
    if (cache === undefined) return undefined;
    const begin = async (): Promise<WorkspaceRun> => (await cache.init({ userContext: {} })).run;
    run ??= begin();
    const current = await run;
    const { version } = await cache.tree();
    const updates = current.updates();
    const before = known ?? { version: current.version, updates: '' };
    const isOther = version !== before.version && updates === before.updates;
    known = isOther ? undefined : { version, updates };
    if (isOther) run = begin();
    latest = await run;
    return latest;
  };
  return { next, latest: () => latest };
}
