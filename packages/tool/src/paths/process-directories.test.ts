import { isAbsolute } from 'node:path';
import { expect, test, vi } from 'vitest';
import { accountStateDirectories, homeDirectory, temporaryDirectory } from './directories.ts';

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

test('the shared state is in the home directory of the user database, or in /var/tmp', () => {
  expect(accountStateDirectories('kind', { uid: 7, homedir: '/home/a' }, 'linux')).toEqual([
    '/home/a/.local/state/cairn/kind',
    '/var/tmp/cairn-7-kind',
  ]);
  for (const home of [undefined, '', 'relative']) {
    expect(accountStateDirectories('kind', { uid: 7, homedir: home }, 'linux')).toEqual(['/var/tmp/cairn-7-kind']);
  }
  expect(accountStateDirectories('kind', { uid: -1, homedir: String.raw`C:\Users\a` }, 'win32')).toEqual([
    String.raw`C:\Users\a\AppData\Local\cairn\kind`,
  ]);
});

test('no variable moves the shared state', () => {
  const before = accountStateDirectories('kind');
  for (const name of ['HOME', 'TMPDIR', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR']) vi.stubEnv(name, '/elsewhere');
  expect(accountStateDirectories('kind')).toEqual(before);
  vi.unstubAllEnvs();
});
