import { createTermIndex } from '@cairn/retrieval';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usageLog } from './learned-ranking.examples.ts';
import { learnRanking } from './learned-ranking.ts';
import type { LearnedRanking, OpenedEvent, RankableResult } from './learned-ranking.ts';

const index = createTermIndex();
for (const { id, name, title, body } of usageLog) index.add({ id, text: `${name}\n${title}\n${body}`, timeMs: 0 });
const byId = new Map(usageLog.map((asset) => [asset.id, asset]));

/** Searches without learning. */
function search(query: string): RankableResult[] {
  const ranked = index.rank(query, 50);
  const best = ranked[0]?.score ?? 1;
  return ranked.map(({ id, score }) => ({ id, name: byId.get(id)?.name ?? '', score: (0.8 * score) / best }));
}

/** Searches as the layers do: with the suggested assets, then in the learned order. */
function answer(ranking: LearnedRanking, query: string): RankableResult[] {
  const found = search(query);
  const missing = ranking.suggest(query).filter((id) => found.every((result) => result.id !== id));
  const added = missing.map((id) => ({ id, name: byId.get(id)?.name ?? '', score: 0 }));
  return ranking.rerank(query, [...found, ...added]);
}

interface LoggedQuery {
  readonly asset: string;
  readonly query: string;
}

const logged = (isLearned: boolean): LoggedQuery[] =>
  usageLog.flatMap(({ id, queries }) => {
    const half = queries.length / 2;
    return (isLearned ? queries.slice(0, half) : queries.slice(half)).map((query) => ({ asset: id, query }));
  });
/** The first half in the order of time. */
const learned = logged(true);
const heldOut = logged(false);

function eventsOf(queries: readonly LoggedQuery[]): OpenedEvent[] {
  return queries.map(({ asset, query }, place) => ({ asset, query, session: `session ${place}` }));
}

/** Returns the mean of 1 / place of the asset that was opened; an asset that is not found counts 0. */
function meanReciprocalRank(queries: readonly LoggedQuery[], events: readonly OpenedEvent[]): number {
  const ranking = learnRanking(events);
  const ranks = queries.map(({ asset, query }) => {
    const place = answer(ranking, query).findIndex(({ id }) => id === asset);
    return place === -1 ? 0 : 1 / (place + 1);
  });
  return ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
}

/** Each asset is opened after the questions of another one. */
function misleadingEvents(): OpenedEvent[] {
  return eventsOf(
    learned.map(({ query }, place) => ({ query, asset: usageLog[(place * 7 + 5) % usageLog.length]?.id ?? '' })),
  );
}

test('a replayed log raises the mean reciprocal rank of the half that was held out', () => {
  const before = meanReciprocalRank(heldOut, []);
  const after = meanReciprocalRank(heldOut, eventsOf(learned));
  expect(before).toBeCloseTo(0.72, 2);
  expect(after).toBeGreaterThan(before + 0.05);
});

test('a replayed log does not depend on the order of its events, nor on how often it is replayed', () => {
  const events = eventsOf(learned);
  const again = JSON.parse(JSON.stringify(events.toReversed())) as OpenedEvent[];
  for (const { query } of heldOut) {
    const ids = (log: readonly OpenedEvent[]): string[] => answer(learnRanking(log), query).map(({ id }) => id);
    expect(ids(again)).toEqual(ids(events));
    expect(ids([...events, ...events])).toEqual(ids(events));
  }
});

test('openings without a reason cost little', () => {
  const before = meanReciprocalRank(heldOut, []);
  expect(meanReciprocalRank(heldOut, misleadingEvents())).toBeGreaterThan(before - 0.1);
});

test('without events the ranking is that of the search', () => {
  const { rerank, suggest } = learnRanking([]);
  for (const { query } of heldOut) {
    expect(rerank(query, search(query))).toEqual(search(query));
    expect(suggest(query)).toEqual([]);
  }
});

test('an asset that was opened after the same query moves up, and not to the top at once', () => {
  const results = [
    { id: 'a/one', name: 'one', score: 0.9 },
    { id: 'a/two', name: 'two', score: 0.5 },
  ];
  const opened = (sessions: number): OpenedEvent[] =>
    Array.from({ length: sessions }, (_, session) => ({ asset: 'a/two', query: 'disk full', session: `${session}` }));
  const order = (events: readonly OpenedEvent[]): string[] =>
    learnRanking(events)
      .rerank('disk full', results)
      .map(({ name }) => name);
  expect(order(opened(1))).toEqual(['one', 'two']);
  expect(order([...opened(1), ...opened(1)])).toEqual(['one', 'two']);
  const near = [{ id: 'a/one', name: 'one', score: 0.7 }, ...results.slice(1)];
  expect(
    learnRanking(opened(20))
      .rerank('disk full', near)
      .map(({ name }) => name),
  ).toEqual(['two', 'one']);
  expect(learnRanking(opened(1)).suggest('disk full')).toEqual(['a/two']);
  expect(learnRanking(opened(20)).suggest('printer jam')).toEqual([]);
});

const anyResult = fc.constantFrom(...usageLog);
const anyLog = fc.array(
  fc.record({
    asset: fc.constantFrom(...usageLog.map(({ id }) => id)),
    session: fc.constantFrom('a', 'b', 'c', 'd'),
    query: fc.oneof(
      fc.constantFrom(...usageLog.flatMap(({ name, queries }) => [name, name.replaceAll('-', ' '), ...queries])),
      fc.string({ unit: 'grapheme' }),
    ),
  }),
  { maxLength: 200 },
);

test('no log moves the asset with exactly the name that was asked for from the first place', () => {
  const spellings = [
    (name: string) => name,
    (name: string) => name.replaceAll('-', ' '),
    (name: string) => name.toUpperCase().replaceAll('-', '_'),
  ];
  const anyScores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: usageLog.length,
    maxLength: usageLog.length,
  });
  fc.assert(
    fc.property(anyLog, anyResult, fc.constantFrom(...spellings), anyScores, (events, { id, name }, spell, scores) => {
      const results = usageLog.map((other, place) => ({ id: other.id, name: other.name, score: scores[place] ?? 0 }));
      // Another asset again and again, after exactly this query.
      const against = Array.from({ length: 50 }, (_, session) => ({
        asset: usageLog.find((other) => other.id !== id)?.id ?? '',
        query: spell(name),
        session: `${session}`,
      }));
      const ranked = learnRanking([...events, ...against]).rerank(spell(name), results);
      expect(ranked[0]?.id).toBe(id);
      expect(ranked[0]?.score).toBe(Math.max(...ranked.map(({ score }) => score)));
    }),
  );
});

test('any log keeps every result once, and scores that stay from 0 to 1 and never rise', () => {
  fc.assert(
    fc.property(anyLog, fc.constantFrom(...heldOut, ...learned), (events, { query }) => {
      const found = search(query);
      const ranked = learnRanking(events).rerank(query, found);
      expect(new Set(ranked.map(({ id }) => id))).toEqual(new Set(found.map(({ id }) => id)));
      expect(ranked).toHaveLength(found.length);
      const scores = ranked.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
    }),
  );
});
