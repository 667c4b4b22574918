import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCount } from '../terminal/text.ts';
import { ok, skip, warn, type Check } from './check.ts';

/** Enough for a search with a few open files per thread, and for a server with several sessions. */
const MIN_OPEN_FILES = 1024;

export const openFilesCheck: Check = {
  name: 'open files',
  run: async ({ platform, proc }) => {
    if (platform !== 'linux') return skip('not checked on this system');
    const limits = await readFile(join(proc, 'self', 'limits'), 'utf8').catch(() => '');
    const soft = /^Max open files\s+(\S+)/mu.exec(limits)?.[1];
    if (soft === undefined) return skip('the system does not report the limit');
    if (soft === 'unlimited') return ok('no limit');
    const message = `at most ${formatCount(Number(soft))}`;
    return Number(soft) < MIN_OPEN_FILES
      ? warn(message, `run 'ulimit -n 4096' in the shell, or raise nofile in /etc/security/limits.conf`)
      : ok(message);
  },
};
