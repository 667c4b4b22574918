import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { removeTree } from './remove-tree.ts';

/** A file system in memory: trees are made in a third of the time. */
const memory = '/dev/shm';
/** All tests together use less than a tenth of it. */
const MIN_FREE_BYTES = 2 * 1024 ** 3;

const MARK = 'CAIRN_TESTS_DIRECTORY';

function parent(): string {
  if (process.env['TMPDIR'] !== undefined || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= MIN_FREE_BYTES ? memory : tmpdir();
}

/**
 * Gives every run a temporary directory and a home of its own, so that tests see only what they made. The workers and
 * the processes that they start inherit both. `TMPDIR` chooses the file system.
 */
export default function setup(): () => void {
  // Each project of the configuration calls it.
  if (process.env[MARK] !== undefined) return () => undefined;
  const own = realpathSync(mkdtempSync(join(parent(), 'cairn-tests-')));
  // Tests that act as another user pass through it.
  chmodSync(own, 0o711);
  const home = join(own, 'home');
  mkdirSync(home);
  Object.assign(process.env, {
    [MARK]: own,
    TMPDIR: own,
    HOME: home,
    // Packages are installed from where the user of this machine installs them from.
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(process.env['HOME'] ?? '', '.npmrc'),
    GIT_CONFIG_NOSYSTEM: '1',
  });
  for (const name of ['GIT_CONFIG_GLOBAL', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'])
    delete process.env[name];
  return () => removeTree(own);
}
