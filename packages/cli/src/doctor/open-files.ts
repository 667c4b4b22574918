import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCount } from '../terminal/text.ts';
import { ok, skip, warn, type Check } from './check.ts';

/** Searches keep a few files open on each thread; a server with sessions, some more. */
const FEWEST = 1024;

export const openFilesCheck: Check = {
  name: 'open files',
  run: async ({ platform, proc }) => {
    if (platform !== 'linux') return skip('the limit is not looked up on this system');
    const limits = await readFile(join(proc, 'self', 'limits'), 'utf8').catch(() => '');
    const soft = /^Max open files\s+(\S+)/mu.exec(limits)?.[1];
    if (soft === undefined) return skip('the system does not tell the limit');
    if (soft === 'unlimited') return ok('without limit');
    const found = `${formatCount(Number(soft))} at once`;
    return Number(soft) < FEWEST
      ? warn(found, `run 'ulimit -n 4096' in the shell, or raise nofile in /etc/security/limits.conf`)
      : ok(found);
  },
};
