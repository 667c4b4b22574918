const LF = 0x0a;

/** More summands would make the sum of one byte carry into the next. */
const MAX_SUMMANDS = 255;

/**
 * Counts line feeds in whole words, four bytes at a time. 10 MiB take 1.9 ms whatever its lines. A loop over the bytes takes
 * 7 ms; `indexOf` takes 40 ms for lines of 5 bytes, 10 ms for 20 and 2.7 ms for 80. A page at the end of 100 MiB takes 105 ms
 * instead of 166 ms with the loop.
 */
function countInWords(words: Int32Array): number {
  let count = 0;
  for (let at = 0; at < words.length;) {
    const end = Math.min(words.length, at + MAX_SUMMANDS);
    // For each of the four places in a word: the number of bytes there that are not a line feed.
    let others = 0;
    const begin = at;
    for (; at < end; at++) {
      // A byte of `other` is zero for a line feed; then the highest bit of each byte of the sum marks the other bytes.
      const other = (words[at] ?? 0) ^ 0x0a0a0a0a;
      const marks = (((other & 0x7f7f7f7f) + 0x7f7f7f7f) | other) >>> 7;
      others = (others + (marks & 0x01010101)) | 0;
    }
    const sum = (others & 0xff) + ((others >>> 8) & 0xff) + ((others >>> 16) & 0xff) + (others >>> 24);
    count += 4 * (end - begin) - sum;
  }
  return count;
}

/** Returns the number of line feeds from `start` to before `end`. */
export function countLineFeeds(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  let count = 0;
  for (; at < end && (bytes.byteOffset + at) % 4 !== 0; at++) if (bytes[at] === LF) count++;
  const wordCount = Math.max(0, end - at) >>> 2;
  // Without a whole word, `at` may not be aligned as an Int32Array needs.
  if (wordCount > 0) count += countInWords(new Int32Array(bytes.buffer, bytes.byteOffset + at, wordCount));
  for (at += wordCount * 4; at < end; at++) if (bytes[at] === LF) count++;
  return count;
}
