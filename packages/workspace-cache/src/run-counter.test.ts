import { expect, test } from 'vitest';
import type { CacheAccess } from './content/types.ts';
import { createRunCounter } from './run-counter.ts';

const access = (kind: 'list' | 'read', path: string, isHit: boolean): CacheAccess => ({
  kind,
  path,
  isHit,
});

function countsOf(...accesses: readonly CacheAccess[]): Record<string, unknown> {
  const counter = createRunCounter('/root');
  for (const one of accesses) counter.noteAccess(one);
  const { listings, reads, listedDirectories, readCounts } = counter.counts({
    metadata: {} as never,
    totalScans: 1,
    sectionTokens: 0,
  });
  return { listings, reads, listedDirectories, readCounts: Object.fromEntries(readCounts) };
}

test('counts hits and misses, with paths relative to the root', () => {
  const counts = countsOf(
    access('list', '/root', false),
    access('list', '/root', true),
    access('list', '/root/src', true),
    access('list', '/other', false),
    access('read', '/root/src/a', false),
    access('read', '/root/src/a', true),
    access('read', '/other/b', false),
    access('read', '/rooted', false),
  );
  expect(counts).toEqual({
    listings: { hits: 2, misses: 2 },
    reads: { hits: 1, misses: 3 },
    listedDirectories: ['', 'src'],
    readCounts: { 'src/a': 2, '/other/b': 1, '/rooted': 1 },
  });
});
