import type { WorkspaceChange } from '@cairn/coding-agent';

/** Returns all paths of a change. */
export function pathsOf({ written, createdDirectories, deleted, renamed }: WorkspaceChange): string[] {
  return [...written, ...createdDirectories, ...deleted, ...renamed.flatMap(({ from, to }) => [from, to])];
}
