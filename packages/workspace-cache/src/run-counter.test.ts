import { expect, test } from 'vitest';
import type { CacheAccess } from './content/types.ts';
import { RunCounter } from './run-counter.ts';

const access = (kind: 'list' | 'read', path: string, isHit: boolean): CacheAccess => ({
  kind,
  path,
  isHit,
});

function countsOf(...accesses: readonly CacheAccess[]): Record<string, unknown> {
  const counter = new RunCounter('/root');
  for (const one of accesses) counter.noteAccess(one);
  const { listings, reads, listedDirectories, readCounts } = counter.counts({
    metadata: {} as never,
    totalScans: 1,
    sectionTokens: 0,
    shownDirectories: 1,
    unassigned: 0,
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

test.each<[reason: string, inits: number, sections: readonly (string | undefined)[], agents: number]>([
  ['the section was not taken', 3, [], 0],
  ['one agent asks 50 times', 1, Array.from({ length: 50 }), 1],
  ['one agent with a name asks 50 times', 1, Array.from({ length: 50 }, () => 'writer'), 1],
  ['each of seven agents calls init', 7, Array.from({ length: 7 }), 7],
  ['each of seven agents calls init and asks twice', 7, Array.from({ length: 14 }), 7],
  ['agents with names share one init', 1, ['writer', 'reviewer', 'writer'], 2],
  ['some have names', 1, ['writer', undefined, undefined], 2],
])('agents are counted, not requests: %s', (_, inits, sections, agents) => {
  const counter = new RunCounter('/root');
  for (let init = 0; init < inits; init++) counter.noteInit();
  for (const agent of sections) counter.noteSection(agent);
  const facts = { metadata: {} as never, totalScans: 1, sectionTokens: 0, shownDirectories: 1, unassigned: 0 };
  const counts = counter.counts(facts);
  expect([counts.agents, counts.sections]).toEqual([agents, sections.length]);
});
