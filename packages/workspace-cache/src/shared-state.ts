import type { DynamicListing } from './data.ts';

/** What the runs of one user context share for one root. */
export interface SharedState<Run> {
  /** The kept listings, by path. Without a prototype, because a path may have any name. */
  readonly dynamic: Record<string, DynamicListing>;
  /** The runs by the key of their options. */
  readonly runs: Map<string, Promise<Run>>;
  /** How often they asked for a scan. */
  totalScans: number;
}

/** Finds the state that all agents of a run share. */
export interface SharedStates<Run> {
  /** Returns the state for a root; one of its own without a user context. */
  of(userContext: object | undefined, root: string): SharedState<Run>;
  /** Lets a copy of the user context lead to the same state: some frameworks copy it for each agent. */
  noteData(data: object, userContext: object | undefined): void;
}

/** Makes the table of states. It holds no user context alive. */
export function createSharedStates<Run>(): SharedStates<Run> {
  /** By user context, and by the data in it. */
  const states = new WeakMap<object, Map<string, SharedState<Run>>>();

  const byRootOf = (userContext: object): Map<string, SharedState<Run>> => {
    const data: unknown = (userContext as Record<string, unknown>)['workspaceCache'];
    const inherited = typeof data === 'object' && data !== null ? states.get(data) : undefined;
    const found = states.get(userContext) ?? inherited ?? new Map<string, SharedState<Run>>();
    states.set(userContext, found);
    return found;
  };
  return {
    of: (userContext, root) => {
      const byRoot = userContext === undefined ? undefined : byRootOf(userContext);
      const state = byRoot?.get(root) ?? {
        dynamic: Object.create(null) as Record<string, DynamicListing>,
        runs: new Map<string, Promise<Run>>(),
        totalScans: 0,
      };
      byRoot?.set(root, state);
      return state;
    },
    noteData: (data, userContext) => {
      if (userContext !== undefined) states.set(data, byRootOf(userContext));
    },
  };
}
