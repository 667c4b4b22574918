import { expect, test } from 'vitest';
import { factsOf } from './answer.ts';

const long = 'x'.repeat(201);

const rows: readonly (readonly [what: string, details: unknown, text: string, facts: object])[] = [
  [
    'keep numbers, flags and words',
    { total: 3, complete: true, engine: 'regex' },
    '',
    { total: 3, complete: true, engine: 'regex' },
  ],
  ['have the length of a list, not its items', { lines: ['one', 'two'] }, 'one\ntwo', { lines: 2 }],
  ['are nested', { skipped: { binary: 1 } }, '', { skipped: { binary: 1 } }],
  ['keep a word that the text also has', { path: 'a.ts' }, '[a.ts: 1 line]', { path: 'a.ts' }],
  ['omit a sentence that the text also has', { hint: 'Read it again.' }, 'It changed. Read it again.', {}],
  ['omit lines', { content: 'one\ntwo' }, '', {}],
  ['omit long text', { content: long }, '', {}],
  ['omit absent values', { limit: undefined, cause: null }, '', {}],
  ['stop at the second level', { a: { b: { c: { d: 1 } } } }, '', { a: { b: {} } }],
  ['are empty for a list', [1, 2], '', {}],
  ['are empty without details', undefined, '', {}],
];

test.each(rows)('facts %s', (_, details, text, facts) => {
  expect(factsOf(details, text)).toEqual(facts);
});
