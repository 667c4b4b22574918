import { TEMPORARY_NAME, writeAtomically } from '@cairn/tool/kernel';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KnowledgeError } from '../errors.ts';

/** A process that writes a file needs less. */
const ABANDONED_MS = 60_000;

/**
 * Replaces a file as a whole: a reader, or a kill, has the old content or the new one.
 *
 * @throws {KnowledgeError} `STORE_FAILED`; the old file stays.
 */
export async function replaceFile(path: string, data: Buffer): Promise<void> {
  try {
    await writeAtomically(path, data);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint =
      'The assets are stored, and the file before stays. Free space or get write permission, then write the index again.';
    throw new KnowledgeError('STORE_FAILED', [`Cannot write ${path}: ${reason}`, hint], { path, cause: error });
  }
}

/** Returns whether a file has exactly these first bytes and this size. */
export async function hasContent(path: string, start: Buffer, size: number = start.length): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      if ((await file.stat()).size !== size) return false;
      const { bytesRead, buffer } = await file.read(Buffer.alloc(start.length), 0, start.length, 0);
      return bytesRead === start.length && buffer.equals(start);
    } finally {
      await file.close();
    }
  } catch {
    // Missing, or not readable: writing it reports why.
    return false;
  }
}

/** Removes what killed processes left of writing these files. */
export async function removeAbandoned(paths: readonly string[]): Promise<void> {
  const nowMs = Date.now();
  const names = new Set(paths.map((path) => basename(path)));
  for (const directory of new Set(paths.map((path) => dirname(path)))) {
    const entries = await readdir(directory).catch(() => []);
    for (const entry of entries) {
      const name = TEMPORARY_NAME.exec(entry)?.groups?.['name'];
      if (name === undefined || !names.has(name)) continue;
      const path = join(directory, entry);
      const stats = await stat(path).catch(() => undefined);
      if (stats !== undefined && nowMs - stats.mtimeMs > ABANDONED_MS)
        await rm(path, { force: true }).catch(() => undefined);
    }
  }
}
