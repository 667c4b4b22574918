import type { FileOperations } from '@cairn/coding-agent';

const inners = new WeakMap<FileOperations, FileOperations>();

/** Notes which operations cached ones are made of. */
export function noteInner(cached: FileOperations, inner: FileOperations): void {
  inners.set(cached, inner);
}

/** Returns the operations that cached ones are made of; others are returned as they are. */
export function innerOf(operations: FileOperations): FileOperations {
  return inners.get(operations) ?? operations;
}
