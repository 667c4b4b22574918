/**
 * Space that is kept free for a full disk. To remove a record, SQLite writes the changed pages to its log first, and to open a file,
 * it creates the index of the log. The reserve is a file next to the store that gives its space up for that.
 */
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

const CHUNK_BYTES: number = 64 * 1024;
/** For the log of a removal, which has each changed page once. */
const MAX_BYTES: number = 1024 * 1024;
/** A smaller file has fewer pages: all of them, and the index of the log. */
const MIN_BYTES: number = 320 * 1024;

function reservePath(store: string): string {
  return `${store}-reserve`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Fills the reserve of a store, as far as there is space. */
export function fillReserve(store: string): void {
  const path = reservePath(store);
  try {
    const wanted = sizeOf(store) > MIN_BYTES ? MAX_BYTES : MIN_BYTES;
    let size = sizeOf(path);
    if (size >= wanted) return;
    const handle = openSync(path, 'a', 0o600);
    try {
      // Bytes that a file system cannot store as a hole.
      for (const chunk = Buffer.alloc(CHUNK_BYTES, 0x2e); size < wanted; size += CHUNK_BYTES) writeSync(handle, chunk);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The disk is full. The bytes that fit are kept.
  }
}

/** Gives the space of the reserve up. @returns whether there was any. */
export function releaseReserve(store: string): boolean {
  const path = reservePath(store);
  if (sizeOf(path) === 0) return false;
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    // The file of another user, who shares the store.
    return false;
  }
}
