import { Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { splitShortValues } from './attached-values.ts';

const options = [
  new Option('-e, --regexp <pattern>'),
  new Option('-r, --replace <text>'),
  new Option('-i, --ignore-case'),
  new Option('--path <path>'),
  new Option('-s, --strip [when]'),
];

describe('splitShortValues', () => {
  test.each([
    ['-e=foo', '-e foo'],
    ['-ie=foo src', '-ie foo src'],
    ['-efoo=1', '-efoo=1'],
    ['-e =foo', '-e =foo'],
    ['-e -e=foo', '-e -e=foo'],
    ['-ie -e=foo', '-ie -e=foo'],
    ['--regexp -e=foo', '--regexp -e=foo'],
    ['--regexp=-e=foo', '--regexp=-e=foo'],
    ['--path -e=foo', '--path -e=foo'],
    ['-e==foo', '-e =foo'],
    ['-- -e=foo', '-- -e=foo'],
    ['-i=foo', '-i=foo'],
    ['-s=foo', '-s=foo'],
    ['-q=foo', '-q=foo'],
    ['- -e=foo', '- -e foo'],
  ])('%s is %s', (words, expected) => {
    expect(splitShortValues(words.split(' '), options).join(' ')).toBe(expected);
  });

  test('a value may be empty', () => {
    expect(splitShortValues(['-r=', '-i'], options)).toEqual(['-r', '', '-i']);
  });
});
