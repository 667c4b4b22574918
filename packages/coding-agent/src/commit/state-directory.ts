import { explainSystemError, isMissing, ToolError } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import * as fs from 'node:fs/promises';
import process from 'node:process';

const HINT = 'Set TMPDIR to a directory that you can write to, or choose another directory with stateDirectory.';

/** The permissions that let the group or all others write. */
const OTHERS_MAY_WRITE = 0o022;

/**
 * Checks that this user owns the directory and that nobody else can write to it: the tools trust its content.
 *
 * @throws {ToolError} `PERMISSION`.
 */
async function requirePrivate(directory: string): Promise<void> {
  const name = `The state directory ${quotePath(directory)}`;
  const stats = await fs.lstat(directory);
  const own = process.getuid?.();
  if (!stats.isDirectory() || (own !== undefined && stats.uid !== own)) {
    throw new ToolError('PERMISSION', [`${name} belongs to another user or is not a directory`, HINT]);
  }
  if (own !== undefined && (stats.mode & OTHERS_MAY_WRITE) !== 0) {
    const hint = 'Remove that permission with chmod go-w, or choose another directory with stateDirectory.';
    throw new ToolError('PERMISSION', [`${name} is writable by other users`, hint]);
  }
}

/** Runs something on the state directory. System errors become `ToolError`s about it. */
async function explainingDirectory<T>(directory: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const explained = explainSystemError(error, `The state directory ${quotePath(directory)}`);
    if (ToolError.isInstance(error) || !ToolError.isInstance(explained)) throw error;
    throw new ToolError(explained.code, [explained.summary, HINT], { cause: error });
  }
}

/**
 * Creates the directory, private to this user, or checks that it is. Called each time, because a cleaner of temporary files may
 * have removed it.
 *
 * @throws {ToolError} when it cannot be used.
 */
export async function prepareStateDirectory(directory: string): Promise<void> {
  await explainingDirectory(directory, async () => {
    await fs.mkdir(directory, { recursive: true, mode: 0o700 });
    await requirePrivate(directory);
  });
}

/**
 * Returns the names in the directory; none when it does not exist yet.
 *
 * @throws {ToolError} when it cannot be used, before anything in it is read.
 */
export async function listStateDirectory(directory: string): Promise<string[]> {
  return explainingDirectory(directory, async () => {
    try {
      await requirePrivate(directory);
      return await fs.readdir(directory);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  });
}
