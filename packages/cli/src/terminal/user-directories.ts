import { isAbsolute, join } from 'node:path';

interface UserContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Returns where Cairn keeps what outlives a restart: below `XDG_STATE_HOME`, or the system's equivalent. */
export function stateDirectory({ env, home, platform }: UserContext): string {
  const xdg = env['XDG_STATE_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'cairn');
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || home, 'cairn');
  return join(home, '.local', 'state', 'cairn');
}
