import { createTermIndex } from '@cairn/retrieval';
import { expect, test } from 'vitest';
import { facts } from './facts.ts';
import { questions } from './questions.ts';

const index = createTermIndex();
for (const [id, text] of facts) index.add({ id, text, timeMs: 0 });

/** Counts over the questions for tuning. Those that are held out must not decide a rule, so no test has their result. */
function countsOf(language: 'en' | 'zh'): Record<'found' | 'answered' | 'falselyAnswered', number> {
  const counts = { found: 0, answered: 0, falselyAnswered: 0 };
  for (const question of questions) {
    if (question.isHeldOut || question.language !== language) continue;
    const ranked = index.rank(question.query, 5);
    const right = ranked.filter(({ id }) => question.wanted.includes(id));
    if (right.length > 0) counts.found++;
    if (right.some(({ isSimilar }) => isSimilar !== true)) counts.answered++;
    if (question.wanted.length === 0 && ranked.some(({ isSimilar }) => isSimilar !== true)) counts.falselyAnswered++;
  }
  return counts;
}

test('30 questions in each language have an answer in each half, and 20 have none', () => {
  expect(new Set(facts.map(([id]) => id)).size).toBe(facts.length);
  expect(new Set(questions.map(({ query }) => query)).size).toBe(questions.length);
  for (const language of ['en', 'zh'] as const) {
    for (const isHeldOut of [false, true]) {
      const own = questions.filter((one) => one.language === language && one.isHeldOut === isHeldOut);
      expect(own.filter(({ wanted }) => wanted.length > 0)).toHaveLength(30);
      expect(own.filter(({ wanted }) => wanted.length === 0)).toHaveLength(20);
    }
  }
  const ids = new Set(facts.map(([id]) => id));
  for (const id of questions.flatMap(({ wanted }) => wanted)) expect(ids.has(id), id).toBe(true);
});

test('answers are found, and at most 15 percent of the questions without an answer are answered unmarked', () => {
  expect(countsOf('en')).toEqual({ found: 29, answered: 11, falselyAnswered: 1 });
  expect(countsOf('zh')).toEqual({ found: 30, answered: 26, falselyAnswered: 3 });
});
