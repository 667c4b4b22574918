/**
 * Space that is kept free for a full disk. To remove a record, SQLite writes the changed pages to its log first, and to open a file,
 * it creates the index of the log. The reserve is a file next to the store that gives its space up for that.
 */
import { closeSync, constants, fstatSync, rmSync, statSync, writeSync } from 'node:fs';
import { openOwn, regularFile } from './sqlite-file.ts';

const CHUNK_BYTES: number = 64 * 1024;
/** For the log of a removal, which has each changed page once. */
const MAX_BYTES: number = 1024 * 1024;
/** A smaller file has fewer pages: all of them, and the index of the log. */
const MIN_BYTES: number = 320 * 1024;

function reservePath(store: string): string {
  return `${store}-reserve`;
}

/** Fills the reserve of a store, as far as there is space. */
export function fillReserve(store: string): void {
  const path = reservePath(store);
  try {
    const wanted = (statSync(store, { throwIfNoEntry: false })?.size ?? 0) > MIN_BYTES ? MAX_BYTES : MIN_BYTES;
    if ((regularFile(path)?.size ?? 0) >= wanted) return;
    const handle = openOwn(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
    try {
      let { size } = fstatSync(handle);
      // Bytes that a file system cannot store as a hole.
      for (const chunk = Buffer.alloc(CHUNK_BYTES, 0x2e); size < wanted; size += CHUNK_BYTES) writeSync(handle, chunk);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The disk is full, and the bytes that fit are kept; or it is not a file of the store.
  }
}

/** Gives the space of the reserve up. @returns whether there was any. */
export function releaseReserve(store: string): boolean {
  const path = reservePath(store);
  if ((regularFile(path)?.size ?? 0) === 0) return false;
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    // The file of another user, who shares the store.
    return false;
  }
}
