/** Memory for the content of a file, which may have been used before. */
interface PooledBuffer {
  readonly bytes: Buffer;
  /** Gives it back. Nobody may look at `bytes` from then on, nor may anything be under way that does. */
  readonly release: () => void;
}

/**
 * Keeps the memory of one large file for the next one. New memory of that size makes V8 collect its whole heap, which takes
 * longer than reading the file.
 */
export interface BufferPool {
  /** Memory of this many bytes, of any content. Who does not give it back leaves it to the garbage collector. */
  take(size: number): PooledBuffer;
}

/** Smaller buffers are made anew: V8 takes no notice of them. */
const LEAST_BYTES = 256 * 1024;

/** How much is kept at most. */
const MOST_BYTES = 16 * 1024 * 1024;

export function createBufferPool(): BufferPool {
  let idle: Buffer | undefined;
  const reuse = (size: number): Buffer | undefined => {
    if (idle === undefined || idle.length < size || size < LEAST_BYTES) return undefined;
    const buffer = idle;
    idle = undefined;
    return buffer;
  };
  return {
    take: (size) => {
      const whole = reuse(size) ?? Buffer.allocUnsafeSlow(size);
      let isHeld = true;
      return {
        bytes: whole.subarray(0, size),
        release: () => {
          const isKept = isHeld && whole.length >= LEAST_BYTES && whole.length <= MOST_BYTES;
          isHeld = false;
          if (isKept && whole.length >= (idle?.length ?? 0)) idle = whole;
        },
      };
    },
  };
}
