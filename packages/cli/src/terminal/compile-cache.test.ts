import { enableCompileCache } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { keepCompiled } from './compile-cache.ts';

vi.mock('node:module', () => ({ enableCompileCache: vi.fn<() => void>() }));

afterEach(() => vi.clearAllMocks());

test.each([
  ['in XDG_CACHE_HOME', { XDG_CACHE_HOME: '/cache', HOME: '/home/me' }, '/cache/cairn/compiled'],
  ['in the home directory', { HOME: '/home/me' }, '/home/me/.cache/cairn/compiled'],
  [
    'in the home directory when XDG_CACHE_HOME is relative',
    { XDG_CACHE_HOME: 'cache', HOME: '/home/me' },
    '/home/me/.cache/cairn/compiled',
  ],
  ['nowhere without a home directory', { HOME: '' }, undefined],
])('keeps compiled modules %s', (_, env, directory) => {
  keepCompiled(env, 'linux');
  expect(vi.mocked(enableCompileCache).mock.calls).toEqual(directory === undefined ? [] : [[directory]]);
});
