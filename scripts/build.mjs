/** All set-up and every build, without running anything: what `.ci/run` starts with. */
import { setUp } from './lib/setup.mjs';

const env = await setUp({ task: 'build', title: 'Building the addon and the packages' });
process.exitCode = env === undefined ? 1 : 0;
