import { expect, test } from 'vitest';
import { exampleHead } from '../index/heads.examples.ts';
import { marksOf } from './marks.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test.each([
  ['changed 179 days ago', { changedMs: 0 }, 179, []],
  ['changed 180 days ago', { changedMs: 0 }, 180, ['unverified']],
  ['confirmed after its change', { changedMs: 0, verifiedMs: 100 * DAY_MS }, 180, []],
  ['confirmed 180 days ago', { changedMs: 0, verifiedMs: 100 * DAY_MS }, 280, ['unverified']],
  ['changed after it was confirmed', { changedMs: 100 * DAY_MS, verifiedMs: 0 }, 180, []],
  ['deprecated', { status: 'deprecated' as const }, 0, ['deprecated']],
  ['superseded', { status: 'superseded' as const }, 0, ['superseded']],
  [
    'reported twice, in conflict, and old',
    { needsReview: true, hasConflict: true },
    180,
    ['review', 'unverified', 'conflict'],
  ],
])('an asset that is %s', (_, fields, days, marks) => {
  expect(marksOf(exampleHead({ name: 'a', changedMs: 0, ...fields }), days * DAY_MS)).toEqual(marks);
});
