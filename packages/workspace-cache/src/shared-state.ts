import type { DynamicListing } from './data.ts';

/** What the runs of one user context share for one root. */
export interface SharedState<Run> {
  /** The kept listings, by path. */
  readonly dynamic: Record<string, DynamicListing>;
  /** The runs by the key of their options. */
  readonly runs: Map<string, Promise<Run>>;
  /** The complete scans that natives made for their trees. */
  totalScans: number;
}

function createState<Run>(): SharedState<Run> {
  return { dynamic: {}, runs: new Map(), totalScans: 0 };
}

/**
 * Returns a function that finds the state of a user context for a root; without a user context, a state of its own. The
 * states hold no user context alive. A copy of a user context has states of its own: it may be the copy of an earlier run.
 */
export function createSharedStates<Run>(): (userContext: object | undefined, root: string) => SharedState<Run> {
  const states = new WeakMap<object, Map<string, SharedState<Run>>>();
  return (userContext, root) => {
    if (userContext === undefined) return createState();
    const byRoot = states.get(userContext) ?? new Map<string, SharedState<Run>>();
    states.set(userContext, byRoot);
    const state = byRoot.get(root) ?? createState();
    byRoot.set(root, state);
    return state;
  };
}
