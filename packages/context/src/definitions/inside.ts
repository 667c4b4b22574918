import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Returns whether a path is a directory or below it. Both are absolute and without links. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/**
 * Returns whether a path leads out of a project by a link, its own or one above it. A cloned repository may have such a link,
 * and the target would be sent to the model's server. A path that does not exist leads nowhere.
 */
export async function leadsOut(path: string, root: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  return real !== undefined && !isInside(real, await realpath(root).catch(() => resolve(root)));
}
