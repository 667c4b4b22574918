import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ok, reasonOf, warn, type Check } from './check.ts';

/** Far longer than git needs to print its version. */
const TIMEOUT_MS = 5000;

const fix = 'install git (https://git-scm.com) and add it to the PATH; searches apply .gitignore without it';

export const gitCheck: Check = {
  name: 'git',
  run: async ({ env, signal }) => {
    try {
      const options = { env: { ...env }, signal, timeout: TIMEOUT_MS };
      const { stdout } = await promisify(execFile)('git', ['--version'], options);
      const version = /^git version (\S+)/u.exec(stdout)?.[1];
      if (version !== undefined) return ok(version);
      return warn(`'git --version' printed "${stdout.split('\n', 1)[0] ?? ''}"`, fix);
    } catch (error) {
      signal.throwIfAborted();
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      return warn(isMissing ? 'git is not on the PATH' : `git does not run: ${reasonOf(error)}`, fix);
    }
  },
};
