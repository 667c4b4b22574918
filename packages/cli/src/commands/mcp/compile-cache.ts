import { homedir } from 'node:os';
import * as nodeModule from 'node:module';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../terminal/output.ts';

/** Where programs of this user keep what they can make again; `undefined` when nobody can tell. */
function cacheHome(env: Environment, platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32') return env['LOCALAPPDATA'];
  const home = env['HOME'] ?? homedir();
  if (platform === 'darwin') return join(home, 'Library/Caches');
  return env['XDG_CACHE_HOME'] ?? join(home, '.cache');
}

/**
 * Lets Node keep the compiled form of what is loaded from here on, which takes a third off the start of a large command. It is
 * kept for this user alone: Node believes what it finds, and its own choice is a directory that others can make first. Where it
 * cannot be written, and with `NODE_DISABLE_COMPILE_CACHE`, nothing is kept.
 */
export function keepCompiled(env: Environment, platform: NodeJS.Platform): void {
  const directory = cacheHome(env, platform);
  // A relative path would lie in whatever directory this is started in.
  if (directory === undefined || !isAbsolute(directory)) return;
  // Since Node 22.8.
  nodeModule.enableCompileCache?.(join(directory, 'cairn', 'compiled'));
}
