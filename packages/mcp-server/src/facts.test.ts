import { expect, test } from 'vitest';
import { factsOf } from './facts.ts';

const long = 'x'.repeat(201);

const rows: readonly (readonly [what: string, details: unknown, text: string, facts: object])[] = [
  [
    'numbers, flags and words',
    { total: 3, complete: true, engine: 'regex' },
    '',
    { total: 3, complete: true, engine: 'regex' },
  ],
  ['how many are listed, and not what', { lines: ['one', 'two'] }, 'one\ntwo', { lines: 2 }],
  ['facts of facts', { skipped: { binary: 1 } }, '', { skipped: { binary: 1 } }],
  ['a word that the text has too', { path: 'a.ts' }, '[a.ts: 1 line]', { path: 'a.ts' }],
  ['no sentence that the text has', { hint: 'Read it again.' }, 'It changed. Read it again.', {}],
  ['no lines', { content: 'one\ntwo' }, '', {}],
  ['no long text', { content: long }, '', {}],
  ['nothing that is absent', { limit: undefined, cause: null }, '', {}],
  ['nothing from too deep', { a: { b: { c: { d: 1 } } } }, '', { a: { b: {} } }],
  ['nothing of what has no names', [1, 2], '', {}],
  ['nothing of nothing', undefined, '', {}],
];

test.each(rows)('facts are %s', (_, details, text, facts) => {
  expect(factsOf(details, text)).toEqual(facts);
});
