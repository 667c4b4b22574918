import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GlobOptions } from '@cairn/natives';
import { FileType, glob } from '@cairn/natives';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { difference, noDifference, settledDifference, useNeutralHome } from '../support/difference.ts';
import { diskListing, gitIgnored, gitListing, ripgrepListing } from '../support/listings.ts';
import type { OddTreeOptions } from '../support/odd-tree.ts';
import { createOddTree, ownRepositories } from '../support/odd-tree.ts';
import { git } from '../support/tools.ts';
import { createTree, removeTree } from '../support/tree.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/u, '');
const nodeModules = join(repository, 'node_modules');

/** Everything below a root, in the order of the result. */
async function everything(path: string, options: Partial<GlobOptions> = {}) {
  const result = await glob({ pattern: '**', path, hidden: true, includeNodeModules: true, ...options });
  expect(result).toMatchObject({ complete: true, totalMatches: result.matches.length });
  return result.matches;
}

/** What git calls files: symbolic links among them. */
async function filesAndLinks(path: string, options?: Partial<GlobOptions>): Promise<string[]> {
  const matches = await everything(path, options);
  return matches.filter(({ fileType }) => fileType !== FileType.Dir).map((match) => match.path);
}

/** What ripgrep calls files. */
async function filesOnly(path: string, options?: Partial<GlobOptions>): Promise<string[]> {
  const matches = await everything(path, options);
  return matches.filter(({ fileType }) => fileType === FileType.File).map((match) => match.path);
}

function isInOwnRepository(path: string): boolean {
  return ownRepositories.some((directory) => path.startsWith(`${directory}/`));
}

beforeAll(useNeutralHome);

/** Builds an odd tree that lives as long as the tests of this file. */
function useOddTree(options: OddTreeOptions): { root: string } {
  const tree = { root: '' };
  beforeAll(() => {
    tree.root = createOddTree(options);
    return () => removeTree(tree.root);
  });
  return tree;
}

const oddTree = useOddTree({ dotIgnore: false });
const oddTreeWithDotIgnore = useOddTree({ dotIgnore: true });

describe('the repository itself', () => {
  test('has the files that git lists', async () => {
    const theirs = () => gitListing(repository).files;
    expect(theirs().length).toBeGreaterThan(100);
    expect(await settledDifference(() => filesAndLinks(repository), theirs)).toEqual(noDifference);
  });

  test('has the files that ripgrep lists, with and without hidden ones', async () => {
    for (const hidden of [true, false]) {
      const theirs = () => ripgrepListing(repository, hidden ? ['--hidden'] : []);
      expect(await settledDifference(() => filesOnly(repository, { hidden }), theirs)).toEqual(noDifference);
    }
  });

  test('has the files below a subdirectory that git lists there', async () => {
    const root = join(repository, 'packages/natives');
    const theirs = () => gitListing(root).files;
    expect(theirs()).toContain('src/index.ts');
    expect(await settledDifference(() => filesAndLinks(root), theirs)).toEqual(noDifference);
  });
});

describe('the node_modules of the repository, without ignore rules', () => {
  test('has the files that ripgrep lists', async () => {
    const theirs = () => ripgrepListing(nodeModules, ['--hidden', '--no-ignore']);
    expect(theirs().length).toBeGreaterThan(1000);
    expect(await settledDifference(() => filesOnly(nodeModules, { gitignore: false }), theirs)).toEqual(noDifference);
  });

  test('has every file, directory and link on the disk, in byte order', async () => {
    const line = (path: string, fileType: FileType): string => `${fileType} ${path}`;
    let order: string[] = [];
    const ours = async () => {
      const matches = await everything(nodeModules, { gitignore: false });
      order = matches.map(({ path, fileType }) => line(path, fileType));
      return order;
    };
    let sorted: string[] = [];
    const theirs = () => {
      const entries = diskListing(nodeModules).toSorted((a, b) => (a.bytes < b.bytes ? -1 : 1));
      sorted = entries.map(({ path, fileType }) => line(path, fileType));
      return sorted;
    };
    expect(await settledDifference(ours, theirs)).toEqual(noDifference);
    expect(order.findIndex((entry, index) => entry !== sorted[index])).toBe(-1);
    expect(order.some((entry) => entry.startsWith(`${FileType.Symlink} `))).toBe(true);
  });
});

describe.each([
  { name: 'an odd tree', tree: oddTree },
  { name: 'an odd tree with .ignore files', tree: oddTreeWithDotIgnore },
])('$name', ({ tree }) => {
  test('has every file, directory and link on the disk when no rule applies, in byte order', async () => {
    const entries = diskListing(tree.root).toSorted((a, b) => (a.bytes < b.bytes ? -1 : 1));
    const matches = await everything(tree.root, { gitignore: false });
    expect(entries.length).toBeGreaterThan(2000);
    expect(matches.map(({ path }) => path)).toEqual(entries.map(({ path }) => path));
    expect(matches.map(({ fileType }) => fileType)).toEqual(entries.map(({ fileType }) => fileType));
  });

  test('marks exactly the names that are not valid UTF-8', async () => {
    const entries = diskListing(tree.root).filter(({ path, bytes }) => Buffer.from(path).toString('latin1') !== bytes);
    const lossy = (await everything(tree.root, { gitignore: false })).filter(({ lossyPath }) => lossyPath);
    expect(lossy.length).toBeGreaterThan(10);
    expect(difference(paths(lossy), paths(entries))).toEqual(noDifference);
  });

  test('has the files that ripgrep lists', async () => {
    expect(difference(await filesOnly(tree.root), withoutShared(ripgrepListing(tree.root, ['--hidden'])))).toEqual(
      noDifference,
    );
  });

  test('has the files that ripgrep lists without hidden ones', async () => {
    const ours = await filesOnly(tree.root, { hidden: false });
    expect(ours).not.toContain('.gitignore');
    expect(difference(ours, withoutShared(ripgrepListing(tree.root)))).toEqual(noDifference);
  });

  test('has the same entries from the cache, and in parts', async () => {
    const whole = await everything(tree.root);
    expect(await everything(tree.root, { cache: true })).toEqual(whole);
    expect(await everything(tree.root, { cache: true })).toEqual(whole);
    for (const directory of ['sub', 'odd-dirs', 'random-rules', 'closed/half', 'empty']) {
      const part = await everything(tree.root, { pattern: `${directory}/**` });
      expect(part, directory).toEqual(whole.filter(({ path }) => path.startsWith(`${directory}/`)));
    }
  });

  test.each(['sub', 'sub/shallow', 'nested', 'nested/crlf', 'closed/half', 'random-rules/000/x', 'links', 'empty'])(
    'has the files that ripgrep lists in %s',
    async (directory) => {
      const theirs = ripgrepListing(join(tree.root, directory), ['--hidden']);
      expect(difference(await filesOnly(join(tree.root, directory)), theirs)).toEqual(noDifference);
    },
  );

  test.each(['build', 'only-ignored', 'closed/vendor', 'anchored', 'closed/half/shut'])(
    'has the files that ripgrep lists in %s, which a rule ignores',
    async (directory) => {
      const theirs = ripgrepListing(join(tree.root, directory), ['--hidden']);
      expect(difference(await filesOnly(join(tree.root, directory)), theirs)).toEqual(noDifference);
    },
  );
});

describe('an odd tree, as git sees it', () => {
  const tree = oddTree;

  test('has the files that git lists', async () => {
    const theirs = gitListing(tree.root);
    expect(theirs.repositories.toSorted()).toEqual(ownRepositories.map((directory) => `${directory}/`).toSorted());
    const ours = (await filesAndLinks(tree.root)).filter((path) => !isInOwnRepository(path));
    expect(difference(ours, theirs.files)).toEqual(noDifference);
  });

  test('has exactly the entries that git does not ignore', async () => {
    const entries = diskListing(tree.root).filter(({ path }) => !isInOwnRepository(path));
    const ignored = gitIgnored(tree.root, entries);
    expect(ignored.size).toBeGreaterThan(500);
    const ours = (await everything(tree.root)).filter(({ path }) => !isInOwnRepository(path));
    const theirs = entries.filter(({ bytes }) => !ignored.has(bytes));
    expect(difference(paths(ours), paths(theirs))).toEqual(noDifference);
  });

  test.each(['sub', 'nested', 'nested/reopened', 'closed', 'dist', 'random-rules', 'odd-dirs', 'empty-deep'])(
    'has the files that git lists in %s',
    async (directory) => {
      const theirs = gitListing(join(tree.root, directory)).files;
      expect(difference(await filesAndLinks(join(tree.root, directory)), theirs)).toEqual(noDifference);
    },
  );

  test.each(ownRepositories)('has the files that git lists in %s, a repository of its own', async (directory) => {
    const theirs = gitListing(join(tree.root, directory)).files;
    expect(theirs).toContain('c.txt');
    expect(difference(await filesAndLinks(join(tree.root, directory)), theirs)).toEqual(noDifference);
  });
});

describe('the global excludes file', () => {
  const cases: readonly (readonly [reason: string, home: Readonly<Record<string, string>>])[] = [
    ['named in .gitconfig, with a tilde', { '.gitconfig': '[core]\n\texcludesFile = ~/excludes\n' }],
    ['named in quotes', { '.gitconfig': '[core]\n\texcludesfile = "~/excludes"\n' }],
    [
      'named next to a comment and other settings',
      { '.gitconfig': '[user]\nname = a\n[core]\n#excludesfile = ~/no\nexcludesfile=~/excludes\npager = cat\n' },
    ],
    ['named in the XDG configuration', { '.config/git/config': '[core]\n\texcludesFile = ~/excludes\n' }],
    ['in its default place', { '.config/git/ignore': '' }],
  ];
  /** The same, where ripgrep does not read the configuration as git does. */
  const casesOfGitAlone: typeof cases = [
    ['named with a space in it', { '.gitconfig': '[core]\n\texcludesFile = ~/my excludes\n', 'my excludes': '' }],
    ['named twice: the last counts', { '.gitconfig': '[core]\nexcludesFile = ~/no\nexcludesFile = ~/excludes\n' }],
    ['named in a line with a comment', { '.gitconfig': '[core]\nexcludesFile = ~/excludes # mine\n' }],
    ['named in one line with its section', { '.gitconfig': '[core] excludesFile = ~/excludes\n' }],
  ];
  const rules = '*.global\n/top.txt\n!kept.global\nkept-by-gitignore\nanchored/below.txt\n';

  test.each([...cases, ...casesOfGitAlone])('%s, hides what git hides', async (reason, home) => {
    const homeFiles = Object.fromEntries(
      Object.entries(home).map(([path, text]) => [path, text === '' ? rules : text]),
    );
    const root = createTree({
      home: { excludes: rules, ...homeFiles },
      work: {
        '.gitignore': '!kept-by-gitignore\n',
        'a.global': '',
        'kept.global': '',
        'top.txt': '',
        'kept-by-gitignore': '',
        'plain.txt': '',
        'sub/a.global': '',
        'sub/top.txt': '',
        'sub/anchored/below.txt': '',
        'anchored/below.txt': '',
      },
    });
    const work = join(root, 'work');
    git(['init', '--quiet'], work);
    const env = { HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'home/.config'), GIT_CONFIG_GLOBAL: undefined };
    try {
      vi.stubEnv('HOME', env.HOME);
      vi.stubEnv('XDG_CONFIG_HOME', env.XDG_CONFIG_HOME);
      for (const directory of [work, join(work, 'sub')]) {
        const theirs = gitListing(directory, { env }).files;
        expect(theirs).not.toContain('a.global');
        expect(difference(await filesAndLinks(directory), theirs), directory).toEqual(noDifference);
      }
      const isRead = cases.some(([known]) => known === reason);
      const other = isRead ? ripgrepListing(work, ['--hidden'], { env }) : gitListing(work, { env }).files;
      expect(difference(await filesOnly(work), other)).toEqual(noDifference);
    } finally {
      useNeutralHome();
    }
  });
});

describe('rules from above a root', () => {
  test('do not reach a root that is in no repository', async () => {
    const root = createTree({
      '.gitignore': 'a.txt\n',
      'work/a.txt': '',
      'work/b.txt': '',
      'work/.gitignore': 'b.txt\n',
    });
    expect(existsSync(join(root, '.git'))).toBe(false);
    expect(await filesOnly(join(root, 'work'))).toEqual(['.gitignore', 'a.txt']);
  });

  test('do not pass the top of a repository', async () => {
    const root = createTree({
      '.gitignore': 'a.txt\n',
      'work/.gitignore': 'b.txt\n',
      'work/sub/a.txt': '',
      'work/sub/b.txt': '',
    });
    git(['init', '--quiet'], join(root, 'work'));
    for (const directory of ['work', 'work/sub']) {
      const theirs = gitListing(join(root, directory)).files;
      expect(difference(await filesOnly(join(root, directory)), theirs)).toEqual(noDifference);
    }
    expect(await filesOnly(join(root, 'work/sub'))).toEqual(['a.txt']);
  });

  test('of .ignore files reach every root below', async () => {
    const root = createTree({ '.ignore': 'a.txt\n', 'work/sub/a.txt': '', 'work/sub/b.txt': '' });
    const sub = join(root, 'work/sub');
    expect(await filesOnly(sub)).toEqual(ripgrepListing(sub));
    expect(await filesOnly(sub)).toEqual(['b.txt']);
  });
});

function paths(entries: readonly { readonly path: string }[]): string[] {
  return entries.map(({ path }) => path);
}

/** ripgrep does not read the exclude file that a linked worktree shares with its repository. */
function withoutShared(listing: readonly string[]): string[] {
  return listing.filter((path) => path !== 'linked-worktree/privately.txt');
}
