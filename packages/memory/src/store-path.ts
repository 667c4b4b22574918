import { join } from 'node:path';

/** What decides where a store lies when nobody says so. */
export interface StorePlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

const FILE = 'memory.db';

/**
 * The store of a user: `~/.local/share/cairn/memory.db` (or below `XDG_DATA_HOME`), on macOS below
 * `~/Library/Application Support`, on Windows below `%LOCALAPPDATA%`.
 */
export function userStorePath({ env, home, platform }: StorePlace): string {
  const { XDG_DATA_HOME: data, LOCALAPPDATA: local } = env;
  if (data !== undefined && data.startsWith('/')) return join(data, 'cairn', FILE);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'cairn', FILE);
  if (platform === 'win32') return join(local ?? join(home, 'AppData', 'Local'), 'cairn', FILE);
  return join(home, '.local', 'share', 'cairn', FILE);
}

/** The store of a project: `.cairn/memory.db` in it. */
export function projectStorePath(project: string): string {
  return join(project, '.cairn', FILE);
}
