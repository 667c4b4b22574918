/** Smaller buffers are allocated each time: that costs little. */
const MIN_BYTES = 256 * 1024;

/** A larger buffer is not kept. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Keeps the memory of one large file for the next one. Without the pool, edits of 10 MiB in a row take three times the processor
 * time, and edits of 1 MiB 1.1 times.
 */
export class BufferPool {
  #idle: Buffer = Buffer.alloc(0);
  readonly #lent = new WeakSet<Buffer>();

  /** Returns memory of `size` bytes with any content. Memory that is not released goes to the garbage collector. */
  take(size: number): Buffer {
    const isReused = size >= MIN_BYTES && size <= this.#idle.length;
    const whole = isReused ? this.#idle : Buffer.allocUnsafeSlow(size);
    if (isReused) this.#idle = Buffer.alloc(0);
    const bytes = whole.subarray(0, size);
    this.#lent.add(bytes);
    return bytes;
  }

  /** Takes back what {@link take} returned. After that, nothing may read it, and no pending operation may use it. */
  release(bytes: Buffer): void {
    const { buffer } = bytes;
    const isKept = buffer.byteLength >= Math.max(MIN_BYTES, this.#idle.length) && buffer.byteLength <= MAX_BYTES;
    if (this.#lent.delete(bytes) && isKept) this.#idle = Buffer.from(buffer);
  }
}
