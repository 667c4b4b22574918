import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fuzzyFind, glob, grep, invalidateFsScanCache } from '@cairn/natives';
import fc from 'fast-check';
import { newDirectory, removeTree, writeTree } from '../support/tree.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';

const editsPerTree = 12;

interface Edit {
  readonly kind: 'write' | 'ignore' | 'remove' | 'make' | 'move' | 'link' | 'set back' | 'copy';
  readonly path: string;
  readonly other: string;
  readonly rule: string;
}

/** A few places, so that edits meet. Links may lead out of the root, and what they lead to is edited too. */
const places: readonly string[] = [
  [
    'root/a',
    'root/b',
    'root/c',
    'root/.h',
    'root/a/a',
    'root/a/b',
    'root/b/a',
    'root/b/.h',
    'root/a/a/a',
    'root/b/c/a',
  ],
  ['outside/a', 'outside/b', 'outside/a/b', 'outside/c', 'root/link/a', 'root/link/b', 'root/a/link/c'],
].flat();

const linkPlaces: readonly string[] = ['root/link', 'root/a/link', 'root/c', 'outside/link', 'outside/c'];

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Edit['kind']>('write', 'make', 'remove', 'move') },
    { weight: 2, arbitrary: fc.constantFrom<Edit['kind']>('ignore', 'link') },
    { weight: 1, arbitrary: fc.constantFrom<Edit['kind']>('set back', 'copy') },
  ),
  path: fc.constantFrom(...places),
  other: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...places) }, fc.constantFrom(...linkPlaces)),
  rule: fc.constantFrom('a', '/a', 'b/', '*', '!a', 'c', 'link', 'a/b', '**/a\n!b', ''),
});

/** The cache against no cache: a case is an edit that the cache is told of, behind which both must say the same. */
export const cacheFuzzer: Fuzzer = createFuzzer<readonly Edit[]>({
  name: 'cache',
  casesPerBatch: editsPerTree,
  batch: fc.array(edit, { minLength: 1, maxLength: editsPerTree, size: 'max' }),
  compare: async (edits) => {
    const top = newDirectory();
    try {
      writeTree(top, { root: { 'a/a': { x: 'x' }, b: { '.h': { y: 'x' } }, d: 'x' }, outside: { a: { z: 'x' } } });
      const differences = [...(await compareRoots(top))];
      let hits = 0;
      for (const given of edits) {
        const changed = apply(top, given);
        if (changed.length > 0) hits++;
        for (const path of changed) invalidateFsScanCache(path);
        const found = await compareRoots(top);
        if (found.length > 0) return { cases: edits.length, hits, differences: [JSON.stringify(given), ...found] };
      }
      return { cases: edits.length, hits, differences };
    } finally {
      removeTree(top);
      invalidateFsScanCache(top);
    }
  },
});

/** Makes an edit, if it can be made, and returns what it changed. */
function apply(top: string, { kind, path, other, rule }: Edit): string[] {
  const [one, two] = [join(top, path), join(top, other)];
  try {
    switch (kind) {
      case 'write':
        mkdirSync(dirname(one), { recursive: true });
        writeFileSync(one, 'x\n');
        // A directory that was made on the way changed as well.
        return [one, dirname(one)];
      case 'ignore':
        writeFileSync(join(dirname(one), '.gitignore'), `${rule}\n`);
        return [join(dirname(one), '.gitignore')];
      case 'make':
        mkdirSync(one, { recursive: true });
        return [one, dirname(one)];
      case 'remove':
        if (!lstatSync(one, { throwIfNoEntry: false })) return [];
        rmSync(one, { recursive: true });
        return [one];
      case 'move': {
        if (existsSync(two)) return [];
        // When it is a link that moves into what it leads to, nothing says afterwards where that was.
        const landed = join(realpathSync(dirname(two)), basename(two));
        renameSync(one, two);
        return [one, two, landed];
      }
      case 'link':
        symlinkSync(join(top, path.startsWith('root') ? 'outside' : 'root/a'), two);
        return [two];
      case 'set back':
        utimesSync(one, 1_000_000_000, 1_000_000_000);
        return [one];
      case 'copy':
        if (existsSync(two)) return [];
        cpSync(one, two, { recursive: true, verbatimSymlinks: true });
        return [two];
    }
  } catch {
    // What cannot be done here changed at most what was made on the way.
    return [one, two, dirname(one)];
  }
}

/** What the cache says differently than a scan of now, by root and question. */
async function compareRoots(top: string): Promise<string[]> {
  const found: string[] = [];
  for (const root of ['root', 'root/a', 'outside']) {
    const path = join(top, root);
    if (!existsSync(path) || !lstatSync(path).isDirectory()) continue;
    for (const [question, ask] of Object.entries(questions)) {
      const [ours, expected] = [await ask(path, true), await ask(path, false)];
      if (isDeepStrictEqual(ours, expected)) continue;
      found.push(`  ${question} in ${root}: ${JSON.stringify({ cached: ours, uncached: expected })}`);
    }
  }
  return found;
}

const questions: Readonly<Record<string, (path: string, cache: boolean) => Promise<unknown>>> = {
  glob: (path, cache) => glob({ path, cache, pattern: '**', hidden: true }),
  'glob without hidden ones': (path, cache) => glob({ path, cache, pattern: '*' }),
  'glob without rules, by time': (path, cache) =>
    glob({ path, cache, pattern: '**', gitignore: false, sortByMtime: true }),
  fuzzyFind: (path, cache) => fuzzyFind({ path, cache, query: 'a', hidden: true }),
  'fuzzyFind of everything': (path, cache) => fuzzyFind({ path, cache, query: '', gitignore: false }),
  grep: (path, cache) => grep({ path, cache, pattern: 'x' }),
};
