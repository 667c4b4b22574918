import { checkArguments, RetrievalError } from './errors.ts';

/** Finite numbers, in an array or a typed array. */
export type Vector = ArrayLike<number>;

/**
 * Returns one vector per text, in the order of the texts. All vectors must have the same length. A call passes all texts at
 * once; the function splits them into the batches of its service.
 */
export type Embed = (
  texts: readonly string[],
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<readonly Vector[]>;

function embedFailed(problem: string, cause?: unknown): RetrievalError {
  const message =
    `The embed function ${problem}; fix it, remove it to rank by words only, or pass onNotice to fall back to words ` +
    'when it fails.';
  return new RetrievalError('EMBED_FAILED', message, cause === undefined ? {} : { cause });
}

function isVector(value: unknown): value is Vector {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return false;
  const numbers = Array.from(value as ArrayLike<unknown>);
  return numbers.length > 0 && numbers.every((one) => Number.isFinite(one));
}

/**
 * Calls an embed function and checks its result.
 *
 * @throws {RetrievalError} `EMBED_FAILED` when it throws or returns an invalid result; the reason of the signal when the
 *   signal was aborted.
 */
export async function embedAll(
  embed: Embed,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Vector[]> {
  let vectors: unknown;
  try {
    vectors = await embed(texts, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw embedFailed(`failed (${error instanceof Error ? error.message : String(error)})`, error);
  }
  signal?.throwIfAborted();
  if (!Array.isArray(vectors) || vectors.length !== texts.length) {
    const returned = Array.isArray(vectors) ? `${vectors.length} vectors` : typeof vectors;
    throw embedFailed(`returned ${returned} for ${texts.length} texts`);
  }
  const [first] = vectors;
  for (const vector of vectors) {
    if (!isVector(vector)) throw embedFailed('returned a vector that is empty or does not contain only finite numbers');
    if (vector.length !== first.length) {
      throw embedFailed(`returned vectors of ${first.length} and of ${vector.length} numbers`);
    }
  }
  return vectors as readonly Vector[];
}

/** Returns the cosine of two vectors, from -1 to 1; 0 when one of them is zero. */
export function cosineOf(left: Vector, right: Vector): number {
  let product = 0;
  let leftSquare = 0;
  let rightSquare = 0;
  for (let index = 0; index < left.length; index++) {
    const value = left[index] ?? 0;
    const other = right[index] ?? 0;
    product += value * other;
    leftSquare += value * value;
    rightSquare += other * other;
  }
  const lengths = Math.sqrt(leftSquare) * Math.sqrt(rightSquare);
  return lengths === 0 ? 0 : product / lengths;
}

/**
 * Wraps an embed function so that it embeds a string once, while it is among the `maxEntries` most recently used.
 *
 * Two simultaneous calls may both embed a string that is new to them. A failed call is not cached.
 *
 * @param maxEntries default 10,000: about 120 MB with 1,536 numbers each.
 */
export function cacheEmbeddings(embed: Embed, options: { readonly maxEntries?: number | undefined } = {}): Embed {
  checkArguments.options('cacheEmbeddings', options, { maxEntries: 'optional' });
  const { maxEntries = 10_000 } = options;
  if (!Number.isInteger(maxEntries) || maxEntries < 1) {
    throw new RetrievalError('INVALID_OPTION', `invalid maxEntries ${maxEntries}; use a whole number from 1.`, {
      option: 'maxEntries',
    });
  }
  const cache = new Map<string, Vector>();
  return async (texts, options) => {
    const missing = [...new Set(texts.filter((text) => !cache.has(text)))];
    const embedded = missing.length === 0 ? [] : await embedAll(embed, missing, options.signal);
    // Collected before anything is evicted: one call may ask for more texts than the cache keeps.
    const fresh = new Map(missing.map((text, index) => [text, embedded[index] ?? []]));
    const vectors = texts.map((text) => fresh.get(text) ?? cache.get(text) ?? []);
    for (const [index, text] of texts.entries()) {
      cache.delete(text);
      cache.set(text, vectors[index] ?? []);
    }
    for (const text of cache.keys()) {
      if (cache.size <= maxEntries) break;
      cache.delete(text);
    }
    return vectors;
  };
}
