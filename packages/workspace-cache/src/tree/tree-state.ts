import { treeStateSync, treeSummary, type TreeState, type TreeSummary } from '@cairn/natives';
import { summaryOptions } from './build.ts';
import type { ResolvedTreeOptions } from './options.ts';

export interface TreeSnapshot {
  readonly state: TreeState;
  /** See `WorkspaceTree`. */
  readonly version: number;
}

/** Reads the tree of a run again. Both functions fail when they cannot read all of it. */
export interface TreeReader {
  /** Compares the whole tree with the disk. */
  readonly fromDisk: () => Promise<TreeSnapshot>;
  /** Reads the tree on the calling thread. Of changes that nothing announced, it has those before the natives' time to live. */
  readonly afterAnnouncement: () => TreeSnapshot;
}

/** How long the calling thread may be busy. To validate a cached scan takes milliseconds. */
const SYNC_TIMEOUT_MS = 1000;

type Scanned = Pick<TreeSummary, 'state' | 'generation' | 'complete'>;

function snapshotOf({ state, generation, complete }: Scanned): TreeSnapshot {
  if (state === undefined || !complete) throw new Error('the scan of the workspace is not complete');
  return { state, version: generation };
}

export function treeReader(root: string, options: ResolvedTreeOptions): TreeReader {
  const all = summaryOptions(root, options);
  const { depth: _depth, focus: _focus, onTimeout: _onTimeout, ...rules } = all;
  return {
    fromDisk: async () => snapshotOf(await treeSummary({ ...all, maxEntries: 0, validate: true, keepState: true })),
    afterAnnouncement: () => snapshotOf(treeStateSync({ ...rules, timeoutMs: SYNC_TIMEOUT_MS })),
  };
}
