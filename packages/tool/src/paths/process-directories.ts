import { homedir, tmpdir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import process from 'node:process';

/** The variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the home directory of the user of this process. A relative or empty `HOME` is ignored, so that files of the user do not
 * land in the working directory; the user database of the system names the directory then.
 */
export function homeDirectory(env: Environment = process.env): string {
  return [env['HOME'], homedir()].find((path) => path !== undefined && isAbsolute(path)) ?? userInfo().homedir;
}

/**
 * Returns the system's directory for temporary files. A relative `TMPDIR` is ignored: it names another directory in each working
 * directory, so processes would not see the locks of one another.
 */
export function temporaryDirectory(directory: string = tmpdir()): string {
  return isAbsolute(directory) ? directory : '/tmp';
}
