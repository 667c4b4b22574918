import { addonCheck } from './addon.ts';
import type { Check } from './check.ts';
import { modelCheck } from './model.ts';
import { nodeVersionCheck } from './node-version.ts';
import { openFilesCheck } from './open-files.ts';
import { redisCheck } from './redis.ts';
import { sqliteCheck } from './sqlite.ts';
import { stateDirectoryCheck } from './state-directory.ts';
import { writingCheck } from './writing.ts';

/** The registry: a new check is one file and one line here. */
export const checks: readonly Check[] = [
  nodeVersionCheck,
  addonCheck,
  writingCheck,
  stateDirectoryCheck,
  sqliteCheck,
  redisCheck,
  modelCheck,
  openFilesCheck,
];
