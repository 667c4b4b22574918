import { homedir, tmpdir, userInfo } from 'node:os';
import { isAbsolute, join, posix, win32 } from 'node:path';
import process from 'node:process';

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

function absolute(value: string | undefined, isRooted: (path: string) => boolean): string | undefined {
  return value !== undefined && isRooted(value) ? value : undefined;
}

/** Returns the directory in which Cairn keeps the files of a project: `.cairn` in its root. */
export function projectDirectory(root: string): string {
  return join(root, '.cairn');
}

/**
 * Returns the home directory of the user of this process. A relative or empty `HOME` is ignored, so that files of the user do not
 * land in the working directory; the user database of the system names the directory then.
 */
export function homeDirectory(env: DirectoryContext['env'] = process.env): string {
  return [env['HOME'], homedir()].find((path) => path !== undefined && isAbsolute(path)) ?? userInfo().homedir;
}

/** The facts about a user that the user database of the system holds. */
interface Account {
  /** -1 on Windows. */
  readonly uid: number;
  /** Absent without an entry in the user database. */
  readonly homedir?: string | undefined;
}

function accountOfProcess(): Account {
  try {
    return userInfo();
  } catch {
    return { uid: process.geteuid?.() ?? -1 };
  }
}

/**
 * Returns the directories for one kind of state that all processes of a user share, the preferred one first. They depend on the
 * user database alone, not on `HOME`, `TMPDIR` or the XDG variables: two processes with different variables must find the same
 * state. They survive a reboot and need not exist.
 *
 * - `.local/state/cairn/<name>` in the home directory of the user database; on Windows `AppData\\Local\\cairn\\<name>`.
 * - `/var/tmp/cairn-<uid>-<name>`, for a user whose home directory does not exist or is not writable. Others may have created it
 *   first, so check its owner. It is directly in `/var/tmp`: the owner of a directory between could replace it after that check.
 */
export function accountStateDirectories(
  name: string,
  account: Account = accountOfProcess(),
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const { uid, homedir: home } = account;
  const paths = platform === 'win32' ? win32 : posix;
  const own =
    home !== undefined && paths.isAbsolute(home)
      ? [paths.join(userDirectories({ env: {}, home, platform }).state, name)]
      : [];
  return platform === 'win32' ? own : [...own, `/var/tmp/cairn-${uid}-${name}`];
}

/**
 * Returns the system's directory for temporary files. A relative `TMPDIR` is ignored: it names another directory in each working
 * directory, so processes would not see the locks of one another.
 */
export function temporaryDirectory(directory: string = tmpdir()): string {
  return isAbsolute(directory) ? directory : '/tmp';
}
