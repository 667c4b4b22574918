import type { Knowledge } from '@cairn/knowledge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDirectory, removeTree } from '../support/tree.ts';
import { askAll, countsOf, openFixture } from './measure.ts';
import { usageLog } from './usage-log.ts';

const directory = newDirectory();
let knowledge: Knowledge;
beforeAll(async () => {
  knowledge = await openFixture(directory, true);
});
afterAll(async () => {
  await knowledge.close();
  removeTree(directory);
});

interface Opening {
  readonly asset: string;
  readonly query: string;
}

function half(from: number, to: number): Opening[] {
  return usageLog.flatMap(([asset, ...queries]) => queries.slice(from, to).map((query) => ({ asset, query })));
}

/** The earlier half of the log, and the later one, which the ranking does not learn. */
const [learned, heldOut] = [half(0, 2), half(2, 4)];

async function placeOf({ asset, query }: Opening): Promise<number> {
  const { results } = await knowledge.layers.search({ query, limit: 20 });
  return results.findIndex(({ id }) => id === asset) + 1;
}

/** Returns the mean of 1 / place of the asset that was opened; one that is not found counts 0. */
async function meanReciprocalRank(openings: readonly Opening[]): Promise<number> {
  let sum = 0;
  for (const opening of openings) {
    const place = await placeOf(opening);
    sum += place === 0 ? 0 : 1 / place;
  }
  return sum / openings.length;
}

async function replay(openings: readonly Opening[], session: string = ''): Promise<void> {
  for (const [place, opening] of openings.entries()) {
    knowledge.usage.recordOpened({ ...opening, session: `${session} ${place}` });
  }
  await knowledge.usage.flush();
}

test('a replayed log raises the mean reciprocal rank of the later half, and harms no other question', async () => {
  const others = countsOf(await askAll(knowledge, 'tuning'));
  const before = await meanReciprocalRank(heldOut);
  await replay(learned);
  const after = await meanReciprocalRank(heldOut);
  expect(before).toBeGreaterThan(0.3);
  expect(after).toBeGreaterThan(before + 0.2);
  const { found, first, answered, gaps } = countsOf(await askAll(knowledge, 'tuning'));
  expect({ found, first }).toEqual({ found: others.found, first: others.first });
  // An asset that is only suggested is marked, so that it answers no question.
  expect({ answered, gaps }).toEqual({ answered: others.answered, gaps: others.gaps });
});

test('an asset with exactly the name that is asked for stays first, whatever was opened after that name', async () => {
  // Skills are found by their type only.
  const { heads } = await knowledge.index.list();
  const names = [...new Set(heads.map(({ name }) => name))].slice(0, 60);
  const other = usageLog[0]?.[0] ?? '';
  const against = names.filter((name) => !other.endsWith(name)).map((query) => ({ asset: other, query }));
  for (let times = 0; times < 5; times++) await replay(against, `against ${times}`);
  for (const name of names) {
    const { results } = await knowledge.layers.search({ query: name, limit: 1 });
    expect(results[0]?.name).toBe(name);
  }
});
