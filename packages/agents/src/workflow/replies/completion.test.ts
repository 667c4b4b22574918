import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCompletion } from './step-reply.ts';

test.each([
  ['0', 0],
  ['1', 1],
  ['1.0', 1],
  ['0.3', 0.3],
  ['.8', 0.8],
  ['0,8', 0.8],
  ['80%', 0.8],
  ['80 %', 0.8],
  ['８０％', 0.8],
  ['０．８', 0.8],
  ['0.8/1', 0.8],
  ['0.8 / 1.0', 0.8],
  ['4/5', 0.8],
  ['8/10', 0.8],
  ['"0.8"', 0.8],
  ['**0.8**', 0.8],
  ['[0.8]', 0.8],
  ['约0.8', 0.8],
  ['about 0.8', 0.8],
  ['0.8。', 0.8],
  ['1.', 1],
  ['100%', 1],
])('%j is %d', (text, value) => {
  expect(parseCompletion(text)).toMatchObject({ isValid: true, value });
});

test.each([
  '',
  'high',
  '很高',
  '80',
  '1.5',
  '150%',
  '-0.5',
  '0.5-0.8',
  '0.5~0.8',
  '50% to 80%',
  '0.5或0.8',
  '1 file',
  '1个文件',
  '2 of 3',
  '步骤1完成',
  '0.8.1',
  '1/0',
  '3/2',
  '0.5:1',
  'NaN',
  '80%%',
  '1e-1',
])('%j is rejected, because it may mean something else', (text) => {
  expect(parseCompletion(text)).toEqual({ isValid: false });
});

test('the explanation after the number is the rest', () => {
  expect(parseCompletion('80% done')).toEqual({ isValid: true, value: 0.8, rest: ' done' });
  expect(parseCompletion('０．３（表头未定）')).toEqual({ isValid: true, value: 0.3, rest: '（表头未定）' });
  expect(parseCompletion('1 (all done)')).toEqual({ isValid: true, value: 1, rest: '(all done)' });
});

test('a number from 0 to 1 is read as it is printed', () => {
  const decimal = fc.integer({ min: 0, max: 10_000 }).map((count) => count / 10_000);
  fc.assert(
    fc.property(decimal, (value) => {
      expect(parseCompletion(String(value))).toMatchObject({ value });
      expect(parseCompletion(`${String(value).replace('.', ',')} `)).toMatchObject({ value });
    }),
  );
});
