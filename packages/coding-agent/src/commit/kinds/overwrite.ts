import { readBytes, withFile, type FileOperations, type OpenFile } from '../../files/operations.ts';
import type { Change, ChangeKind, ChangeTools, Progress, Replacement } from '../change.ts';
import { expects, hashAt, inodeOf } from '../mark.ts';
import { isThere, removeFile, statOf } from '../temporary.ts';

/** Reserves the space of a longer content before the old content changes. */
async function extend(file: OpenFile, bytes: Uint8Array): Promise<void> {
  const { size } = await file.stat();
  if (bytes.length <= size) return;
  try {
    await file.write(bytes.subarray(size), size);
  } catch (error) {
    await file.truncate(size);
    throw error;
  }
}

/**
 * Writes the content of a file over another one, which keeps its other names, its owner and its attributes. Whenever it stops,
 * each byte of the target is an old or a new one.
 */
async function writeOver(operations: FileOperations, source: string, target: string): Promise<void> {
  const bytes = await withFile(operations, source, 'read', readBytes);
  await withFile(operations, target, 'update', async (file) => {
    await extend(file, bytes);
    await file.write(bytes, 0);
    await file.truncate(bytes.length);
    await file.sync();
  });
}

async function inspect({ operations }: ChangeTools, change: Replacement): Promise<Progress> {
  const { path, temporary, spare, before, after } = change;
  const stat = await statOf(operations, path);
  // A move that comes before is still to be made.
  if (stat === undefined) return 'unapplied';
  if (stat.kind !== 'file' || inodeOf(stat) !== before.inode) return 'conflict';
  if ((await hashAt(operations, path, stat)) === after.hash) return 'applied';
  const sizes = [await statOf(operations, temporary), await statOf(operations, spare)].map((file) => file?.size ?? NaN);
  // A file that was half written has lost nothing, and grown no further than its new content.
  if (!(stat.size >= Math.min(...sizes) && stat.size <= Math.max(...sizes))) return 'conflict';
  const bytesOf = (from: string): Promise<Buffer> => withFile(operations, from, 'read', readBytes);
  const [now, written, old] = [await bytesOf(path), await bytesOf(temporary), await bytesOf(spare)];
  // Each of its bytes is an old or a new one.
  return now.every((byte, at) => byte === written[at] || byte === old[at]) ? 'unapplied' : 'conflict';
}

export const overwrite: ChangeKind<Change & { readonly kind: 'overwrite' }> = {
  async apply({ operations }, { path, temporary }, expected) {
    if (!(await expected(path))) return false;
    await writeOver(operations, temporary, path);
    return true;
  },
  inspect,
  async revert({ operations }, { path, spare, before }, progress) {
    if (progress === 'conflict') return false;
    if (!(await isThere(operations, path)) || (await expects(operations, before)(path))) return true;
    await writeOver(operations, spare, path);
    return true;
  },
  async clean(operations, { temporary, spare }) {
    await removeFile(operations, temporary);
    await removeFile(operations, spare);
  },
};
