import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FileType, glob } from '@cairn/natives';
import fc from 'fast-check';
import { difference } from '../support/difference.ts';
import { diskListing, gitIgnored, gitListing, ripgrepListing } from '../support/listings.ts';
import type { DiskEntry } from '../support/listings.ts';
import { newDirectory, removeTree } from '../support/tree.ts';
import type { BatchResult, Fuzzer } from './fuzzer.ts';
import { createFuzzer } from './fuzzer.ts';
import type { RuleFile } from './ignore-rules.ts';
import { plainRuleFile, ruleFile, ruledNames, toRuleBytes } from './ignore-rules.ts';

/** Each directory has the same names under other rules. */
const directoriesPerTree = 16;

interface RuledTree {
  /** The ignore files of each directory, by their place in it. */
  readonly directories: readonly Readonly<Record<string, RuleFile | undefined>>[];
  /** `.git/info/exclude`. */
  readonly exclude: RuleFile | undefined;
  /** What `core.excludesFile` names. */
  readonly global: RuleFile | undefined;
  /** The repositories inside: in which directory, where in it, and their `info/exclude`. */
  readonly repositories: readonly InnerRepository[];
  /** How the configuration is spread over files that include one another. */
  readonly includes: number;
  /** `core.ignoreCase`. */
  readonly ignoreCase: boolean;
}

interface InnerRepository {
  readonly directory: number;
  readonly place: string;
  readonly exclude: RuleFile | undefined;
  readonly ignoreCase: boolean;
}

const sometimes = <T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary });

function directoriesWith(places: Readonly<Record<string, fc.Arbitrary<RuleFile | undefined>>>) {
  return fc.array(fc.record(places), { minLength: 1, maxLength: directoriesPerTree, size: 'max' });
}

/** Ignore rules against git: a case is a directory with one to three files of rules, and the verdict on some 70 paths. */
export const ignoreFuzzer: Fuzzer = createFuzzer<RuledTree>({
  name: 'ignore',
  casesPerBatch: directoriesPerTree,
  batch: fc.record({
    directories: directoriesWith({
      '.gitignore': ruleFile,
      'x/.gitignore': sometimes(3, ruleFile),
      'x/y/.gitignore': sometimes(1, ruleFile),
    }),
    exclude: sometimes(2, ruleFile),
    global: sometimes(2, ruleFile),
    repositories: fc.uniqueArray(
      fc.record({
        directory: fc.nat(directoriesPerTree - 1),
        place: fc.constantFrom('x', 'x/y', 'y', 'éé', ''),
        exclude: sometimes(3, ruleFile),
        ignoreCase: fc.boolean(),
      }),
      { maxLength: 4, selector: ({ directory, place }) => `${directory}/${place}` },
    ),
    includes: fc.nat(3),
    ignoreCase: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  compare: (tree) => onTree(tree, compareWithGit),
});

/** `.ignore`, which git does not know, next to `.gitignore` against ripgrep. */
export const dotIgnoreFuzzer: Fuzzer = createFuzzer<RuledTree>({
  name: 'dot-ignore',
  casesPerBatch: directoriesPerTree,
  batch: fc.record({
    directories: directoriesWith({
      '.ignore': plainRuleFile,
      '.gitignore': sometimes(5, plainRuleFile),
      'x/.ignore': sometimes(3, plainRuleFile),
      'x/.gitignore': sometimes(3, plainRuleFile),
    }),
    exclude: sometimes(2, plainRuleFile),
    global: fc.constant(undefined),
    repositories: fc.constant([]),
    includes: fc.constant(0),
    ignoreCase: fc.constant(false),
  }),
  compare: (tree) => onTree(tree, compareWithRipgrep),
});

async function onTree(tree: RuledTree, compare: (root: string, tree: RuledTree) => Promise<BatchResult>) {
  const root = newDirectory();
  try {
    writeRepository(root, tree);
    return await compare(root, tree);
  } finally {
    removeTree(root);
  }
}

/** What `git init` would make, as far as ignore rules need it. */
function initialize(root: string, config: string, exclude: RuleFile | undefined): void {
  for (const directory of ['.git/objects', '.git/refs', '.git/info'])
    mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, '.git/config'), config);
  if (exclude !== undefined) writeFileSync(join(root, '.git/info/exclude'), toRuleBytes(exclude));
}

function writeRepository(root: string, tree: RuledTree): void {
  const { directories, exclude, global, includes, ignoreCase } = tree;
  const wanted = `[core]\n\texcludesFile = ${root}/.git/global\n\tignoreCase = ${ignoreCase}\n`;
  const base = '[core]\n\tbare = false\n\texcludesFile = none\n\tignoreCase\n';
  const include = (path: string): string => `[include]\n\tpath = ${path}\n`;
  const condition = '[includeIf "gitdir:.git"]\n\tpath = more/0\n[includeIf "gitdir:/none/"]\n\tpath = bad\n';
  initialize(root, includes === 0 ? base + wanted : base + (includes === 1 ? include('more/0') : condition), exclude);
  mkdirSync(join(root, '.git/more'));
  writeFileSync(join(root, '.git/bad'), '[core]\n\texcludesFile = bad\n');
  // A chain of files; the last one has the values.
  for (let index = 0; index <= includes; index++)
    writeFileSync(join(root, `.git/more/${index}`), index === includes ? wanted : include(String(index + 1)));
  if (global !== undefined) writeFileSync(join(root, '.git/global'), toRuleBytes(global));
  for (const [index, files] of directories.entries()) {
    for (const name of ruledNames) write(join(root, nameOf(index), name), '');
    for (const [name, rules] of Object.entries(files))
      if (rules !== undefined) write(join(root, nameOf(index), name), toRuleBytes(rules));
  }
  for (const { directory, place, exclude: own, ignoreCase: anyCase } of innerRepositories(tree)) {
    const config = `[core]\n\tbare = false\n\tignoreCase = ${anyCase}\n\texcludesFile = ${root}/.git/global\n`;
    initialize(join(root, nameOf(directory), place), config, own);
  }
}

/** Those in directories that the tree has. */
function innerRepositories({ directories, repositories }: RuledTree): readonly InnerRepository[] {
  return repositories.filter(({ directory }) => directory < directories.length);
}

function write(path: string, content: string | Uint8Array): void {
  try {
    writeFileSync(path, content);
  } catch {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

function nameOf(index: number): string {
  return `d${String(index).padStart(2, '0')}`;
}

/** What git ignores in a repository and, by their own rules, in the repositories inside that it does not ignore. */
function ignoredByAll(root: string, entries: readonly DiskEntry[], tops: readonly string[]): Set<string> {
  // git does not answer about what is in a repository inside.
  const inside =
    (top: string): ((path: string) => boolean) =>
    (path) =>
      path.startsWith(`${top}/`);
  const nested = tops.filter((top) => !tops.some((other) => inside(other)(top)));
  const ignored = gitIgnored(
    root,
    entries.filter(({ path }) => !nested.some((top) => inside(top)(path))),
  );
  for (const top of nested) {
    const below = entries.filter(({ path }) => inside(top)(path));
    const start = Buffer.byteLength(`${top}/`);
    const itself = entries.find(({ path }) => path === top);
    if (itself === undefined || ignored.has(itself.bytes)) {
      for (const { bytes } of below) ignored.add(bytes);
      continue;
    }
    const relative = below.map((entry) => ({
      ...entry,
      path: entry.path.slice(top.length + 1),
      bytes: entry.bytes.slice(start),
    }));
    const tail = tops.filter(inside(top)).map((other) => other.slice(top.length + 1));
    for (const bytes of ignoredByAll(join(root, top), relative, tail)) ignored.add(itself.bytes + '/' + bytes);
  }
  return ignored;
}

/** The files that git lists in a repository and in each repository inside that it names. */
function filesOfAll(root: string): string[] {
  const { files, repositories } = gitListing(root);
  return [...files, ...repositories.flatMap((top) => filesOfAll(join(root, top)).map((file) => top + file))];
}

async function compareWithGit(root: string, tree: RuledTree): Promise<BatchResult> {
  const { directories } = tree;
  const searching = everything(root);
  const entries = diskListing(root);
  const tops = innerRepositories(tree).map(({ directory, place }) => nameOf(directory) + (place && `/${place}`));
  const ignored = ignoredByAll(root, entries, tops);
  const theirFiles = filesOfAll(root);
  const ours = await searching;
  const files = ours.filter(({ fileType }) => fileType === FileType.File).map(({ path }) => path);
  const theirs = entries.filter(({ bytes }) => !ignored.has(bytes));
  const differences = [
    ...differencesByDirectory(directories, pathsOf(ours), pathsOf(theirs)),
    ...differencesByDirectory(directories, files, theirFiles),
    ...(await partDifferences(root, pathsOf(ours))),
  ];
  const hits = directories.filter((_, index) => {
    return entries.some(({ path, bytes }) => path.startsWith(`${nameOf(index)}/`) && ignored.has(bytes));
  });
  return { cases: directories.length, hits: hits.length, differences };
}

async function compareWithRipgrep(root: string, { directories }: RuledTree): Promise<BatchResult> {
  const searching = everything(root);
  const theirs = ripgrepListing(root, ['--hidden']);
  const ours = await searching;
  const files = ours.filter(({ fileType }) => fileType === FileType.File).map(({ path }) => path);
  const differences = [
    ...differencesByDirectory(directories, files, theirs),
    ...(await partDifferences(root, pathsOf(ours))),
  ];
  const hits = directories.filter((_, index) => {
    return theirs.filter((path) => path.startsWith(`${nameOf(index)}/`)).length < ruledNames.length;
  });
  return { cases: directories.length, hits: hits.length, differences };
}

async function everything(path: string, pattern = '**', cache = false) {
  const { matches } = await glob({ path, pattern, cache, hidden: true });
  return matches;
}

function pathsOf(entries: readonly { readonly path: string }[]): string[] {
  return entries.map(({ path }) => path);
}

/** A part of the tree, its cached scan, and a scan that begins inside must show what the whole scan shows. */
async function partDifferences(root: string, whole: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const expect = (what: string, ours: readonly string[], expected: readonly string[]): void => {
    const { onlyOurs, onlyTheirs } = difference(ours, expected);
    if (onlyOurs.length + onlyTheirs.length > 0) found.push(`  ${what}: ${JSON.stringify({ onlyOurs, onlyTheirs })}`);
  };
  expect('cached', pathsOf(await everything(root, '**', true)), whole);
  for (const directory of ['d00', 'd00/x', 'd01/x/y']) {
    const below = whole.filter((path) => path.startsWith(`${directory}/`));
    expect(`${directory}/**`, pathsOf(await everything(root, `${directory}/**`)), below);
    // A root that a rule hides is searched all the same.
    if (!whole.includes(directory)) continue;
    const inside = pathsOf(await everything(join(root, directory)));
    expect(
      `in ${directory}`,
      inside.map((path) => `${directory}/${path}`),
      below,
    );
  }
  return found;
}

function differencesByDirectory(
  directories: RuledTree['directories'],
  ours: readonly string[],
  theirs: readonly string[],
): string[] {
  const { onlyOurs, onlyTheirs } = difference(ours, theirs);
  return directories.flatMap((files, index) => {
    const isHere = (path: string): boolean => path.startsWith(`${nameOf(index)}/`);
    const here = { shown: onlyOurs.filter(isHere), hidden: onlyTheirs.filter(isHere) };
    if (here.shown.length + here.hidden.length === 0) return [];
    return [`  ${nameOf(index)} ${JSON.stringify(files)}: ${JSON.stringify(here)}`];
  });
}
