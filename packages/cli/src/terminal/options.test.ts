import { describe, expect, test } from 'vitest';
import { describe as textOf, factsOf } from './errors.ts';
import { byteSize, filled, once, oneOf, wholeNumber } from './options.ts';

/** The message of the error that a parser throws. */
function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    return textOf(factsOf(error));
  }
  throw new Error('it was accepted');
}

describe('whole numbers', () => {
  const accepted: readonly (readonly [value: string, number: number])[] = [
    ['0', 0],
    ['12', 12],
    ['4294967295', 4_294_967_295],
  ];
  test.each(accepted)('%j', (value, number) => {
    expect(wholeNumber()('--limit')(value)).toBe(number);
  });

  const refused: readonly (readonly [value: string, message: string])[] = [
    ['4294967296', 'invalid --limit "4294967296"; use a whole number from 0 to 4,294,967,295'],
    ['-1', 'invalid --limit "-1"; use a whole number from 0'],
    ['1.5', 'invalid --limit "1.5"; use a whole number from 0'],
    ['1e3', 'invalid --limit "1e3"; use a whole number from 0'],
    ['', 'invalid --limit ""; use a whole number from 0'],
    [' 1', 'invalid --limit " 1"; use a whole number from 0'],
    ['many', 'invalid --limit "many"; use a whole number from 0'],
  ];
  test.each(refused)('%j is rejected', (value, message) => {
    expect(refusal(() => wholeNumber()('--limit')(value))).toBe(message);
  });

  test('the message names the unit', () => {
    expect(refusal(() => wholeNumber({ unit: 'milliseconds' })('--timeout')('soon'))).toBe(
      'invalid --timeout "soon"; use a whole number of milliseconds from 0',
    );
  });
});

describe('sizes', () => {
  const accepted: readonly (readonly [value: string, bytes: number])[] = [
    ['0', 0],
    ['4096', 4096],
    ['512k', 524_288],
    ['10M', 10_485_760],
    ['1G', 1_073_741_824],
  ];
  test.each(accepted)('%j', (value, bytes) => {
    expect(byteSize('--max-filesize')(value)).toBe(bytes);
  });

  test.each(['1T', 'M', '1.5M', '-1', '', '9007199254740993'])('%j is rejected', (value) => {
    const message = `invalid --max-filesize "${value}"; use a size such as 4096, 512K, 10M or 1G`;
    expect(refusal(() => byteSize('--max-filesize')(value))).toBe(message);
  });
});

test('a word that is not one of the choices lists them', () => {
  const read = oneOf(['file', 'dir', 'symlink'])('--type');
  expect(read('dir')).toBe('dir');
  expect(refusal(() => read('folder'))).toBe('invalid --type "folder"; use file, dir or symlink');
});

test('an empty value is rejected', () => {
  expect(filled('--store')('a.db')).toBe('a.db');
  expect(refusal(() => filled('--store')(''))).toBe('--store is empty; give it a value');
});

test('a second value is rejected, not dropped', () => {
  const read = once("join patterns as '{*.ts,*.js}'")('--glob');
  expect(read('*.ts', undefined)).toBe('*.ts');
  expect(refusal(() => read('*.js', '*.ts'))).toBe("--glob is given twice; join patterns as '{*.ts,*.js}'");
});
