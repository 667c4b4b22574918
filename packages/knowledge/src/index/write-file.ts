import { writeAtomically } from '@cairn/tool/kernel';
import { TEMPORARY_NAME } from '@cairn/tool/internal';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KnowledgeError } from '../errors.ts';

/** A process that writes a file needs less. */
const ABANDONED_MS = 60_000;

/** Replaces a file unless it has exactly these bytes. @throws {KnowledgeError} `STORE_FAILED`; the old file stays. */
export async function replaceFile(path: string, data: Buffer): Promise<void> {
  // Missing, or not readable: writing it reports why.
  const present = await readFile(path).catch(() => undefined);
  if (present?.equals(data) === true) return;
  try {
    await writeAtomically(path, data);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint =
      'The assets are stored, and the file before stays. Free space or get write permission, then write the index again.';
    throw new KnowledgeError('STORE_FAILED', [`Cannot write ${path}: ${reason}`, hint], { path, cause: error });
  }
}

/** Removes what killed processes left of writing a file. */
export async function removeAbandoned(path: string): Promise<void> {
  const nowMs = Date.now();
  for (const entry of await readdir(dirname(path)).catch(() => [])) {
    if (TEMPORARY_NAME.exec(entry)?.groups?.['name'] !== basename(path)) continue;
    const temporary = join(dirname(path), entry);
    const stats = await stat(temporary).catch(() => undefined);
    if (stats === undefined || nowMs - stats.mtimeMs <= ABANDONED_MS) continue;
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
