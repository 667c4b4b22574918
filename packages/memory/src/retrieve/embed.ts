import { RankError } from './errors.ts';

/** Finite numbers, in an array or a typed array. */
export type Vector = ArrayLike<number>;

/**
 * Gives each text its vector, in the order of the texts. All vectors that are compared have one length. Is given all
 * texts of a call at once: cutting them into the batches of a service is its own affair.
 */
export type Embed = (
  texts: readonly string[],
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<readonly Vector[]>;

function refuse(what: string, cause?: unknown): RankError {
  const message =
    `The embed function ${what}. Mend it, or leave it out to rank by words alone; ` +
    'with onNotice given, words alone are used by themselves.';
  return new RankError('EMBED_FAILED', message, cause === undefined ? {} : { cause });
}

function isVector(value: unknown): value is Vector {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return false;
  const numbers = Array.from(value as ArrayLike<unknown>);
  return numbers.length > 0 && numbers.every((one) => Number.isFinite(one));
}

/**
 * Calls an embed function and holds it to its contract.
 *
 * @throws {RankError} `EMBED_FAILED` when it fails or answers something else; what an aborted signal holds when that is why.
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
    throw refuse(`failed: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  signal?.throwIfAborted();
  if (!Array.isArray(vectors) || vectors.length !== texts.length) {
    const what = Array.isArray(vectors) ? `${vectors.length} vectors` : typeof vectors;
    throw refuse(`gave ${what} for ${texts.length} texts`);
  }
  const [first] = vectors;
  for (const vector of vectors) {
    if (!isVector(vector)) throw refuse('gave a vector that is empty or holds something else than finite numbers');
    if (vector.length !== first.length) throw refuse(`gave vectors of ${first.length} and of ${vector.length} numbers`);
  }
  return vectors as readonly Vector[];
}

/** How near two vectors point, from -1 to 1; 0 when one of them points nowhere. */
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
 * An embed function that remembers: a text is embedded once, as long as it is among the `maxEntries` that were used last.
 *
 * @param maxEntries default 10,000: with 1,536 numbers each, about 120 MB.
 * Two calls at a time may both embed a text that is new to them. What failed is not remembered.
 */
export function cacheEmbeddings(
  embed: Embed,
  { maxEntries = 10_000 }: { maxEntries?: number | undefined } = {},
): Embed {
  if (!Number.isInteger(maxEntries) || maxEntries < 1) {
    throw new RankError('INVALID_OPTION', `maxEntries is ${maxEntries}: give a whole number from 1.`, {
      option: 'maxEntries',
    });
  }
  const known = new Map<string, Vector>();
  return async (texts, options) => {
    const missing = [...new Set(texts.filter((text) => !known.has(text)))];
    const made = missing.length === 0 ? [] : await embedAll(embed, missing, options.signal);
    // Taken before anything is forgotten: one call may ask for more texts than are kept.
    const fresh = new Map(missing.map((text, index) => [text, made[index] ?? []]));
    const vectors = texts.map((text) => fresh.get(text) ?? known.get(text) ?? []);
    for (const [index, text] of texts.entries()) {
      known.delete(text);
      known.set(text, vectors[index] ?? []);
    }
    for (const text of known.keys()) {
      if (known.size <= maxEntries) break;
      known.delete(text);
    }
    return vectors;
  };
}
