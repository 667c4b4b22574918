import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseActions } from './actions.ts';

const pairsOf = (text: string, isFunction?: (name: string) => boolean): (readonly [name: string, args: string])[] =>
  parseActions(text, isFunction).actions.map(({ name, args }) => [name, args]);

test.each([
  ['text', '[f:a]', [['f', 'a']]],
  ['nested JSON', '[f:a.xlsx:[{"x":[1,2]}]]', [['f', 'a.xlsx:[{"x":[1,2]}]']]],
  ['brackets in JSON strings', '[f:[{"x":"]","y":"[["}]]', [['f', '[{"x":"]","y":"[["}]']]],
  ['escaped quotes in JSON strings', String.raw`[f:{"x":"a\"]"}]`, [['f', String.raw`{"x":"a\"]"}`]]],
  ['a bracket in a quoted argument', '[f:"a]":b]', [['f', '"a]":b']]],
  ['a quote that is not closed', '[f:5" or 6]', [['f', '5" or 6']]],
  [
    'quotes that are text',
    '[f:"a] then "b" [g:c]',
    [
      ['f', '"a'],
      ['g', 'c'],
    ],
  ],
  ['a quoted bracket that closes the action after all', '[f:"a]', [['f', '"a']]],
  ['full-width brackets', '【f：a【b】】', [['f', 'a【b】']]],
  ['other full-width brackets', '［f：a］', [['f', 'a']]],
  ['JSON in full-width brackets', '【f：[{"x":"】"}]】', [['f', '[{"x":"】"}]']]],
  [
    'several in one line',
    '[f:a][g:b] [h:c]',
    [
      ['f', 'a'],
      ['g', 'b'],
      ['h', 'c'],
    ],
  ],
  [
    'several lines',
    '[f:a\nb]\n[g:c]',
    [
      ['f', 'a\nb'],
      ['g', 'c'],
    ],
  ],
  ['spaces', '[ f : a ]', [['f', 'a']]],
  ['an action in other brackets', '[see [f:a]]', [['f', 'a']]],
  ['an action after an open bracket', 'array[ then [f:a]', [['f', 'a']]],
  ['no arguments', '[f:]', [['f', '']]],
])('reads %s', (_, text, expected) => {
  expect(pairsOf(text)).toEqual(expected);
});

test.each([
  '[无]',
  '[x]',
  '[ ]',
  '[1]',
  '[12:30]',
  '[https://example.com]',
  '[link](url)',
  '[f]',
  '[see the notes]',
  '[]',
  '["a","b"]',
  'f:a',
  '【说明】',
  '[[]]',
])('%j is text', (text) => {
  expect(parseActions(text)).toEqual({ actions: [], rest: text });
});

test('a name without arguments is an action when it is that of a function', () => {
  expect(pairsOf('[list files] [other]', (name) => name === 'list files')).toEqual([['list files', '']]);
});

test('an action that is not closed is given back', () => {
  expect(parseActions('[f:a] then [g:[1]')).toMatchObject({ rest: '\n then [g:[1]', unclosed: '[g:[1]' });
  expect(parseActions('[f:a】')).toMatchObject({ actions: [], unclosed: '[f:a】' });
});

test('what is printed is read again', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('f', '生成Excel', 'a b'), json), { maxLength: 4 }), (calls) => {
      const text = calls.map(([name, args]) => `[${name}:${args}]`).join(', then ');
      expect(pairsOf(text)).toEqual(calls);
    }),
  );
});

test('random text never throws, and loses nothing but brackets', () => {
  const part = fc.oneof(
    fc.constantFrom('[', ']', '【', '】', '"', '\\', ':', '：', '{', '}', 'f', '表', '\n'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      const { actions, rest } = parseActions(text);
      const sorted = (value: string): string => [...value.replaceAll('\n', '')].toSorted().join('');
      expect(sorted(rest + actions.map((action) => action.text).join(''))).toBe(sorted(text));
      for (const action of actions) expect(action.text).toContain(action.args);
    }),
    { numRuns: 500 },
  );
});
