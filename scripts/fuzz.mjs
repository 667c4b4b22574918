/**
 * `npm run fuzz [-- --cases N --seed S --only <fuzzer>]`: all set-up, then the long run of the differential tests.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { pinnedNode, root } from './lib/paths.mjs';
import { runAttached } from './lib/run.mjs';
import { setUp } from './lib/setup.mjs';

/** Trees in memory are made several times as fast as trees on a disk. */
const memory = '/dev/shm';

const env = await setUp({ task: 'build:native', title: 'Building the native addon (release)' });
process.exitCode =
  env === undefined
    ? 1
    : await runAttached({
        command: pinnedNode,
        args: [join(root, 'test', 'fuzz', 'main.ts'), ...process.argv.slice(2)],
        cwd: root,
        env: { ...(existsSync(memory) && { TMPDIR: memory }), ...process.env },
      });
