/** Where things are in the checkout. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const executable = process.platform === 'win32' ? '.exe' : '';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Binaries of the root's dev dependencies. First on the PATH of every child, so that `node` is the pinned one. */
export const binDirectory = join(root, 'node_modules', '.bin');

/** The Node that runs the packages, whatever the machine's own Node is. */
export const pinnedNode = join(root, 'node_modules', 'node', 'bin', `node${executable}`);

export const turboEntry = join(root, 'node_modules', 'turbo', 'bin', 'turbo');

export const cliEntry = join(root, 'packages', 'cli', 'bin', 'cairn.js');

/** Each test runner leaves its own report here; the totals are summed from them. */
export const reportsDirectory = join(root, '.reports');
