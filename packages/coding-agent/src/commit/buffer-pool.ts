/** Memory for the content of a file, which may have been used before. */
interface PooledBuffer {
  readonly bytes: Buffer;
  /** Gives the memory back. After that, nothing may read `bytes`, and no pending operation may use it. */
  readonly release: () => void;
}

/**
 * Keeps the memory of one large file for the next one: new memory of that size makes V8 collect its whole heap. Without the pool,
 * edits of 10 MiB in a row take 1.4 times the processor time, and edits of 1 MiB 1.2 times.
 */
export interface BufferPool {
  /** Returns memory of `size` bytes with any content. Memory that is not released goes to the garbage collector. */
  take(size: number): PooledBuffer;
}

/** Smaller buffers are allocated each time: they do not make V8 collect. */
const MIN_BYTES = 256 * 1024;

/** A larger buffer is not kept. */
const MAX_BYTES = 16 * 1024 * 1024;

export function createBufferPool(): BufferPool {
  let idle: Buffer | undefined;
  const reuse = (size: number): Buffer | undefined => {
    if (idle === undefined || idle.length < size || size < MIN_BYTES) return undefined;
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
          const isKept = isHeld && whole.length >= MIN_BYTES && whole.length <= MAX_BYTES;
          isHeld = false;
          if (isKept && whole.length >= (idle?.length ?? 0)) idle = whole;
        },
      };
    },
  };
}
