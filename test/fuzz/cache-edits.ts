import { execFileSync } from 'node:child_process';
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
import fc from 'fast-check';
import { writeTree } from '../support/tree.ts';

/** An edit of a tree with the directories `root`, which is searched, and `outside`, which links lead to. */
export interface Edit {
  readonly kind: 'write' | 'ignore' | 'remove' | 'make' | 'move' | 'link' | 'repository' | 'set back' | 'copy';
  readonly path: string;
  readonly other: string;
  readonly rule: string;
  readonly ruleFile: string;
  readonly target: string;
  /** Whether it is announced to the cache that expires. */
  readonly announced: boolean;
  /** Whether what it changed is settled when it is listed. */
  readonly settle: boolean;
  /** Which questions follow, and in which order. */
  readonly order: number;
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
  ['root/node_modules', 'root/node_modules/a', 'root/a/node_modules/b'],
  ['outside/a', 'outside/b', 'outside/a/b', 'outside/c', 'root/link/a', 'root/link/b', 'root/a/link/c'],
].flat();

const linkPlaces: readonly string[] = ['root/link', 'root/a/link', 'root/c', 'root/.link', 'outside/link', 'outside/c'];

/** In the order of what they lead to: directories, files, nothing, loops, all of the tree. Those with a `/` begin at the top. */
const targets: readonly string[] = [
  ['/outside', '/root/a', '/outside/a', '/root/node_modules', '/outside/link', 'a', '../b'],
  ['/root/d', '/outside/file', '/root/a/a/x'],
  ['missing', '/outside/missing/a'],
  ['link', 'c', '.', '..'],
].flat();

/** Rules that decide alike about a file and a directory of one name, and rules that do not. */
const rules: readonly string[] = [
  ['a', '/a', '*', '!a', 'c', 'link', 'a/b', '**/a\n!b', ''],
  [
    'b/',
    'a/',
    'link/',
    '*/',
    '*\n!*/',
    '/*\n!/a/',
    '!*/',
    'link\n!link/',
    'a/b/',
    '**/a/',
    '.*\n!.link/',
    'node_modules/',
  ],
].flat();

export const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Edit['kind']>('write', 'make', 'remove', 'move') },
    { weight: 4, arbitrary: fc.constant<Edit['kind']>('ignore') },
    { weight: 3, arbitrary: fc.constant<Edit['kind']>('link') },
    { weight: 1, arbitrary: fc.constantFrom<Edit['kind']>('set back', 'copy', 'repository') },
  ),
  path: fc.constantFrom(...places),
  other: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...places) }, fc.constantFrom(...linkPlaces)),
  rule: fc.constantFrom(...rules),
  ruleFile: fc.constantFrom('.gitignore', '.ignore', '.git/info/exclude'),
  target: fc.constantFrom(...targets),
  announced: fc.boolean(),
  settle: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true)),
  order: fc.nat({ max: 19 ** 7 }),
});

/** Makes the tree that the edits change. */
export function writeFirstTree(top: string): void {
  writeTree(top, {
    root: { 'a/a': { x: 'x' }, b: { '.h': { y: 'x' } }, d: 'x' },
    outside: { a: { z: 'x' }, file: 'x' },
  });
}

/** Makes an edit, if it can be made, and returns what it changed. */
export function apply(top: string, given: Edit): string[] {
  const [one, two] = [join(top, given.path), join(top, given.other)];
  try {
    return make(top, one, two, given);
  } catch {
    // An edit that cannot be made changed at most what was made on the way.
    return [one, two, dirname(one)];
  }
}

function make(top: string, one: string, two: string, { kind, rule, ruleFile, target }: Edit): string[] {
  switch (kind) {
    case 'write':
      mkdirSync(dirname(one), { recursive: true });
      writeFileSync(one, 'x\n');
      // A directory that was made on the way changed as well.
      return [one, dirname(one)];
    case 'ignore':
      writeFileSync(join(dirname(one), ruleFile), `${rule}\n`);
      return [join(dirname(one), ruleFile)];
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
      symlinkSync(target.startsWith('/') ? join(top, target) : target, two);
      return [two];
    case 'repository':
      return [toggleRepository(dirname(one))];
    case 'set back':
      utimesSync(one, 1_000_000_000, 1_000_000_000);
      return [one];
    case 'copy':
      // Onto a link that leads to itself, `cpSync` ends the process.
      if (lstatSync(two, { throwIfNoEntry: false })) return [];
      cpSync(one, two, { recursive: true, verbatimSymlinks: true });
      return [two];
  }
}

/** Makes a directory the top of a repository that tracks files of the first tree, or no longer one. */
function toggleRepository(directory: string): string {
  const git = join(directory, '.git');
  if (existsSync(git)) {
    rmSync(git, { recursive: true });
  } else {
    execFileSync('git', ['init', '--quiet', directory], { stdio: 'ignore' });
    execFileSync('git', ['add', '--force', '.'], { cwd: directory, stdio: 'ignore' });
  }
  return git;
}
