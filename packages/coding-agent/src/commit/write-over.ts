import { readBytes, withFile } from '../files/operations.ts';
import type { FileOperations, OpenFile } from '../files/operations.ts';

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
export async function writeOver(operations: FileOperations, source: string, target: string): Promise<void> {
  const bytes = await withFile(operations, source, 'read', (file) => readBytes(file));
  await withFile(operations, target, 'update', async (file) => {
    await extend(file, bytes);
    await file.write(bytes, 0);
    await file.truncate(bytes.length);
    await file.sync();
  });
}
