import { homedir } from 'node:os';
import * as nodeModule from 'node:module';
import { isAbsolute, join } from 'node:path';
import { userDirectories } from '@cairn/tool/paths';
import type { Environment } from './output.ts';

/**
 * Lets Node keep the compiled form of the modules loaded from here on, which takes a third off the start of a command. The
 * cache belongs to this user alone: Node trusts its content, and its default directory is one that other users can create first.
 * `NODE_DISABLE_COMPILE_CACHE` or a read-only directory switch it off.
 */
export function keepCompiled(env: Environment, platform: NodeJS.Platform): void {
  const { cache } = userDirectories({ env, home: env['HOME'] ?? homedir(), platform });
  // Without a home directory the path is relative, and would depend on the working directory.
  if (isAbsolute(cache)) nodeModule.enableCompileCache(join(cache, 'compiled'));
}
