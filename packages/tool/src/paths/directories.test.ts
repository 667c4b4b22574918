import { expect, test } from 'vitest';
import { projectDirectory, userDirectories } from './directories.ts';

test('follows the XDG specification on Linux', () => {
  expect(userDirectories({ platform: 'linux', env: {}, home: '/home/a' })).toEqual({
    config: '/home/a/.config/cairn',
    data: '/home/a/.local/share/cairn',
    state: '/home/a/.local/state/cairn',
    cache: '/home/a/.cache/cairn',
  });
});

test('the variables move the directories, and a relative value is ignored', () => {
  const env = { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: 'relative' };
  expect(userDirectories({ platform: 'linux', env, home: '/home/a' })).toEqual({
    config: '/c/cairn',
    data: '/d/cairn',
    state: '/s/cairn',
    cache: '/home/a/.cache/cairn',
  });
});

test('an empty variable counts as unset', () => {
  const env = { XDG_DATA_HOME: '' };
  expect(userDirectories({ platform: 'linux', env, home: '/home/a' }).data).toBe('/home/a/.local/share/cairn');
});

test('uses the Library on macOS', () => {
  expect(userDirectories({ platform: 'darwin', env: {}, home: '/Users/a' })).toEqual({
    config: '/Users/a/.config/cairn',
    data: '/Users/a/Library/Application Support/cairn',
    state: '/Users/a/.local/state/cairn',
    cache: '/Users/a/Library/Caches/cairn',
  });
});

test('uses the application data on Windows', () => {
  const env = { LOCALAPPDATA: String.raw`D:\Local` };
  expect(userDirectories({ platform: 'win32', env, home: String.raw`C:\Users\a` })).toEqual({
    config: String.raw`C:\Users\a\AppData\Roaming\cairn`,
    data: String.raw`D:\Local\cairn`,
    state: String.raw`D:\Local\cairn`,
    cache: String.raw`D:\Local\cairn\cache`,
  });
});

test('a project keeps its files in .cairn', () => {
  expect(projectDirectory('/work/app')).toBe('/work/app/.cairn');
});
