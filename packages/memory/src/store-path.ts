import { projectDirectory, userDirectories, type DirectoryContext } from '@cairn/tool/paths';
import { join } from 'node:path';

const FILE = 'memory.db';

/** Returns the path of the user's store: `memory.db` in the user's data directory, see `userDirectories` of `@cairn/tool/paths`. */
export function userStorePath(context: DirectoryContext): string {
  return join(userDirectories(context).data, FILE);
}

/** Returns the path of a project's store: `.cairn/memory.db` below its root. */
export function projectStorePath(project: string): string {
  return join(projectDirectory(project), FILE);
}
