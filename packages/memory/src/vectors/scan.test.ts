import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeNumbers, encodeNumbers, similarityOf, unitNumbers } from './numbers.ts';
import { piecesOf } from './pieces.ts';
import { VectorMemory } from './scan.ts';

async function scoresOf(memory: VectorMemory, query: Int16Array): Promise<number[]> {
  const all: number[] = [];
  for await (const { from, scores } of memory.scores(query)) {
    expect(from).toBe(all.length);
    all.push(...scores);
  }
  return all;
}

const vectors = fc.integer({ min: 1, max: 40 }).chain((dimension) =>
  fc.array(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: dimension, maxLength: dimension }), {
    minLength: 1,
    maxLength: 60,
  }),
);

test('scores are cosines, with instructions for vectors and without', async () => {
  await fc.assert(
    fc.asyncProperty(vectors, async (all) => {
      const units = all.flatMap((vector) => unitNumbers(vector) ?? []);
      const [query] = units;
      if (query === undefined) return;
      const sources = all.filter((vector) => unitNumbers(vector) !== undefined);
      const length = (vector: readonly number[]): number => Math.hypot(...vector);
      const exact = sources.map((vector) => {
        const product = vector.reduce((sum, one, index) => sum + one * (sources[0]?.[index] ?? 0), 0);
        return product / length(vector) / length(sources[0] ?? []);
      });
      for (const isFast of [true, false]) {
        const memory = new VectorMemory(query.length, { isFast });
        for (const [index, unit] of units.entries()) expect(memory.add(unit)).toBe(index);
        const found = (await scoresOf(memory, query)).map(similarityOf);
        expect(found).toHaveLength(exact.length);
        for (const [index, one] of found.entries()) expect(Math.abs(one - (exact[index] ?? 2))).toBeLessThan(0.001);
      }
    }),
    { numRuns: 100 },
  );
});

test('a slot is written again, and the memory grows without losing vectors', async () => {
  const memory = new VectorMemory(16);
  const axis = (index: number): Int16Array =>
    unitNumbers(Array.from({ length: 16 }, (_, at) => Number(at === index))) ?? new Int16Array();
  for (let index = 0; index < 20_000; index++) memory.add(axis(index % 16));
  memory.set(7, axis(3));
  const scores = await scoresOf(memory, axis(3));
  expect(scores.flatMap((score, index) => (similarityOf(score) > 0.99 ? [index] : [])).slice(0, 4)).toEqual([
    3, 7, 19, 35,
  ]);
  expect(scores.filter((score) => score > 0)).toHaveLength(1251);
});

test('vectors are the same after they were stored', () => {
  fc.assert(
    fc.property(vectors, (all) => {
      const units = all.flatMap((vector) => unitNumbers(vector) ?? []);
      if (units.length === 0) return;
      expect(decodeNumbers(encodeNumbers(units), units[0]?.length ?? 0)).toEqual(units);
    }),
  );
  expect(decodeNumbers('', 3)).toBeUndefined();
  expect(decodeNumbers(encodeNumbers([Int16Array.of(1, 2, 3, 4)]), 3)).toBeUndefined();
  expect(unitNumbers([0, 0])).toBeUndefined();
  expect(unitNumbers([Number.NaN, 1])).toBeUndefined();
});

test('the pieces of a text have all of it but blanks, and no half of a character', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('word ', '𝔘𝔫𝔦', 'end.\n\n', '部署。', 'x'.repeat(700)), { maxLength: 60 }),
      (parts) => {
        const text = parts.join('');
        const pieces = piecesOf(text);
        expect(pieces.join('').replaceAll(/\s/gu, '')).toBe(
          text.replaceAll(/\s/gu, '').slice(0, pieces.join('').replaceAll(/\s/gu, '').length),
        );
        expect(pieces.length === 48 || pieces.join('').replaceAll(/\s/gu, '') === text.replaceAll(/\s/gu, '')).toBe(
          true,
        );
        for (const piece of pieces) expect(/\p{Cs}/u.test(piece)).toBe(false);
      },
    ),
  );
});
