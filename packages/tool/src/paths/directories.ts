import { join, posix, win32 } from 'node:path';

/** The facts that determine the directories of a user. `userDirectories` reads nothing from the process. */
export interface DirectoryContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home directory, absolute. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** The directories in which Cairn keeps files of one user. They need not exist. */
interface UserDirectories {
  /** Files that the user writes: agent definitions, settings. */
  readonly config: string;
  /** Files that the user wants to keep: memory, knowledge. */
  readonly data: string;
  /** Files that survive a restart, but may be lost: undo notes, journals. */
  readonly state: string;
  /** Files that can be made again. */
  readonly cache: string;
}

const NAME = 'cairn';

/**
 * Returns the directories of a user.
 *
 * - Linux and other systems: the XDG base directory specification. A variable with a relative path is ignored, as it demands.
 * - macOS: the same variables; the defaults are `~/Library/Application Support` for data and `~/Library/Caches` for caches.
 * - Windows: `%LOCALAPPDATA%`, and `%APPDATA%` for configuration.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function userDirectories({ env, home, platform }: DirectoryContext): UserDirectories {
  if (platform === 'win32') {
    const setting = (name: string): string | undefined => absolute(env[name], (path) => win32.isAbsolute(path));
    const local = win32.join(setting('LOCALAPPDATA') ?? win32.join(home, 'AppData', 'Local'), NAME);
    const roaming = win32.join(setting('APPDATA') ?? win32.join(home, 'AppData', 'Roaming'), NAME);
    return { config: roaming, data: local, state: local, cache: win32.join(local, 'cache') };
  }
  const isMac = platform === 'darwin';
  const below = (variable: string, ...fallback: readonly string[]): string =>
    posix.join(absolute(env[variable], (path) => posix.isAbsolute(path)) ?? posix.join(home, ...fallback), NAME);
  return {
    config: below('XDG_CONFIG_HOME', '.config'),
    data: isMac ? below('XDG_DATA_HOME', 'Library', 'Application Support') : below('XDG_DATA_HOME', '.local', 'share'),
    state: below('XDG_STATE_HOME', '.local', 'state'),
    cache: isMac ? below('XDG_CACHE_HOME', 'Library', 'Caches') : below('XDG_CACHE_HOME', '.cache'),
  };
}

function absolute(value: string | undefined, isAbsolute: (path: string) => boolean): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** Returns the directory in which Cairn keeps the files of a project: `.cairn` in its root. */
export function projectDirectory(root: string): string {
  return join(root, '.cairn');
}
