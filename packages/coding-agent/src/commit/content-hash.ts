import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';

/** The hash of a content that was read, and of contents that begin like it. */
export interface ContentHash {
  /** Of the whole content, as `hashOf` of the ledger gives it. */
  readonly value: string;
  /**
   * The hash of another content that begins with the same `equalBytes` bytes.
   *
   * @param parts the other content, all of it.
   */
  ofSimilar(parts: readonly Uint8Array[], equalBytes: number): string;
}

/** Takes a content in order, chunk by chunk, while more of it is being read. */
export interface ContentHasher {
  readonly add: (chunk: Uint8Array) => void;
  readonly finish: () => ContentHash;
}

/** The state of a hash when it had seen the first `length` bytes. */
interface Checkpoint {
  readonly length: number;
  readonly hash: Hash;
}

function digest(hash: Hash): string {
  return hash.digest('hex');
}

/** Leaves out the first `skipped` bytes of a content in parts. */
function* behind(parts: readonly Uint8Array[], skipped: number): Generator<Uint8Array, void, undefined> {
  let left = skipped;
  for (const part of parts) {
    if (left < part.length) yield part.subarray(left);
    left = Math.max(0, left - part.length);
  }
}

/** A hasher that can go on from the end of each chunk it was given. */
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
        for (const part of behind(parts, from?.length ?? 0)) resumed.update(part);
        return digest(resumed);
      },
    }),
  };
}
