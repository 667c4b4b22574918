import { isWithin } from '@cairn/coding-agent/internal';
import type { WorkspaceChange } from '@cairn/coding-agent';
import { basename, dirname } from 'node:path';

/** Files that decide what list functions leave out, in their directory and all below it. */
export const IGNORE_FILES: readonly string[] = ['.gitignore', '.ignore'];

export function pathsOf({ written, createdDirectories, deleted, renamed }: WorkspaceChange): string[] {
  return [...written, ...createdDirectories, ...deleted, ...renamed.flatMap(({ from, to }) => [from, to])];
}

/** Returns whether a change may make the listing of a directory wrong: something changed below it, above it, or in its ignore rules. */
export function isAffected(directory: string, changed: readonly string[]): boolean {
  return changed.some(
    (path) =>
      isWithin(path, directory) ||
      isWithin(directory, path) ||
      (IGNORE_FILES.includes(basename(path)) && isWithin(directory, dirname(path))),
  );
}
