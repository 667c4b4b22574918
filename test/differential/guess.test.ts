import { createMentionProvider, createWorkspace } from '@cairn/coding-agent';
import { fuzzyFind, invalidateFsScanCache } from '@cairn/natives';
import type { GuessKind } from '@cairn/natives';
import fc from 'fast-check';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

/**
 * What a guess is: whether a path lacks a word as it was typed. Words without letters do not count, except at the command line, where they
 * are terms of fzf.
 */
function lacksWord(path: string, query: string, from: string): boolean {
  const text = path.normalize('NFC').toLowerCase();
  const words = query.normalize('NFC').toLowerCase().trim().split(/\s+/u);
  const isCounted = (word: string): boolean => from === 'the command' || /[\p{L}\p{N}]/u.test(word);
  return words.some((word) => isCounted(word) && !text.includes(word));
}

interface Answer {
  readonly paths: readonly { readonly path: string; readonly guess?: GuessKind }[];
  readonly guess?: GuessKind | undefined;
}

/** Asserts that an answer and each of its paths are guesses exactly if the paths lack a word. */
function expectNamed({ paths, guess }: Answer, query: string, from: string): void {
  const named = paths.map((one) => [one.path, one.guess !== undefined]);
  expect(named, `${from}: ${query}`).toEqual(paths.map(({ path }) => [path, lacksWord(path, query, from)]));
  const isGuess = paths.length > 0 && paths.every(({ path }) => lacksWord(path, query, from));
  expect(guess, `${from}: ${query}`).toBe(isGuess ? paths[0]?.guess : undefined);
}

const name = fc
  .array(fc.constantFrom('a', 'b', 'c', 'ab', 'Ba', 'cab', 'é', 'e\u0301', '漢', '_', '-', '.', '1'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  .filter((text) => /^[^.-]/u.test(text) && !text.endsWith('.'));

const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `${names.join('/')}.x`);

/** What people type for a path: a part of it, with letters left out, swapped, added or in capitals. */
const typed = fc
  .record({
    path,
    from: fc.nat(6),
    length: fc.integer({ min: 1, max: 12 }),
    typos: fc.array(fc.record({ at: fc.nat(12), kind: fc.constantFrom('drop', 'swap', 'add', 'upper', 'space') }), {
      maxLength: 3,
    }),
  })
  .map(({ path: text, from, length, typos }) => {
    let letters = [...text].slice(from, from + length);
    for (const { at, kind } of typos) {
      const [one = '', two = ''] = letters.slice(at, at + 2);
      const changed = { drop: [two], swap: [two, one], add: [one, 'b', two], upper: [one.toUpperCase(), two] };
      letters = letters.toSpliced(at, 2, ...(kind === 'space' ? [one, ' ', two] : changed[kind]));
    }
    // Slashes between words and at the ends say nothing or ask for directories: a table of the crate has them.
    return letters
      .join('')
      .replaceAll(/\/{2,}/gu, '/')
      .replaceAll(/(?<=^|\s)\/+|\/+(?=$|\s)/gu, '');
  })
  .filter((query) => query.trim() !== '');

test('an answer names its guesses, through the library, mentions and the command line', async () => {
  const kinds = new Set<GuessKind | undefined>();
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { minLength: 1, maxLength: 12, selector: (one) => one.normalize('NFC').toLowerCase() }),
      fc.array(typed, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(1, 2, 100),
      async (paths, queries, limit) => {
        const root = createTree(Object.fromEntries(paths.map((one) => [one, ''])) satisfies Tree);
        const workspace = createWorkspace({ root, stateDirectory: join(temporaryDirectory(), 'state') });
        const provider = createMentionProvider({ workspace });
        for (const query of queries) {
          for (const cache of [false, true, true]) {
            const { matches, guess } = await fuzzyFind({ query, path: root, cache, maxResults: limit });
            expectNamed({ paths: matches, guess }, query, cache ? 'cached' : 'uncached');
            kinds.add(guess);
          }
          const listed = await fuzzyFind({ query, candidates: Object.freeze([...paths]), maxResults: limit });
          expectNamed({ paths: listed.matches, guess: listed.guess }, query, 'a list');
          const mentioned = await provider.suggest(query, { limit });
          expectNamed({ paths: mentioned?.suggestions ?? [], guess: mentioned?.guess }, query, 'mentions');
          const { stdout } = await cairn(['find', '--limit', String(limit), '--json', '--', query], { cwd: root });
          const { matches, guess, notices } = JSON.parse(stdout) as CommandDocument;
          expectNamed({ paths: matches, guess }, query, 'the command');
          expect(notices.some((notice) => notice.startsWith('no listed path contains'))).toBe(guess !== undefined);
        }
        invalidateFsScanCache(root);
      },
    ),
    {
      seed: 27,
      numRuns: 150,
      // The guess ranks first.
      examples: [[['dir/cat.x', 'bad/cat.x'], ['d/c'], 100]],
    },
  );
  expect(kinds).toEqual(new Set(['initials', 'scattered', 'typo', undefined]));
}, 120_000);

interface CommandDocument {
  readonly matches: Answer['paths'];
  readonly guess?: GuessKind;
  readonly notices: readonly string[];
}
