import { enableCompileCache } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { keepCompiled } from './compile-cache.ts';

vi.mock('node:module', () => ({ enableCompileCache: vi.fn<() => void>() }));

afterEach(() => vi.clearAllMocks());

test.each([
  ['in the cache of the user', { XDG_CACHE_HOME: '/cache', HOME: '/home/me' }, '/cache/cairn/compiled'],
  ['in the home', { HOME: '/home/me' }, '/home/me/.cache/cairn/compiled'],
  ['nowhere when the cache is a relative path', { XDG_CACHE_HOME: 'cache', HOME: '/home/me' }, undefined],
  ['nowhere without a home', { HOME: '' }, undefined],
])('what is compiled is kept %s', (_, env, directory) => {
  keepCompiled(env, 'linux');
  expect(vi.mocked(enableCompileCache).mock.calls).toEqual(directory === undefined ? [] : [[directory]]);
});
