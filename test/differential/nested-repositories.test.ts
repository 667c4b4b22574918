import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileType, glob } from '@cairn/natives';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { difference, noDifference, useNeutralHome } from '../support/difference.ts';
import { gitListing, ripgrepListing } from '../support/listings.ts';
import { git } from '../support/tools.ts';
import { createTree } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

/** Files and links that no rule hides, by the directory below the root. */
async function ourFiles(root: string, hidden = true): Promise<string[]> {
  const { matches } = await glob({ pattern: '**', path: root, hidden });
  return matches.filter(({ fileType }) => fileType !== FileType.Dir).map(({ path }) => path);
}

/** What git lists of a repository, and of each repository inside that it names. */
function filesOfAll(root: string, env: Readonly<Record<string, string | undefined>> = {}): string[] {
  const { files, repositories } = gitListing(root, { env });
  return [
    ...files,
    ...repositories.flatMap((inner) => filesOfAll(join(root, inner), env).map((file) => `${inner}${file}`)),
  ];
}

const names = ['a.log', 'b.log', 'keep', '.env', '.hidden/x', 'build/out', 'sub/a.log', 'sub/keep'];
const files = Object.fromEntries(names.map((name) => [name, '']));

describe('a repository inside another one', () => {
  const cases: readonly (readonly [reason: string, outer: Tree, inner: Tree])[] = [
    ['rules around it', { '.gitignore': '*.log\nbuild/\n' }, {}],
    ['rules of its own', {}, { '.gitignore': '*.log\n!b.log\n' }],
    ['rules on both sides', { '.gitignore': '*\n!*/\n' }, { '.gitignore': 'keep\n' }],
    ['a rule around it with its path', { '.gitignore': 'inner/keep\n/inner/deep/**\n' }, {}],
    ['private excludes on both sides', {}, {}],
    ['everything shown again', { '.gitignore': '*.log\n' }, { '.gitignore': '!*.log\n' }],
  ];

  test.each(cases)('is listed as git lists it: %s', async (_reason, outer, inner) => {
    const root = createTree({ ...files, ...outer, inner: { ...files, ...inner, deep: { ...files, core: files } } });
    for (const repository of ['', 'inner', 'inner/deep/core']) {
      git(['init', '--quiet'], join(root, repository));
      const exclude = join(root, repository, '.git/info/exclude');
      writeFileSync(exclude, repository === 'inner' ? 'sub\n' : 'a.log\n');
    }
    expect(difference(await ourFiles(root), filesOfAll(root))).toEqual(noDifference);
    expect(difference(await ourFiles(join(root, 'inner')), filesOfAll(join(root, 'inner')))).toEqual(noDifference);
    const ripgrep = ripgrepListing(root, ['--hidden']);
    expect(difference(await ourFiles(root), ripgrep)).toEqual(noDifference);
  });

  test('may be a worktree or a submodule, with a .git file', async () => {
    const root = createTree({ ...files, '.gitignore': '*.log\n', inner: { ...files, '.gitignore': 'keep\n' } });
    git(['init', '--quiet'], root);
    mkdirSync(join(root, '.git/modules'));
    git(['init', '--quiet', '--separate-git-dir', join(root, '.git/modules/inner')], join(root, 'inner'));
    writeFileSync(join(root, '.git/modules/inner/info/exclude'), 'sub/\n');
    expect(difference(await ourFiles(root), filesOfAll(root))).toEqual(noDifference);
  });

  test('goes on with .ignore files and the global excludes', async () => {
    const root = createTree({
      ...files,
      '.ignore': 'build\n',
      inner: files,
      home: { '.config/git/ignore': '*.log\n' },
    });
    vi.stubEnv('HOME', join(root, 'home'));
    vi.stubEnv('XDG_CONFIG_HOME', '');
    for (const repository of ['', 'inner']) git(['init', '--quiet'], join(root, repository));
    const ours = await ourFiles(root);
    expect(ours.filter((path) => path.startsWith('inner/'))).toEqual(
      ['inner/.env', 'inner/.hidden/x', 'inner/keep', 'inner/sub/keep'].toSorted(),
    );
    useNeutralHome();
  });
});

describe('a hidden name', () => {
  test('is not shown by a rule that includes it again', async () => {
    const root = createTree({ ...files, '.gitignore': '*\n!.env\n!keep\n!.hidden\n!.hidden/**\n' });
    expect(await ourFiles(root, false)).toEqual(['keep']);
    expect(await ourFiles(root, true)).toEqual(['.env', '.hidden/x', 'keep']);
  });
});

describe('git configuration', () => {
  beforeAll(useNeutralHome);

  /** Compares with git under a home directory, in a repository with a configuration. */
  async function compare(home: Tree, config: string): Promise<string[]> {
    const root = createTree({
      work: { ...home, repository: { ...files, 'A.LOG': '', 'Sub/Keep': '', '.gitignore': 'sub/KEEP\n' } },
    });
    const repository = join(root, 'work/repository');
    const env = { HOME: join(root, 'work'), XDG_CONFIG_HOME: undefined, GIT_CONFIG_GLOBAL: undefined };
    git(['init', '--quiet'], repository);
    mkdirSync(join(repository, '.git/more'));
    writeFileSync(join(repository, '.git/config'), `[core]\n\trepositoryformatversion = 0\n${config}`);
    writeFileSync(join(repository, '.git/more/first'), '[core]\n\texcludesFile = ~/first\n[include]\n\tpath = second');
    writeFileSync(join(repository, '.git/more/second'), '[core]\n\tignoreCase\n');
    vi.stubEnv('HOME', env.HOME);
    vi.stubEnv('XDG_CONFIG_HOME', '');
    try {
      const ours = await ourFiles(repository);
      expect(difference(ours, gitListing(repository, { env }).files)).toEqual(noDifference);
      return ours;
    } finally {
      useNeutralHome();
    }
  }

  const home = { first: '*.log\n', second: '.env\n', 'third/config': '[core]\n\texcludesFile = ~/second\n' };
  test.each<[reason: string, home: Tree, config: string, hidden: string[]]>([
    ['the default excludes file', { '.config/git/ignore': 'build\n' }, '', ['build/out']],
    ['a file named in .gitconfig', { ...home, '.gitconfig': '[core]\n\texcludesFile = ~/first\n' }, '', ['a.log']],
    ['an included file', { ...home, '.gitconfig': '[include]\n\tpath = third/config\n' }, '', ['.env']],
    ['an included file that is missing', { ...home, '.gitconfig': '[include]\n\tpath = none\n' }, '', []],
    [
      'the order of values and includes',
      { ...home, '.gitconfig': '[include]\n\tpath = third/config\n[core]\n\texcludesFile = ~/first' },
      '',
      ['a.log'],
    ],
    [
      'files that include others, and any case',
      home,
      '[include]\n\tpath = more/first\n',
      ['a.log', 'A.LOG', 'sub/keep'],
    ],
    ['any case, set and reset', home, '[core]\n\tignorecase = true\n\tignorecase = no\n', []],
    ['any case of the repository rules', {}, '[core]\n\tIgnoreCase = 1\n', ['sub/keep', 'Sub/Keep']],
    [
      'a condition that holds',
      { ...home, '.gitconfig': '[includeIf "gitdir:**/work/"]\n\tpath = third/config' },
      '',
      ['.env'],
    ],
    [
      'a condition on a name',
      { ...home, '.gitconfig': '[includeIf "gitdir:repository/.git"]\n\tpath = third/config' },
      '',
      ['.env'],
    ],
    [
      'a condition in any case',
      { ...home, '.gitconfig': '[includeIf "gitdir/i:WORK/"]\n\tpath = third/config' },
      '',
      ['.env'],
    ],
    [
      'a condition that does not hold',
      { ...home, '.gitconfig': '[includeIf "gitdir:WORK/"]\n\tpath = third/config' },
      '',
      [],
    ],
    [
      'a condition in any case with a reversed range',
      { ...home, '.gitconfig': '[includeIf "gitdir/i:w[z-n]rk/"]\n\tpath = third/config' },
      '',
      [],
    ],
    [
      'a condition below the home',
      { ...home, '.gitconfig': '[includeIf "gitdir:~/"]\n\tpath = third/config' },
      '',
      ['.env'],
    ],
    [
      'a condition next to the file',
      { ...home, '.gitconfig': '[includeIf "gitdir:./rep*/"]\n\tpath = third/config' },
      '',
      ['.env'],
    ],
    ['a condition next to the file, which is not above', home, '[includeIf "gitdir:./"]\n\tpath = more/first', []],
    ['an empty value', { '.config/git/ignore': 'build\n' }, '[core]\n\texcludesFile =\n', []],
  ])('is followed: %s', async (_reason, tree, config, hidden) => {
    const shown = await compare(tree, config);
    expect(hidden.filter((path) => shown.includes(path))).toEqual([]);
  });
});
