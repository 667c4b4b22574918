import { describe, expect, test } from 'vitest';
import { cacheEmbeddings, cosineOf, embedAll } from './embed.ts';
import type { Embed } from './embed.ts';

/** Embeds each text as its length, and records the texts of each call. */
function counting(): { embed: Embed; calls: string[][] } {
  const calls: string[][] = [];
  const embed: Embed = (texts) => {
    calls.push([...texts]);
    return Promise.resolve(texts.map((text) => [text.length, 1]));
  };
  return { embed, calls };
}

const refused: readonly (readonly [reason: string, vectors: unknown, message: RegExp])[] = [
  ['undefined', undefined, /undefined for 2 texts/],
  ['too few vectors', [[1]], /1 vectors for 2 texts/],
  ['too many vectors', [[1], [1], [1]], /3 vectors for 2 texts/],
  ['numbers instead of vectors', [1, 2], /finite/],
  ['empty vectors', [[], []], /empty/],
  ['texts instead of numbers', [['1'], ['2']], /finite/],
  ['a number that is not finite', [[1], [Number.NaN]], /finite/],
  ['vectors of two lengths', [[1], [1, 2]], /of 1 and of 2 numbers/],
];

describe('an invalid result of an embed function fails', () => {
  test.each(refused)('%s', async (reason, vectors, message) => {
    const embed = (() => Promise.resolve(vectors)) as unknown as Embed;
    const failure = embedAll(embed, ['a', 'b'], undefined);
    await expect(failure, reason).rejects.toMatchObject({ code: 'EMBED_FAILED' });
    await expect(failure, reason).rejects.toThrow(message);
  });

  test('accepts typed arrays as vectors', async () => {
    const embed: Embed = () => Promise.resolve([new Float32Array([1, 0])]);
    await expect(embedAll(embed, ['a'], undefined)).resolves.toHaveLength(1);
  });

  test('keeps the error of the embed function as the cause', async () => {
    const cause = new Error('rate limit');
    const failure = embedAll(() => Promise.reject(cause), ['a'], undefined);
    await expect(failure).rejects.toMatchObject({ code: 'EMBED_FAILED', cause });
    await expect(failure).rejects.toThrow(/rate limit/);
  });

  test('catches an error that is thrown synchronously', async () => {
    const embed: Embed = () => {
      throw new Error('no key');
    };
    await expect(embedAll(embed, ['a'], undefined)).rejects.toMatchObject({ code: 'EMBED_FAILED' });
  });

  test('an aborted call rejects with the reason of its signal', async () => {
    const controller = new AbortController();
    const embed: Embed = () => {
      controller.abort(new Error('enough'));
      return Promise.reject(new Error('aborted'));
    };
    await expect(embedAll(embed, ['a'], controller.signal)).rejects.toThrow('enough');
  });
});

test.each([
  ['the same direction', [1, 2], [2, 4], 1],
  ['the opposite', [1, 0], [-3, 0], -1],
  ['a right angle', [1, 0], [0, 1], 0],
  ['zero', [0, 0], [1, 0], 0],
] as const)('the cosine of vectors: %s', (reason, left, right, cosine) => {
  expect(cosineOf(left, right), reason).toBeCloseTo(cosine);
});

describe('a cache of embeddings', () => {
  test('embeds each text once', async () => {
    const { embed, calls } = counting();
    const cached = cacheEmbeddings(embed);
    expect(await cached(['a', 'bb', 'a'], {})).toEqual([
      [1, 1],
      [2, 1],
      [1, 1],
    ]);
    expect(await cached(['bb', 'ccc'], {})).toEqual([
      [2, 1],
      [3, 1],
    ]);
    expect(await cached(['a'], {})).toEqual([[1, 1]]);
    expect(calls).toEqual([['a', 'bb'], ['ccc']]);
  });

  test('evicts the least recently used text, and returns more vectors than it keeps', async () => {
    const { embed, calls } = counting();
    const cached = cacheEmbeddings(embed, { maxEntries: 2 });
    expect(await cached(['a', 'bb', 'ccc'], {})).toHaveLength(3);
    await cached(['bb'], {});
    await cached(['dddd'], {});
    await cached(['bb', 'dddd'], {});
    expect(calls).toEqual([['a', 'bb', 'ccc'], ['dddd']]);
  });

  test('does not cache a failure', async () => {
    const { embed } = counting();
    let fails = true;
    const cached = cacheEmbeddings((...args) => (fails ? Promise.reject(new Error('away')) : embed(...args)));
    await expect(cached(['a'], {})).rejects.toMatchObject({ code: 'EMBED_FAILED' });
    fails = false;
    expect(await cached(['a'], {})).toEqual([[1, 1]]);
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses maxEntries %s', (maxEntries) => {
    expect(() => cacheEmbeddings(counting().embed, { maxEntries })).toThrow(/maxEntries/);
  });
});
