import { fuzzyFind, glob, grep } from '@cairn/natives';
import { afterAll, describe, expect, test } from 'vitest';
import { newDirectory, removeTree, writeTree } from '../support/tree.ts';

/** Names by what is special about them, in both forms, in every position. */
const words = ['é', 'éa', 'aé', 'aéb', 'Ångström', 'ñandú.txt', 'q\u0307\u0323', '각', 'ấ', 'x.é', 'Œé', 'é漢😀'];

function bothForms(name: string): readonly [composed: string, decomposed: string] {
  return [name.normalize('NFC'), name.normalize('NFD')];
}

const paths = words.flatMap((word) => bothForms(word).flatMap((name) => [name, `dir/${name}`, `${name}-d/file`]));
const root = newDirectory();
afterAll(() => removeTree(root));
writeTree(root, {
  ...Object.fromEntries(paths.map((path) => [path, 'x'])),
  // Another character, and the same letters without marks.
  plain: { e: 'x', ea: 'x', Angstrom: 'x' },
});

async function globbed(pattern: string, cache = false): Promise<string[]> {
  const { matches } = await glob({ pattern, path: root, cache });
  return matches.map(({ path }) => path);
}

describe.each(words)('the name %j', (word) => {
  const forms = bothForms(word);

  test.each(forms)('is found by glob however it is typed: %j', async (typed) => {
    const expected = [...new Set(forms)]
      .flatMap((name) => [name, `dir/${name}`])
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const literal = typed.replaceAll(/[[\]*?{}\\]/gu, String.raw`\$&`);
    for (const cache of [false, true]) {
      expect(await globbed(literal, cache)).toEqual(expected);
      expect(await globbed(`**/${literal}`, cache)).toEqual(expected);
      expect(await globbed(`./${literal}`, cache)).toEqual(expected.filter((path) => !path.includes('/')));
      expect(await globbed(`dir/${literal}`, cache)).toEqual(expected.filter((path) => path.includes('/')));
      const inside = expected.filter((path) => !path.includes('/')).map((name) => `${name}-d/file`);
      expect(await globbed(`${literal}-d/file`, cache)).toEqual(inside);
      expect(await globbed(`${literal}-d/*`, cache)).toEqual(inside);
      expect(await globbed(`${literal}-d/**`, cache)).toEqual(inside);
      expect(await globbed(`{${literal},none}`, cache)).toEqual(expected);
      expect((await globbed(`*${literal}`, cache)).filter((path) => expected.includes(path))).toEqual(expected);
    }
    const { matches } = await grep({ pattern: 'x', path: root, glob: literal });
    expect(matches.map(({ path }) => path)).toEqual(expected);
  });

  test.each(forms)('is found by fuzzyFind however it is typed: %j', async (typed) => {
    const found = await fuzzyFind({ query: typed, path: root, includePositions: true, maxResults: 1000 });
    for (const name of forms) {
      const match = found.matches.find(({ path }) => path === name);
      // Every character but punctuation, with all of its parts.
      const marked = match?.positions?.map((at) => name[at]).join('');
      expect(marked?.replaceAll('.', '')).toBe(name.replaceAll('.', ''));
      expect(found.matches.map(({ path }) => path)).toEqual(expect.arrayContaining([`dir/${name}`, `${name}-d/file`]));
    }
    const scores = found.matches.filter(({ path }) => forms.includes(path)).map(({ score }) => score);
    expect(new Set(scores).size).toBe(1);
  });
});

describe('a letter with its marks is one character', () => {
  test.each([
    ['a question mark', '?', ['é', 'e\u0301', 'q\u0323\u0307', '각', 'ấ'], 'éa'],
    ['a class, composed', '[é]', ['é', 'e\u0301'], 'e'],
    ['a class, decomposed', '[e\u0301]', ['é', 'e\u0301'], 'e'],
    ['a range', '[à-ï]', ['é', 'e\u0301'], 'e'],
    ['a negated class', '[!é]', ['e', '각', 'ấ'], 'é'],
    ['an escaped letter', '\\e\u0301', ['é', 'e\u0301'], 'e'],
    ['between wildcards', '*e\u0301?', ['éa', 'e\u0301a', 'aéb'], 'ea'],
  ])('in %s', async (_reason, pattern, some, other) => {
    const found = (await globbed(pattern)).filter((path) => !path.startsWith('dir/'));
    const names = found.map((path) => path.replace(/^plain\//u, '').normalize('NFC'));
    expect(names).toEqual(
      expect.arrayContaining(some.map((name) => name.normalize('NFC')).filter((name) => [...name].length < 3)),
    );
    expect(names).not.toContain(other);
  });

  test('but a letter without marks is another one', async () => {
    expect(await globbed('e')).toEqual(['plain/e']);
    expect((await fuzzyFind({ query: 'é', path: root })).matches.map(({ path }) => path)).not.toContain('plain/e');
  });
});
