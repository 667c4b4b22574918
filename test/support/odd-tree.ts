import { join } from 'node:path';
import fc from 'fast-check';
import { git } from './tools.ts';
import type { Tree } from './tree.ts';
import { bytesName, fifo, newDirectory, symlink, writeTree } from './tree.ts';

/** Every random part of the tree comes from this, so that every run has the same tree. */
const seed = 20_261_121;

/** Names that have broken a tool before. */
const oddNames: readonly string[] = [
  'plain.txt',
  'new\nline.txt',
  '\nnewline first',
  'newline last\n',
  'carriage\rreturn',
  'tab\there',
  'bell\u0007',
  'delete\u007F',
  ' space first',
  'space last ',
  'spaces   within',
  'dot last.',
  '...',
  '..two dots',
  '.hidden',
  '-',
  '-rf',
  '--help',
  '*',
  '**',
  '?',
  'a*b',
  'a?b',
  '[',
  ']',
  '[abc]',
  '[!abc]',
  '[a-z].txt',
  '{',
  '}',
  '{a,b}',
  '{}',
  ',',
  'back\\slash',
  '\\',
  '\\*',
  '!bang',
  '#hash',
  '$HOME',
  '`tick`',
  '"double"',
  "'single'",
  '~',
  '%2F',
  'co:lon',
  'semi;colon',
  'a&b|c<d>e',
  '(round)',
  'CASE',
  'case',
  'CON',
  '0',
  '__proto__.js',
  'caf\u00E9',
  'cafe\u0301',
  '漢字.txt',
  '😀.md',
  '\u202Egnp.exe',
  '\u200Bzero width',
  '\uFEFFmark',
  'x'.repeat(255),
  `${'x'.repeat(250)}.log`,
  'é'.repeat(127),
  '漢'.repeat(85),
  bytesName(0xff),
  bytesName(0x66, 0xff, 0x2e, 0x74, 0x78, 0x74),
  bytesName(0x2e, 0xfe),
  bytesName(0x61, 0xc3),
  bytesName(0xed, 0xa0, 0x80),
];

function files(names: readonly string[], content: (name: string) => string): Tree {
  return Object.fromEntries(names.map((name) => [name, content(name)]));
}

function directories(names: readonly string[], inside: Tree): Tree {
  return Object.fromEntries(names.map((name) => [name, inside]));
}

const rootRules = `# a comment, and a blank line

*.log
!important.log
/top-only.txt
/anchored/
build/
dist/*
!dist/keep.txt
docs/*.tmp
**/cache
**/deep/**/x.txt
first/**/last
inside/**
!inside/kept.txt
\\#looks-like-a-comment
\\!looks-like-a-negation
\\*star
with space.txt
quoted blank\\ 
trailing blanks.txt   
temp?
[abc]-class
[a-c0-3]-range
*.[oa]
only-ignored/*
.dot-ignored
!.dot-shown
links/ignored-*
odd-names/*.md
ends-in-star*
twice.txt
!twice.txt
twice.txt
`;

/** What each rule of the root is about, and its neighbours that it is not about. */
const ruled: Tree = {
  'top-only.txt': '',
  'sub/top-only.txt': '',
  'anchored/a.txt': '',
  'sub/anchored/a.txt': '',
  'a.log': '',
  'important.log': '',
  'sub/a.log': '',
  'sub/important.log': '',
  'build/out.txt': '',
  'sub/build/out.txt': '',
  'sub/more/build': 'a file, which a rule for directories leaves alone',
  'dist/keep.txt': '',
  'dist/drop.txt': '',
  'dist/sub/keep.txt': '',
  'docs/a.tmp': '',
  'docs/a.md': '',
  'docs/sub/a.tmp': '',
  'sub/docs/a.tmp': '',
  'cache/a': '',
  'sub/more/cache': '',
  'deep/x.txt': '',
  'deep/a/b/x.txt': '',
  'sub/deep/a/x.txt': '',
  'sub/shallow/x.txt': '',
  'first/last/a.txt': '',
  'first/a/b/last': '',
  'first/a/last.txt': '',
  'inside/kept.txt': '',
  'inside/dropped.txt': '',
  'inside/sub/kept.txt': '',
  '#looks-like-a-comment': '',
  '!looks-like-a-negation': '',
  '*star': '',
  'a star': '',
  'with space.txt': '',
  'with space.md': '',
  'quoted blank ': '',
  'quoted blank': '',
  'trailing blanks.txt': '',
  'trailing blanks.txt   ': '',
  temp: '',
  temp1: '',
  temp12: '',
  'a-class': '',
  'd-class': '',
  '2-range': '',
  '4-range': '',
  'lib.o': '',
  'lib.a': '',
  'lib.so': '',
  'only-ignored/a': '',
  'only-ignored/b': '',
  '.dot-ignored': '',
  '.dot-shown': '',
  'sub/.dot-shown/a.txt': '',
  'ends-in-star.txt': '',
  'twice.txt': '',
};

const nested: Tree = {
  '.gitignore': '*\n!*/\n!*.keep\n',
  'a.keep': '',
  'a.drop': '',
  'reopened/.gitignore': '!*.drop\n!/.gitignore\n',
  'reopened/a.drop': '',
  'reopened/a.other': '',
  'closed/.gitignore': '*.keep\n',
  'closed/a.keep': '',
  'crlf/.gitignore': '# Windows\r\n!*.drop\r\nsecond.drop\r\n\r\n!.gitignore\r\n',
  'crlf/a.drop': '',
  'crlf/second.drop': '',
  'bom/.gitignore': '\uFEFF!a.drop\n!b.drop\n',
  'bom/a.drop': '',
  'bom/b.drop': '',
  'no-final-newline/.gitignore': '!a.drop\n!b.drop',
  'no-final-newline/a.drop': '',
  'no-final-newline/b.drop': '',
};

/** An ignored directory stays closed, whatever other rules state about its contents. */
const closed: Tree = {
  '.gitignore': 'vendor/\n!vendor/keep.txt\n!vendor/**\nhalf/*\n!half/open/\nhalf/open/*\n!half/open/keep.txt\n',
  'vendor/keep.txt': '',
  'vendor/.gitignore': '!*\n',
  'half/a.txt': '',
  'half/open/a.txt': '',
  'half/open/keep.txt': '',
  'half/shut/keep.txt': '',
};

const dotIgnoreRules: Tree = {
  '.ignore': '*.md\n!important.log\n!a.log\n/sub/shallow/\nodd-dirs/case/\n# not a rule\n',
  'nested/.ignore': '!a.drop\n',
  'nested/reopened/.ignore': 'a.drop\r\n',
  'sub/.ignore': '!anchored/\n!build/\n*.json\n',
  'sub/data.json': '',
  'dot-ignore/.gitignore': 'a\n!b\n',
  'dot-ignore/.ignore': '!a\nb\n',
  'dot-ignore/a': '',
  'dot-ignore/b': '',
  'dot-ignore/inner/.gitignore': '!b\na\n',
  'dot-ignore/inner/a': '',
  'dot-ignore/inner/b': '',
};

const links: Tree = {
  'to-file': symlink('../docs/a.md'),
  'to-directory': symlink('../docs'),
  'to-ignored': symlink('../a.log'),
  'ignored-link': symlink('../docs/a.md'),
  broken: symlink('nowhere'),
  self: symlink('self'),
  'to-parent': symlink('..'),
  'to-pipe': symlink('../pipe'),
  absolute: symlink('/'),
  // A rule for directories does not concern a link to one.
  build: symlink('../docs'),
  'new\nline link': symlink('to-file'),
};

/** The names that {@link ruleArbitrary} makes rules for. */
const ruleTargets: readonly string[] = [
  'a',
  'b',
  'ab',
  'abc',
  'a.txt',
  'b.txt',
  'a b',
  '.a',
  'B',
  'x/a',
  'x/ab',
  'x/a.txt',
  'x/y/a',
  'x/y/b.txt',
  'x/y/z/a',
  'x/b/c/a.txt',
  '.x/a',
  'bb/a',
  'bb/b.txt',
  'bb/bb/bb',
];

/** One part of a rule between slashes, without anything on which git and ripgrep disagree. */
const partArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'ab', 'x', 'y', 'bb', 'a.txt', 'b.txt', '.a', '.x', 'a b', 'A') },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom('a', 'b', '*', '?', '[ab]', '[a-c]', '.txt', '\\a', '.', '[]a]'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((pieces) => pieces.join('')),
  },
  { weight: 1, arbitrary: fc.constant('**') },
);

const ruleArbitrary = fc
  .tuple(
    fc.constantFrom('', '', '', '!'),
    fc.constantFrom('', '', '/'),
    fc.array(partArbitrary, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '/'),
    fc.constantFrom('', '', '', '  '),
  )
  .map(([negation, start, parts, end, blanks]) => `${negation}${start}${parts.join('/')}${end}${blanks}`);

const ruleFileArbitrary = fc
  .tuple(fc.array(ruleArbitrary, { minLength: 1, maxLength: 5 }), fc.constantFrom('\n', '\n', '\r\n'), fc.boolean())
  .map(([rules, newline, isEnded]) => rules.join(newline) + (isEnded ? newline : ''));

/** Directories with the same content, each under other rules. */
function randomRules(fileName: string, directoryCount: number, seedOffset: number): Tree {
  const contents = fc.sample(fc.tuple(ruleFileArbitrary, ruleFileArbitrary), {
    seed: seed + seedOffset,
    numRuns: directoryCount,
  });
  return Object.fromEntries(
    contents.map(([outer, inner], index) => [
      `${String(index).padStart(3, '0')}`,
      { ...files(ruleTargets, () => ''), [fileName]: outer, ...(index % 3 === 0 && { [`x/${fileName}`]: inner }) },
    ]),
  );
}

/** Small files, the same on every run, below directories of one letter. */
function randomFiles(): Tree {
  const name = fc.string({ unit: fc.constantFrom(...'abcxyz012.-_ [{*?é漢'), minLength: 1, maxLength: 6 });
  const path = fc
    .tuple(fc.constantFrom('p', 'q', 'p/q', 'q/p/q'), name)
    .map(([directory, file]) => `${directory}/${file}`);
  const isName = (text: string): boolean => !/(^|\/)\.{1,2}$/u.test(text);
  return files(fc.sample(path.filter(isName), { seed, numRuns: 150 }), (text) => `${text}\n`);
}

export interface OddTreeOptions {
  /** Also write `.ignore` files, which git does not know. */
  readonly dotIgnore: boolean;
  /** How many directories with random rules. */
  readonly randomDirectoryCount?: number | undefined;
}

/** The directories of an odd tree that are repositories of their own. */
export const ownRepositories: readonly string[] = ['nested-repository', 'linked-worktree'];

/** Writes a git repository full of odd names and ignore rules into a new temporary directory; the caller removes it. */
export function createOddTree({ dotIgnore, randomDirectoryCount = 80 }: OddTreeOptions): string {
  const root = newDirectory();
  writeTree(root, {
    '.gitignore': rootRules,
    ...ruled,
    nested,
    closed,
    links,
    'odd-names': files(oddNames, (name) => `${name}\n`),
    'odd-dirs': directories(oddNames, { 'inner.txt': '', '.inner': '', 'inner.log': '' }),
    empty: {},
    'empty-deep/a/b': {},
    pipe: fifo(),
    'excluded-privately.txt': '',
    'node_modules/package/index.js': '',
    'random-files': randomFiles(),
    'random-rules': randomRules('.gitignore', randomDirectoryCount, 1),
    'nested-repository': {
      '.gitignore': '/own-rule\n!a.log\n',
      'own-rule': '',
      'a.log': '',
      'b.log': '',
      'c.txt': '',
      'privately.txt': '',
      'build/out.txt': '',
    },
  });
  if (dotIgnore)
    writeTree(root, { ...dotIgnoreRules, 'random-dot-ignore': randomRules('.ignore', randomDirectoryCount, 2) });
  git(['init', '--quiet'], root);
  writeTree(root, { '.git/info/exclude': '# private\nexcluded-privately.txt\n/temp12\n!a-class\n' });
  const repository = join(root, 'nested-repository');
  git(['init', '--quiet'], repository);
  writeTree(repository, { '.git/info/exclude': 'privately.txt\n' });
  git(['add', 'c.txt', '.gitignore'], repository);
  git(['commit', '--quiet', '--message', 'one'], repository);
  git(['worktree', 'add', '--quiet', '--detach', '../linked-worktree'], repository);
  writeTree(join(root, 'linked-worktree'), { 'privately.txt': '', 'own-rule': '', 'new.txt': '' });
  git(['add', 'docs', 'sub/shallow', 'random-files/p'], root);
  return root;
}
