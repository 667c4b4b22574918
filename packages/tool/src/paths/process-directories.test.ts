import { isAbsolute } from 'node:path';
import { expect, test } from 'vitest';
import { homeDirectory, temporaryDirectory } from './process-directories.ts';

test('HOME names the home directory', () => {
  expect(homeDirectory({ HOME: '/home/a' })).toBe('/home/a');
});

test.each([
  ['is not set', undefined],
  ['is empty', ''],
  ['is relative', 'home/a'],
])('the home directory is absolute when HOME %s', (_, home) => {
  expect(homeDirectory({ HOME: home })).toSatisfy(isAbsolute);
});

test('a relative directory for temporary files is ignored', () => {
  expect(temporaryDirectory('/var/tmp')).toBe('/var/tmp');
  expect(temporaryDirectory('tmp')).toBe('/tmp');
  expect(temporaryDirectory()).toSatisfy(isAbsolute);
});
