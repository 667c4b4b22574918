import { describe, expect, test } from 'vitest';
import { byteSize, once, oneOf, wholeNumber } from './args.ts';
import { UsageError } from './errors.ts';

describe('whole numbers', () => {
  const accepted: readonly (readonly [value: string, number: number])[] = [
    ['0', 0],
    ['12', 12],
    ['4294967295', 4_294_967_295],
  ];
  test.each(accepted)('%j', (value, number) => {
    expect(wholeNumber('--limit')(value)).toBe(number);
  });

  const refused: readonly (readonly [value: string, message: string])[] = [
    ['4294967296', "--limit takes a whole number from 0 to 4,294,967,295, not '4294967296'"],
    ['-1', "--limit takes a whole number from 0, not '-1'"],
    ['1.5', "--limit takes a whole number from 0, not '1.5'"],
    ['1e3', "--limit takes a whole number from 0, not '1e3'"],
    ['', "--limit takes a whole number from 0, not ''"],
    [' 1', "--limit takes a whole number from 0, not ' 1'"],
    ['many', "--limit takes a whole number from 0, not 'many'"],
  ];
  test.each(refused)('%j is refused', (value, message) => {
    expect(() => wholeNumber('--limit')(value)).toThrow(new UsageError(message));
  });

  test('the message names the unit', () => {
    expect(() => wholeNumber('--timeout', 'milliseconds')('soon')).toThrow(
      "--timeout takes a whole number of milliseconds from 0, not 'soon'",
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

  test.each(['1T', 'M', '1.5M', '-1', '', '9007199254740993'])('%j is refused', (value) => {
    const message = `--max-filesize takes a size such as 4096, 512K, 10M or 1G, not '${value}'`;
    expect(() => byteSize('--max-filesize')(value)).toThrow(new UsageError(message));
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
