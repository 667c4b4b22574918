/** The page that maps the names of the source documents to Cairn's: a name that no longer exists would send a reader astray. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/sources.md'), 'utf8');

/** The cells of the rows of all tables. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split(/(?<!\\)\|/u)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .filter(([first = '']) => first !== 'in the document' && !/^-+$/u.test(first));

/** Returns the sources of a package or a crate as one string. */
const sourceOf = ((known: Map<string, string>) => (place: string) => {
  const directory = place.replace('@cairn/', 'packages/');
  const text =
    known.get(place) ??
    globSync(join(root, directory, 'src/**/*.{ts,rs}'), { exclude: (path) => path.endsWith('.test.ts') })
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
  known.set(place, text);
  return text;
})(new Map());

/** The places and names of the middle column: `` `@cairn/x`: `name`, `other`; `@cairn/y`: `third` ``. */
const claims = rows.flatMap(([, cell = '']) =>
  cell.split(';').flatMap((part) => {
    const [place = '', ...names] = [...part.matchAll(/`([^`]+)`/gu)].map(([, code = '']) => code);
    return names.map((name) => ({ place, name }));
  }),
);

test('each row names a place and what it has there', () => {
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter((cells) => cells.length !== 3 || !/^`(?:@cairn|crates)\/[^`]+`: `/u.test(cells[1] ?? ''))).toEqual(
    [],
  );
});

test.each(claims)('$place has $name', ({ place, name }) => {
  // A command is registered by its words: `agents run` is `run` of `agents`.
  const words = place === '@cairn/cli' ? name.split(' ') : [name];
  for (const word of words)
    expect(new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'u').test(sourceOf(place)), word).toBe(true);
});
