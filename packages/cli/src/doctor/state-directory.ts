import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { userDirectories } from '@cairn/tool/paths';
import { fail, ok, reasonOf, warn, type Check } from './check.ts';

async function nearest(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found ? path : nearest(dirname(path));
}

/** The directory of undo notes must be writable for this user and closed to others. */
export const stateDirectoryCheck: Check = {
  name: 'state',
  run: async ({ env, home, platform }) => {
    const { state: directory } = userDirectories({ env, home, platform });
    const fix = 'set XDG_STATE_HOME to a directory that you can write to';
    try {
      const existing = await nearest(directory);
      const stats = await stat(existing);
      if (!stats.isDirectory()) return fail(`${existing} is not a directory`, fix);
      await access(existing, constants.W_OK | constants.X_OK);
      if (existing !== directory) return ok(`${directory} (does not exist yet)`);
      if (platform !== 'win32' && (stats.mode & 0o077) !== 0) {
        return warn(`other users can read ${directory}`, `chmod 700 ${directory}`);
      }
      return ok(directory);
    } catch (error) {
      return fail(`cannot use ${directory}: ${reasonOf(error)}`, fix);
    }
  },
};
