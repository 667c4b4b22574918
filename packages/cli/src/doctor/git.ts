import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ok, reasonOf, warn, type Check } from './check.ts';

/** No git takes nearly as long to say its version. */
const TIMEOUT_MS = 5000;

const mend = 'install git (https://git-scm.com) and put it on the PATH; searches read .gitignore without it';

export const gitCheck: Check = {
  name: 'git',
  run: async ({ env, signal }) => {
    try {
      const options = { env: { ...env }, signal, timeout: TIMEOUT_MS };
      const { stdout } = await promisify(execFile)('git', ['--version'], options);
      const version = /^git version (\S+)/u.exec(stdout)?.[1];
      if (version !== undefined) return ok(version);
      return warn(`what the PATH has as git answers '${stdout.split('\n', 1)[0] ?? ''}'`, mend);
    } catch (error) {
      signal.throwIfAborted();
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      return warn(isMissing ? 'it is not on the PATH' : `it does not run: ${reasonOf(error)}`, mend);
    }
  },
};
