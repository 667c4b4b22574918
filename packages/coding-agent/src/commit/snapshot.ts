import { ToolError } from '@cairn/tool';
import { hashOf } from '../files/ledger.ts';
import { openResolved } from '../files/open-resolved.ts';
import { readBytes, withFile } from '../files/operations.ts';
import type { FileOperations, FileStat } from '../files/operations.ts';
import type { ResolvedPath } from '../files/resolve.ts';
import { createContentHasher } from './content-hash.ts';
import type { ContentHash } from './content-hash.ts';
import type { CommitScope } from './scope.ts';

/** The content and attributes of a file at one moment. */
export interface FileSnapshot {
  readonly bytes: Buffer;
  readonly stat: FileStat;
  readonly hash: ContentHash;
  /**
   * Gives the memory of `bytes` back when nothing uses it any more. Called after success only: after a failure, an operation may
   * still be using it.
   */
  readonly release: () => void;
}

/** Larger files are refused where a tool needs the whole content. */
export const MAX_BYTES_IN_MEMORY: number = 256 * 1024 * 1024;

/**
 * Reads and hashes a whole file.
 *
 * @throws {ToolError} `TOO_LARGE`, `STALE`, and what `requireFile` throws.
 */
export function takeFileSnapshot(workspace: CommitScope, target: ResolvedPath): Promise<FileSnapshot> {
  const { operations, buffers } = workspace;
  return openResolved(operations, target, 'read', async (file, stat) => {
    if (stat.size > MAX_BYTES_IN_MEMORY) {
      const summary = `${target.display} has ${stat.size} bytes, more than the limit of ${MAX_BYTES_IN_MEMORY} for changes`;
      throw new ToolError('TOO_LARGE', [summary, 'Change it with a program that streams, such as sed.'], {
        path: target.display,
      });
    }
    let release = (): void => undefined;
    const allocate = (size: number): Buffer => {
      const buffer = buffers.take(size);
      ({ release } = buffer);
      return buffer.bytes;
    };
    const hasher = createContentHasher();
    const bytes = await readBytes(file, { allocate, onChunk: hasher.add });
    return { bytes, stat, hash: hasher.finish(), release };
  });
}

/** Returns the hash of the content that replaces a snapshot. Equal bytes at the start are not hashed again. */
export function hashOfSuccessor(parts: readonly Buffer[], before: FileSnapshot | undefined): string {
  const [first] = parts;
  if (!first || !before) return hashOf(...parts);
  const isStart = first.buffer === before.bytes.buffer && first.byteOffset === before.bytes.byteOffset;
  return before.hash.ofSimilar(parts, isStart ? Math.min(first.length, before.bytes.length) : 0);
}

/** Two buffers of this size do not make V8 collect garbage. */
const CHUNK_BYTES = 256 * 1024;

/** Returns whether a file still has these bytes. The next chunk is read while one is compared. */
export async function holds(operations: FileOperations, path: string, bytes: Buffer): Promise<boolean> {
  // A link in the place of the file is not followed.
  const { kind, size } = await operations.lstat(path);
  if (kind !== 'file' || size !== bytes.length) return false;
  return withFile(operations, path, 'read', async (file) => {
    const chunks = [0, 1].map(() => Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes.length)));
    const readInto = async (chunk: Buffer | undefined, at: number): Promise<Buffer> => {
      const wanted = chunk?.subarray(0, bytes.length - at) ?? Buffer.alloc(0);
      return wanted.subarray(0, await file.read(wanted, at));
    };
    let next = readInto(chunks[0], 0);
    for (let at = 0, turn = 1; at < bytes.length; turn++) {
      const filled = await next;
      if (filled.length === 0) return false;
      const end = at + filled.length;
      // Awaited in the next turn, or when this one ends early below.
      next = end < bytes.length ? readInto(chunks[turn % 2], end) : Promise.resolve(filled);
      if (!filled.equals(bytes.subarray(at, end))) {
        await next;
        return false;
      }
      at = end;
    }
    return true;
  });
}
