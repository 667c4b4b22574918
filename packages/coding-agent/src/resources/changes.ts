import type { ResourceChange, ResourceChanges } from '@cairn/tool';
import { dirname, join, relative, resolve } from 'node:path';
import { onAnyChange, type WorkspaceChange } from '../commit/changes.ts';
import { isWithin } from '../files/confine.ts';
import { canonicalRoots } from '../files/resolve.ts';
import type { Workspace } from '../workspace.ts';
import { pathOf, uriOf } from './file-uri.ts';

interface ChangedPath {
  readonly path: string;
  /** Whether the path came, went, or stands for everything in it. */
  readonly isStructural: boolean;
}

function pathsOf(change: WorkspaceChange): ChangedPath[] {
  const { written, created, createdDirectories, deleted, renamed, unknownBelow } = change;
  const moved = renamed.flatMap(({ from, to }) => [from, to]);
  const structural = new Set([...created, ...createdDirectories, ...deleted, ...moved, ...unknownBelow]);
  return [...new Set([...written, ...structural])].map((path) => ({ path, isStructural: structural.has(path) }));
}

/** Returns a canonical path as it is spelled below each root that has it. `bases` are the canonical roots. */
function spellings(changed: ChangedPath, roots: readonly string[], bases: readonly string[]): ChangedPath[] {
  return roots.flatMap((root, index) => {
    const base = bases[index] ?? root;
    return isWithin(changed.path, base) ? [{ ...changed, path: join(root, relative(base, changed.path)) }] : [];
  });
}

function changesOf({ path, isStructural }: ChangedPath): ResourceChange[] {
  if (!isStructural) return [{ kind: 'resource-update', uri: uriOf(path) }];
  return [
    { kind: 'resource-update', uri: uriOf(path), below: true },
    // The listing of its directory.
    { kind: 'resource-update', uri: uriOf(dirname(path)) },
  ];
}

/**
 * Makes the announcer of the files below the roots: every commit of a workspace of this process. A path is announced under the
 * roots as the caller spelled them, so under the URIs of the list. Other spellings, and paths through links, are not announced.
 */
export function fileChanges(workspace: Workspace, roots: readonly string[]): ResourceChanges {
  const basesOf = canonicalRoots(workspace.operations, roots);
  return {
    announces: (uri) => {
      const path = pathOf(uri);
      return path !== undefined && uriOf(resolve(path)) === uri && roots.some((root) => isWithin(path, root));
    },
    onChange: (listener) => {
      const announce = async (change: WorkspaceChange): Promise<void> => {
        const real = await basesOf();
        const paths = pathsOf(change).flatMap((changed) => spellings(changed, roots, real));
        for (const path of paths) for (const one of changesOf(path)) listener(one);
        if (paths.some(({ isStructural }) => isStructural)) listener({ kind: 'list-change' });
      };
      return onAnyChange((change) => void announce(change));
    },
  };
}
