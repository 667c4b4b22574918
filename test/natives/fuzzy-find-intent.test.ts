import { readFileSync } from 'node:fs';
import { fuzzyFind } from '@cairn/natives';
import { describe, expect, it } from 'vitest';
import { createTree } from '../support/tree.ts';

/** The sets of the ranking benchmark, which says how other finders fare on whole repositories. */
function linesOf(name: string): string[] {
  return readFileSync(new URL(`../../bench/ranking/sets/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
}

async function placesOf(set: string, path: string): Promise<{ query: string; place: number }[]> {
  const places: { query: string; place: number }[] = [];
  for (const line of linesOf(set).filter((one) => !one.startsWith('#'))) {
    const [query = '', wanted] = line.split('\t');
    const { matches } = await fuzzyFind({ query, path, cache: true, maxResults: 10 });
    places.push({ query, place: matches.findIndex((match) => match.path === wanted) + 1 });
  }
  return places;
}

function quality(places: readonly { place: number }[]): { mrr: number; first: number } {
  const sum = (value: (place: number) => number): number =>
    places.reduce((total, { place }) => total + value(place), 0) / places.length;
  return { mrr: sum((place) => (place === 0 ? 0 : 1 / place)), first: sum((place) => Number(place === 1)) };
}

/** A tree of the paths that some finder ranks among its first for one of the queries. */
function treeOf(list: string): string {
  return createTree(Object.fromEntries(linesOf(list).map((path) => [path, ''])));
}

describe('the file that people mean', () => {
  it('comes first for four of five queries over files of Linux', async () => {
    const path = treeOf('linux-rivals.list');
    const { mrr, first } = quality(await placesOf('linux.tsv', path));
    expect(mrr).toBeGreaterThanOrEqual(0.88);
    expect(first).toBeGreaterThanOrEqual(0.8);
  });

  it('is among the first four for the queries that were reported, and first for two of three', async () => {
    // Of the others, most have a file with exactly the typed letters as its name before them: fs/fsopen.c.
    const places = await placesOf('linux-reported.tsv', treeOf('linux-rivals.list'));
    expect(places.filter(({ place }) => place === 0 || place > 4)).toEqual([]);
    expect(quality(places).first).toBeGreaterThanOrEqual(2 / 3);
  });

  it('comes first among a few files with similar names', async () => {
    const places = await placesOf('few-reported.tsv', treeOf('few-reported.list'));
    expect(places.filter(({ place }) => place !== 1)).toEqual([]);
  });
});
