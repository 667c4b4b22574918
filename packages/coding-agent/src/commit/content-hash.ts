import { createHash } from 'node:crypto';
import type { OpenFile } from '../files/operations.ts';
import type { Hash } from 'node:crypto';

/** The hash of a content that was read, and of contents that start like it. */
export interface ContentHash {
  /** The hash of the whole content, equal to `hashOf` of the ledger. */
  readonly value: string;
  /**
   * Returns the hash of another content that starts with the same `equalBytes` bytes.
   *
   * @param parts the whole other content.
   */
  ofSimilar(parts: readonly Uint8Array[], equalBytes: number): string;
}

/** Takes a content in order, chunk by chunk, while the next chunk is being read. */
export interface ContentHasher {
  readonly add: (chunk: Uint8Array) => void;
  readonly finish: () => ContentHash;
}

/** The state of a hash after the first `length` bytes. */
interface Checkpoint {
  readonly length: number;
  readonly hash: Hash;
}

function digest(hash: Hash): string {
  return hash.digest('hex');
}

/** Yields the content after its first `skipped` bytes. */
function* after(parts: readonly Uint8Array[], skipped: number): Generator<Uint8Array, void, undefined> {
  let left = skipped;
  for (const part of parts) {
    if (left < part.length) yield part.subarray(left);
    left = Math.max(0, left - part.length);
  }
}

/**
 * Makes a hasher with a checkpoint after each chunk, so that the hash of an edited file starts from the last checkpoint before
 * the edit. Measured without checkpoints: an edit at the end of 10 MiB takes 27 ms instead of 22 ms, at its start 25.5 ms
 * instead of 24.5 ms (minimum, in memory).
 */
export function createContentHasher(): ContentHasher {
  const hash = createHash('sha1');
  const checkpoints: Checkpoint[] = [{ length: 0, hash: hash.copy() }];
  let length = 0;
  return {
    add: (chunk) => {
      hash.update(chunk);
      length += chunk.length;
      checkpoints.push({ length, hash: hash.copy() });
    },
    finish: () => ({
      value: digest(hash),
      ofSimilar: (parts, equalBytes) => {
        const from = checkpoints.findLast((checkpoint) => checkpoint.length <= equalBytes);
        const resumed = from === undefined ? createHash('sha1') : from.hash.copy();
        for (const part of after(parts, from?.length ?? 0)) resumed.update(part);
        return digest(resumed);
      },
    }),
  };
}

const CHUNK_BYTES = 1024 * 1024;

/** Returns the hash of the first `length` bytes of a file, or of all when it has fewer, in little memory. */
export async function hashOfStart(file: OpenFile, length: number): Promise<string> {
  const hash = createHash('sha1');
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length));
  for (let at = 0; at < length;) {
    const filled = await file.read(chunk.subarray(0, length - at), at);
    if (filled === 0) break;
    hash.update(chunk.subarray(0, filled));
    at += filled;
  }
  return hash.digest('hex');
}
