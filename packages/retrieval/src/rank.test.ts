import { describe, expect, test } from 'vitest';
import type { Embed } from './embed.ts';
import { rankDocuments } from './rank.ts';
import type { RankNotice } from './rank.ts';
import { createTermIndex } from './term-index.ts';
import type { RankDocument } from './term-index.ts';

const documents: readonly RankDocument[] = [
  { id: 'cat', text: 'the cat sleeps', timeMs: 1 },
  { id: 'dog', text: 'the dog barks', timeMs: 2 },
  { id: 'table', text: '这个表格有三行', timeMs: 3 },
];

/** Knows two meanings: animals and tables. */
const embed: Embed = (texts) =>
  Promise.resolve(texts.map((text) => (/cat|dog|animal/.test(text) ? [1, text.length / 1000, 0] : [0, 0, 1])));

async function rank(
  query: string,
  options: Partial<Parameters<typeof rankDocuments>[2]> = {},
): Promise<{ ids: string[]; notices: RankNotice['code'][] }> {
  const notices: RankNotice['code'][] = [];
  const onNotice = ({ code }: RankNotice): void => void notices.push(code);
  const ranked = await rankDocuments(query, documents, { limit: 5, onNotice, ...options });
  return { ids: ranked.map(({ id }) => id), notices };
}

test.each([
  ['a word', 'dog', ['dog'], []],
  ['an empty result has no notice', 'zebra', [], []],
  ['common words are searched for, with a notice', 'the', ['dog', 'cat'], ['COMMON_WORDS_ONLY', 'LITTLE_EVIDENCE']],
  ['a query without words has a notice', '?!', [], ['NOTHING_TO_SEARCH']],
  [
    'documents with little evidence are found, with a notice',
    'zebra giraffe parrot sleeps',
    ['cat'],
    ['LITTLE_EVIDENCE'],
  ],
  ['words of a similar spelling are found, with a notice', 'sleepppps', ['cat'], ['SIMILAR_WORDS_ONLY']],
])('%s', async (reason, query, ids, notices) => {
  expect(await rank(query), reason).toEqual({ ids, notices });
});

test('ranks like an index of the same documents', async () => {
  const index = createTermIndex();
  for (const document of documents) index.add(document);
  for (const query of ['the cat', '表格', 'sleps']) {
    expect(await rankDocuments(query, documents, { limit: 2 })).toEqual(index.rank(query, 2));
  }
});

test('marks documents with words of a similar spelling', async () => {
  const similar = [{ id: 'cat', score: expect.any(Number), isSimilar: true, matched: [] }];
  expect(await rankDocuments('sleepppps', documents, { limit: 5 })).toEqual(similar);
});

test('uses the last of two documents with the same id', async () => {
  const twice = [{ id: 'cat', text: 'the dog', timeMs: 9 }, ...documents];
  expect(await rankDocuments('dog', twice, { limit: 5 })).toEqual(await rankDocuments('dog', documents, { limit: 5 }));
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a limit of %s', async (limit) => {
  await expect(rankDocuments('dog', documents, { limit })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    option: 'limit',
  });
});

describe('a signal', () => {
  test('that is already aborted ends the call', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(rankDocuments('dog', documents, { limit: 1, signal })).rejects.toThrow('enough');
  });

  test('that is aborted between documents ends the call', async () => {
    const controller = new AbortController();
    let read = 0;
    function* endless(): Generator<RankDocument> {
      for (;;) {
        // Only other work can abort it, so that this ends only if other work runs in between.
        if (read === 3) setImmediate(() => controller.abort(new Error('enough')));
        yield { id: `${read++}`, text: 'word '.repeat(10_000), timeMs: 0 };
      }
    }
    await expect(rankDocuments('word', endless(), { limit: 1, signal: controller.signal })).rejects.toThrow('enough');
  });

  test('reaches the embed function', async () => {
    const { signal } = new AbortController();
    let seen: AbortSignal | undefined;
    const noting: Embed = (texts, options) => {
      seen = options.signal;
      return embed(texts, options);
    };
    await rank('dog', { embed: noting, signal });
    expect(seen).toBe(signal);
  });
});

describe('with an embed function', () => {
  test('finds by meaning what words do not find, and marks it', async () => {
    expect(await rank('an animal', { embed })).toEqual({ ids: ['dog', 'cat'], notices: ['LITTLE_EVIDENCE'] });
    const found = await rankDocuments('an animal', documents, { limit: 5, embed });
    expect(found.map(({ isSimilar }) => isSimilar)).toEqual([true, true]);
  });

  test('puts a document that is high in both rankings first', async () => {
    expect((await rank('which animal barks', { embed })).ids).toEqual(['dog', 'cat']);
  });

  test('marks what is near in meaning only, and not what has the words', async () => {
    expect(await rank('dog barks', { embed })).toEqual({ ids: ['dog', 'cat'], notices: [] });
    const found = await rankDocuments('dog barks', documents, { limit: 5, embed });
    expect(found.map(({ id, isSimilar }) => [id, isSimilar])).toEqual([
      ['dog', undefined],
      ['cat', true],
    ]);
  });

  test('ranks a query without words by meaning', async () => {
    const anything: Embed = (texts) => Promise.resolve(texts.map(() => [1]));
    expect(await rank('?', { embed: anything })).toEqual({
      ids: ['table', 'dog', 'cat'],
      notices: ['NOTHING_TO_SEARCH', 'LITTLE_EVIDENCE'],
    });
  });

  test('ignores words of a similar spelling', async () => {
    expect(await rank('animal barkssss', { embed })).toEqual({ ids: ['cat', 'dog'], notices: ['LITTLE_EVIDENCE'] });
  });

  test('keeps the limit', async () => {
    expect((await rank('the animal', { embed, limit: 1 })).ids).toHaveLength(1);
  });

  test('accepts an empty list of documents', async () => {
    expect(await rankDocuments('dog', [], { limit: 5, embed })).toEqual([]);
  });

  const failing: Embed = () => Promise.reject(new Error('rate limit'));

  test('a failed embed function fails the call', async () => {
    const failure = rankDocuments('dog', documents, { limit: 5, embed: failing });
    await expect(failure).rejects.toMatchObject({ code: 'EMBED_FAILED', message: /rate limit/ });
  });

  test('with onNotice, a failed embed function falls back to words', async () => {
    expect(await rank('dog', { embed: failing })).toEqual({ ids: ['dog'], notices: ['EMBED_FAILED'] });
  });

  test('an abort is not a failure', async () => {
    const controller = new AbortController();
    const slow: Embed = () => {
      controller.abort(new Error('enough'));
      return Promise.reject(new Error('aborted'));
    };
    await expect(rank('dog', { embed: slow, signal: controller.signal })).rejects.toThrow('enough');
  });
});
