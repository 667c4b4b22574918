import { readFileSync } from 'node:fs';
import { fuzzyFind } from '@cairn/natives';
import { describe, expect, it } from 'vitest';

/**
 * Which lines fzf finds for random queries of words and signs: `fzf --filter QUERY --literal --no-sort` on the lines. The
 * plain query ignores accents and cases in its own way, so the option turns off fzf's own way.
 */
const golden = JSON.parse(readFileSync(new URL('fzf-matches.json', import.meta.url), 'utf8')) as {
  lines: string[];
  /** The numbers of the lines, by query. */
  found: Record<string, string>;
};

const candidates: readonly string[] = Object.freeze(golden.lines);

async function found(query: string, paths: readonly string[]): Promise<Set<string>> {
  const { matches } = await fuzzyFind({ query, candidates: paths, syntax: 'fzf', maxResults: 1000 });
  return new Set(matches.map((match) => match.path));
}

/** Whether a query has a word without signs, which may have typos and any case. An alternative is never such a word. */
function hasWord(query: string): boolean {
  const terms = query.split(/(?<!\\) +/);
  return terms.some(
    (term, at) => /^[^!^'|$].*[^$]$|^[^!^'|$_-]$/.test(term) && terms[at - 1] !== '|' && terms[at + 1] !== '|',
  );
}

describe('the operators of fzf', () => {
  const queries = Object.entries(golden.found).map(([query, lines]): [string, string[]] => [
    query,
    lines.split(' ').flatMap((at) => golden.lines[at === '' ? -1 : Number(at)] ?? []),
  ]);

  it.each(queries)('%j finds what fzf finds', async (query, lines) => {
    const paths = await found(query, candidates);
    expect(lines.filter((line) => !paths.has(line))).toEqual([]);
    const others = [...paths].filter((path) => !lines.includes(path));
    expect(hasWord(query) ? [] : others).toEqual([]);
  });

  it('finds the same whatever was searched before', async () => {
    for (const [query] of [...queries, ...queries.toReversed()]) {
      for (const typed of [query.slice(0, -1), query, `${query}c`]) {
        expect(await found(typed, candidates), typed).toEqual(await found(typed, golden.lines.slice()));
      }
    }
  });

  it('knows queries with and without words, and with matches', () => {
    const counts = [
      queries.filter(([query]) => hasWord(query)).length,
      queries.filter(([query]) => !hasWord(query)).length,
      queries.filter(([, lines]) => lines.length > 0).length,
    ];
    expect(Math.min(...counts)).toBeGreaterThan(25);
  });
});
