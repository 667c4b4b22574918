import { homedir, tmpdir, userInfo } from 'node:os';
import { isAbsolute, posix, win32 } from 'node:path';
import process from 'node:process';
import { userDirectories } from './directories.ts';

/** The variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the home directory of the user of this process. A relative or empty `HOME` is ignored, so that files of the user do not
 * land in the working directory; the user database of the system names the directory then.
 */
export function homeDirectory(env: Environment = process.env): string {
  return [env['HOME'], homedir()].find((path) => path !== undefined && isAbsolute(path)) ?? userInfo().homedir;
}

/** The facts about a user that the user database of the system holds. */
interface Account {
  /** -1 on Windows. */
  readonly uid: number;
  /** Absent without an entry in the user database. */
  readonly home?: string | undefined;
}

function accountOfProcess(): Account {
  try {
    const { uid, homedir: home } = userInfo();
    return { uid, home };
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
  const { uid, home } = account;
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
