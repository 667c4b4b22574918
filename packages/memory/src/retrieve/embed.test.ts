import { describe, expect, test } from 'vitest';
import { cacheEmbeddings, cosineOf, embedAll } from './embed.ts';
import type { Embed } from './embed.ts';

/** Turns each text into its length, and notes what it was asked for. */
function counting(): { embed: Embed; asked: string[][] } {
  const asked: string[][] = [];
  const embed: Embed = (texts) => {
    asked.push([...texts]);
    return Promise.resolve(texts.map((text) => [text.length, 1]));
  };
  return { embed, asked };
}

const refused: readonly (readonly [reason: string, vectors: unknown, message: RegExp])[] = [
  ['nothing', undefined, /undefined for 2 texts/],
  ['too few', [[1]], /1 vectors for 2 texts/],
  ['too many', [[1], [1], [1]], /3 vectors for 2 texts/],
  ['no vectors', [1, 2], /finite/],
  ['empty vectors', [[], []], /empty/],
  ['no numbers', [['1'], ['2']], /finite/],
  ['not finite', [[1], [Number.NaN]], /finite/],
  ['of two lengths', [[1], [1, 2]], /of 1 and of 2 numbers/],
];

describe('an embed function is held to its contract', () => {
  test.each(refused)('it gave %s', async (reason, vectors, message) => {
    const embed = (() => Promise.resolve(vectors)) as unknown as Embed;
    const failure = embedAll(embed, ['a', 'b'], undefined);
    await expect(failure, reason).rejects.toMatchObject({ code: 'EMBED_FAILED' });
    await expect(failure, reason).rejects.toThrow(message);
  });

  test('typed arrays are vectors', async () => {
    const embed: Embed = () => Promise.resolve([new Float32Array([1, 0])]);
    await expect(embedAll(embed, ['a'], undefined)).resolves.toHaveLength(1);
  });

  test('what it throws is the cause', async () => {
    const cause = new Error('rate limit');
    const failure = embedAll(() => Promise.reject(cause), ['a'], undefined);
    await expect(failure).rejects.toMatchObject({ code: 'EMBED_FAILED', cause });
    await expect(failure).rejects.toThrow(/rate limit/);
  });

  test('it may throw before it has a promise', async () => {
    const embed: Embed = () => {
      throw new Error('no key');
    };
    await expect(embedAll(embed, ['a'], undefined)).rejects.toMatchObject({ code: 'EMBED_FAILED' });
  });

  test('an aborted call ends with the reason of its signal', async () => {
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
  ['nowhere', [0, 0], [1, 0], 0],
] as const)('vectors of %s', (reason, left, right, cosine) => {
  expect(cosineOf(left, right), reason).toBeCloseTo(cosine);
});

describe('a cache of embeddings', () => {
  test('asks for each text once', async () => {
    const { embed, asked } = counting();
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
    expect(asked).toEqual([['a', 'bb'], ['ccc']]);
  });

  test('forgets what was not used for longest, and answers with more than it keeps', async () => {
    const { embed, asked } = counting();
    const cached = cacheEmbeddings(embed, { maxEntries: 2 });
    expect(await cached(['a', 'bb', 'ccc'], {})).toHaveLength(3);
    await cached(['bb'], {});
    await cached(['dddd'], {});
    await cached(['bb', 'dddd'], {});
    expect(asked).toEqual([['a', 'bb', 'ccc'], ['dddd']]);
  });

  test('does not remember a failure', async () => {
    const { embed } = counting();
    let fails = true;
    const cached = cacheEmbeddings((...args) => (fails ? Promise.reject(new Error('away')) : embed(...args)));
    await expect(cached(['a'], {})).rejects.toMatchObject({ code: 'EMBED_FAILED' });
    fails = false;
    expect(await cached(['a'], {})).toEqual([[1, 1]]);
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses to keep %s', (maxEntries) => {
    expect(() => cacheEmbeddings(counting().embed, { maxEntries })).toThrow(/maxEntries/);
  });
});
