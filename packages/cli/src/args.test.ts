import { describe, expect, test } from 'vitest';
import { byteSize, once, oneOf, wholeNumber } from './args.ts';
import { UsageError } from './errors.ts';

describe('whole numbers', () => {
  const cases: readonly (readonly [value: string, outcome: number | string])[] = [
    ['0', 0],
    ['12', 12],
    ['4294967295', 4_294_967_295],
    ['4294967296', "--limit takes a whole number from 0 to 4,294,967,295, not '4294967296'"],
    ['-1', "--limit takes a whole number from 0, not '-1'"],
    ['1.5', "--limit takes a whole number from 0, not '1.5'"],
    ['1e3', "--limit takes a whole number from 0, not '1e3'"],
    ['', "--limit takes a whole number from 0, not ''"],
    [' 1', "--limit takes a whole number from 0, not ' 1'"],
    ['many', "--limit takes a whole number from 0, not 'many'"],
  ];
  test.each(cases)('%j', (value, outcome) => {
    const read = wholeNumber('--limit');
    if (typeof outcome === 'number') expect(read(value)).toBe(outcome);
    else expect(() => read(value)).toThrow(new UsageError(outcome));
  });

  test('the message names the unit', () => {
    expect(() => wholeNumber('--timeout', 'milliseconds')('soon')).toThrow("--timeout takes a whole number of milliseconds from 0, not 'soon'");
  });
});

describe('sizes', () => {
  const cases: readonly (readonly [value: string, bytes: number | undefined])[] = [
    ['0', 0],
    ['4096', 4096],
    ['512k', 524_288],
    ['10M', 10_485_760],
    ['1G', 1_073_741_824],
    ['1T', undefined],
    ['M', undefined],
    ['1.5M', undefined],
    ['9007199254740993', undefined],
  ];
  test.each(cases)('%j', (value, bytes) => {
    const read = byteSize('--max-filesize');
    if (bytes === undefined) expect(() => read(value)).toThrow(`--max-filesize takes a size such as 4096, 512K, 10M or 1G, not '${value}'`);
    else expect(read(value)).toBe(bytes);
  });
});

test('a word that is not one of the choices lists them', () => {
  const read = oneOf('--type', ['file', 'dir', 'symlink']);
  expect(read('dir')).toBe('dir');
  expect(() => read('folder')).toThrow("--type takes file, dir or symlink, not 'folder'");
});

test('a second value is refused, not dropped', () => {
  const read = once('--glob', "join patterns as '{*.ts,*.js}'");
  expect(read('*.ts', undefined)).toBe('*.ts');
  expect(() => read('*.js', '*.ts')).toThrow("--glob can be given once; join patterns as '{*.ts,*.js}'");
});
