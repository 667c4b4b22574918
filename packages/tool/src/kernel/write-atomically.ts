import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The name of a temporary file of {@link writeAtomically}, with the name of its file. A killed process leaves it. */
export const TEMPORARY_NAME: RegExp = /^(?<name>.+)\.[0-9a-f]{12}\.tmp$/u;

/**
 * Replaces a whole file: a reader, or a killed process, has the old content or the new one. Creates the directory. Both are
 * readable by this user only. Rejects with the system's error; the old file stays.
 */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Not from `node:crypto`, which takes longer to load than all of the kernel. A name that is taken fails.
  const random = Math.floor(Math.random() * 2 ** 48).toString(16);
  const temporary = `${path}.${random.padStart(12, '0')}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
