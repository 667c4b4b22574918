import type { Knowledge } from '@cairn/knowledge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDirectory, removeTree } from '../support/tree.ts';
import { asked, type AskedKind } from './fixture/asked.ts';
import { fixtureAssets } from './fixture/assets.ts';
import { askedCountsOf, openFixture, searchAsked, type AskedOutcome } from './measure.ts';

let knowledge: Knowledge;
let outcomes: readonly AskedOutcome[];

const directory = newDirectory();

beforeAll(async () => {
  knowledge = await openFixture(directory);
  outcomes = await searchAsked(knowledge, asked);
});
afterAll(async () => {
  await knowledge.close();
  removeTree(directory);
});

test('30 questions of each kind have an answer, 60 have none, and half of each list is held out', () => {
  const ids = new Set(fixtureAssets().map(({ id }) => id));
  expect(new Set(asked.map(({ query }) => query)).size).toBe(asked.length);
  for (const { query, wanted, kind } of asked) {
    expect(wanted.length > 0, query).toBe(kind !== 'unanswerable');
    for (const id of wanted) expect(ids.has(id), id).toBe(true);
  }
  const kinds: Readonly<Record<AskedKind, number>> = {
    direct: 30,
    paraphrase: 30,
    symptom: 30,
    language: 30,
    typo: 30,
    short: 30,
    unanswerable: 60,
  };
  for (const [kind, count] of Object.entries(kinds)) {
    const own = asked.filter((one) => one.kind === kind);
    expect([own.length, own.filter(({ isHeldOut }) => isHeldOut).length], kind).toEqual([count, count / 2]);
  }
});

// The half for tuning: those that are held out must not decide a rule. It must not become worse unnoticed.
test.each<[kind: AskedKind, first: number, found: number, answered: number]>([
  ['direct', 15, 15, 15],
  ['paraphrase', 9, 10, 6],
  ['symptom', 13, 15, 12],
  ['language', 11, 12, 8],
  ['typo', 15, 15, 15],
  ['short', 15, 15, 15],
  ['unanswerable', 0, 0, 2],
])('%s: %i of 15 first, %i among five, %i answered unmarked', (kind, first, found, answered) => {
  const counts = askedCountsOf(outcomes.filter(({ question }) => question.kind === kind && !question.isHeldOut));
  expect(counts).toMatchObject({ first, found, answered });
});

test('no result is a better answer than the one above it, and each says what it has of the question', () => {
  for (const { question, results } of outcomes) {
    const marks = results.map(({ isSimilar }) => isSimilar === true);
    expect(
      marks.toSorted((left, right) => Number(left) - Number(right)),
      question.query,
    ).toEqual(marks);
    const unmarked = results.filter(({ isSimilar }) => isSimilar !== true);
    expect(
      unmarked.map(({ evidence }) => evidence?.strength ?? 0).every((strength) => strength >= 0.5),
      question.query,
    ).toBe(true);
  }
});
