import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stateDirectory } from '../terminal/user-directories.ts';
import { fail, ok, reasonOf, warn, type Check } from './check.ts';

async function nearest(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found ? path : nearest(dirname(path));
}

/** Where what undoes an installation is kept: it has to be writable, and nobody else's to read. */
export const stateDirectoryCheck: Check = {
  name: 'state',
  run: async ({ env, home, platform }) => {
    const directory = stateDirectory({ env, home, platform });
    const mend = 'set XDG_STATE_HOME to a directory of yours';
    try {
      const existing = await nearest(directory);
      const stats = await stat(existing);
      if (!stats.isDirectory()) return fail(`${existing} is no directory`, mend);
      await access(existing, constants.W_OK | constants.X_OK);
      if (existing !== directory) return ok(`${directory} (not there yet)`);
      if (platform !== 'win32' && (stats.mode & 0o077) !== 0) {
        return warn(`${directory} can be looked into by others`, `chmod 700 ${directory}`);
      }
      return ok(directory);
    } catch (error) {
      return fail(`${directory} cannot be used: ${reasonOf(error)}`, mend);
    }
  },
};
