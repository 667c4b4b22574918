/** Vectors as 16-bit numbers: as small as float16, and more exact, because the numbers of a unit vector are at most 1. */
import type { Vector } from '@cairn/retrieval';

const ONE = 0x7f_ff;

/** Returns the vector of length 1 with the same direction; `undefined` for one without a direction. */
export function unitNumbers(vector: Vector): Int16Array | undefined {
  let square = 0;
  for (let index = 0; index < vector.length; index++) square += (vector[index] ?? 0) ** 2;
  const length = Math.sqrt(square);
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  // Rounded towards zero, so that the vector is not longer than 1, and no sum of products overflows.
  return Int16Array.from({ length: vector.length }, (_, index) => Math.trunc(((vector[index] ?? 0) / length) * ONE));
}

/** Returns the cosine of two unit vectors from the sum of their products. */
export function similarityOf(product: number): number {
  return product / (ONE * ONE);
}

export function encodeNumbers(vectors: readonly Int16Array[]): string {
  return Buffer.concat(
    vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ).toString('base64');
}

/** Returns the vectors of a string; `undefined` when it does not have whole vectors. */
export function decodeNumbers(text: string, dimension: number): Int16Array[] | undefined {
  const bytes = Buffer.from(text, 'base64');
  const size = dimension * 2;
  if (bytes.length === 0 || bytes.length % size !== 0) return undefined;
  // A copy, because a buffer may begin at an odd place.
  const all = new Int16Array(bytes.length / 2);
  bytes.copy(new Uint8Array(all.buffer));
  return Array.from({ length: bytes.length / size }, (_, index) =>
    all.subarray(index * dimension, (index + 1) * dimension),
  );
}
