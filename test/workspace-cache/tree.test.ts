import { createCodingTools, createWorkspace } from '@cairn/coding-agent';
import { fsScanCacheStats, glob, invalidateFsScanCache } from '@cairn/natives';
import type { TreeFormat } from '@cairn/workspace-cache';
import { spawnSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hostileNames, forgedIn } from '../support/hostile-names.ts';
import { countTokens } from '../support/tokenizer.ts';
import { git } from '../support/tools.ts';
import { bytesName, createTree, symlink, temporaryDirectory, writeTree } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { createTestCache } from './support.ts';

/** The depth and the limit of the source document. */
const indentForm = { format: 'indent', depth: 3, maxCharacters: 10_000 } as const;

const linesOf = (tree: string): string[] => (tree === '' ? [] : tree.split('\n'));

async function treeOf(tree: Tree, options: Parameters<typeof createTestCache>[1] = {}): Promise<string[]> {
  const { cache } = createTestCache(createTree(tree), { ...indentForm, ...options });
  return linesOf((await cache.tree()).tree);
}

describe('a tree shows', () => {
  test('three levels, and how many entries the next one has', async () => {
    expect(await treeOf({ 'a/b/c/d/e': '', 'a/b/f': '', 'a/g/h': '', i: '', empty: {} })).toEqual([
      'a/',
      '  b/',
      '    c/ (1)',
      '    f',
      '  g/',
      '    h',
      'empty/',
      'i',
    ]);
  });

  test('names in the order of their bytes', async () => {
    const names = ['B', 'a', 'a-b', 'a.ts', 'Z', '_', 'é', 'ﬀ', '漢', '😀', '0'];
    const expected = names.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
    expect(await treeOf(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(expected);
  });

  test('none of the excluded directories, at any depth, and counts them', async () => {
    const names = 'node_modules .git dist build coverage .next .nuxt out __pycache__ venv .venv target'.split(' ');
    const inside = Object.fromEntries(names.map((name) => [name, { 'x.js': '' }]));
    const { cache } = createTestCache(createTree({ 'a.ts': '', 'pkg/b.ts': '', pkg: inside, ...inside }), {
      ...indentForm,
    });
    const { tree, metadata } = await cache.tree();
    // A directory with `.git` in it is a repository of its own.
    expect(linesOf(tree)).toEqual(['a.ts', 'pkg/ (git repository)']);
    expect(metadata).toMatchObject({ entries: 2, excluded: names.length - 1, hiddenSecrets: 0, truncated: false });
  });

  test('files of these names, and what the ignore rules leave', async () => {
    const tree = { '.gitignore': '*.log\n/private/\n', build: '', 'a.log': '', 'private/x': '', '.git/HEAD': '' };
    expect(await treeOf(tree)).toEqual(['.gitignore', 'build']);
    expect(await treeOf(tree, { gitignore: false })).toEqual(['.gitignore', 'a.log', 'build', 'private/', '  x']);
  });

  test('no hidden directories but the allowed ones, and hidden files', async () => {
    const tree = { '.github/a': '', '.aigne/b': '', '.vscode/c': '', '.editorconfig': '', 'src/.cache/d': '' };
    expect(await treeOf(tree)).toEqual(['.aigne/', '  b', '.editorconfig', '.github/', '  a', 'src/']);
    expect(await treeOf(tree, { allow: ['.vscode'] })).toEqual(['.editorconfig', '.vscode/', '  c', 'src/']);
    expect(await treeOf(tree, { hidden: true, depth: 1 })).toEqual([
      '.aigne/ (1)',
      '.editorconfig',
      '.github/ (1)',
      '.vscode/ (1)',
      'src/ (1)',
    ]);
  });

  test('no secrets, even allowed ones, and counts them', async () => {
    const secrets = ['.env', '.ENV.local', 'id_rsa', 'server.PEM', 'credentials.json', '.npmrc'];
    const tree = {
      ...Object.fromEntries(secrets.map((name) => [name, 'x'])),
      '.env.example': '',
      'id_rsa.pub': '',
      '.ssh/config': '',
      link: symlink('.env'),
      'src/credentials/a.ts': '',
    };
    const { cache } = createTestCache(createTree(tree), { format: 'paths', allow: ['.env', '.ssh'], hidden: true });
    const { tree: text, metadata } = await cache.tree();
    expect(linesOf(text)).toEqual(['.env.example', 'id_rsa.pub', 'src/', 'src/credentials/', 'src/credentials/a.ts']);
    expect(metadata.hiddenSecrets).toBe(secrets.length + 2);
  });

  test('no links to secrets, into secret directories, and to secrets that are not there', async () => {
    const root = createTree({
      // A secret name above the root counts for nothing.
      '.docker/project': {
        '.ssh/config': '',
        'src/a': '',
        '.aws': symlink('src'),
        directory: symlink('.ssh'),
        inside: symlink('.ssh/config'),
        between: symlink('inside'),
        'no-directory': symlink('/nowhere/.AWS'),
        'no-file': symlink('nothing.pem'),
        'no-inside': symlink('/nowhere/.kube/config'),
        up: symlink('src/../.env'),
        open: symlink('src/a'),
      },
    });
    const { cache } = createTestCache(join(root, '.docker/project'), indentForm);
    const { tree, metadata } = await cache.tree();
    expect(linesOf(tree)).toEqual(['open -> src/a', 'src/', '  a']);
    expect(metadata.hiddenSecrets).toBe(9);
  });

  test('an excluded directory that holds tracked files as one line, and what else git tracks', async () => {
    const root = createTree({
      '.gitignore': '*.log\n/private/\n',
      'build/tracked': '',
      'build/deep/x': '',
      'dist/x': '',
      'kept.log': '',
      'lost.log': '',
      'private/kept': '',
      'private/lost': '',
      '.hidden/tracked': '',
    });
    git(['init', '--quiet'], root);
    git(['add', '--force', 'build/tracked', 'kept.log', 'private/kept', '.hidden'], root);
    const { cache } = createTestCache(root, indentForm);
    const { tree, metadata } = await cache.tree();
    expect(linesOf(tree)).toEqual(['.gitignore', 'build/ (not listed)', 'kept.log', 'private/', '  kept']);
    // dist, .hidden, lost.log and private/lost.
    expect(metadata).toMatchObject({ entries: 5, excluded: 4 });
    git(['add', '--force', 'dist/x'], root);
    expect(linesOf((await cache.tree()).tree)).toContain('dist/ (not listed)');
    expect(linesOf((await cache.tree({ language: 'zh' })).tree)).toContain('dist/ (未列出)');
  });

  test('what the caller allows, though an ignore rule has it', async () => {
    const tree = { '.gitignore': '/generated/\n', '.git/HEAD': '', 'generated/a': '', 'generated/b/c': '' };
    expect(await treeOf(tree, { allow: ['generated'] })).toEqual(['.gitignore', 'generated/', '  a', '  b/', '    c']);
  });

  test('what the caller allows, though the fixed list has it', async () => {
    const tree = { 'dist/a': '', 'build/b': '', 'pkg/dist/c': '' };
    expect(await treeOf(tree, { allow: ['dist'] })).toEqual(['dist/', '  a', 'pkg/', '  dist/', '    c']);
    expect(await treeOf(tree, { exclude: ['pkg'] })).toEqual(['build/', '  b', 'dist/', '  a']);
  });

  test('links with their targets, without following them', async () => {
    const tree = { 'real/a': '', link: symlink('real'), broken: symlink('no/such'), loop: symlink('.'), 'x -> y': '' };
    expect(await treeOf(tree)).toEqual([
      'broken -> no/such',
      'link -> real',
      'loop -> .',
      'real/',
      '  a',
      String.raw`x -\u{3E} y`,
    ]);
  });

  test('nested repositories and worktrees without their contents', async () => {
    const root = createTree({ 'own/a': '', 'src/b': '' });
    git(['init', '--quiet'], root);
    git(['init', '--quiet'], join(root, 'own'));
    git(['add', 'src'], root);
    git(['commit', '--quiet', '--message', 'one'], root);
    git(['worktree', 'add', '--quiet', '--detach', 'worktree'], root);
    git(['init', '--quiet', '--bare', 'bare'], root);
    const { cache } = createTestCache(root, { ...indentForm, depth: 1 });
    const lines = linesOf((await cache.tree()).tree);
    expect(lines.slice(1)).toEqual(['own/ (git repository)', 'src/ (1)', 'worktree/ (git repository)']);
    expect(lines[0]).toMatch(/^bare\/ \(\d+\)$/u);
  });

  test('nothing of an empty root', async () => {
    const { cache, warnings } = createTestCache(createTree({}));
    expect(await cache.tree()).toMatchObject({ tree: '', metadata: { entries: 0, size: 0, truncated: false } });
    expect(warnings).toEqual([]);
  });
});

describe('names', () => {
  const names = [...hostileNames, '```', '… 5 more', '... (truncated, 1 entries in total)', ' a', 'a ', '\\u{A}'];

  test.each<TreeFormat>(['box', 'indent', 'paths'])('cannot forge a line of the form %s', async (format) => {
    const lines = await treeOf({ d: Object.fromEntries(names.map((name) => [name, ''])) }, { format });
    expect(lines).toHaveLength(names.length + 1);
    expect(new Set(lines).size).toBe(lines.length);
    expect(forgedIn(lines.join('\n').replaceAll('12: FORGED', ''))).toBeUndefined();
    expect(lines.filter((line) => /^(?:\W*… \d+ more|\.\.\. \()/u.test(line))).toEqual([]);
  });

  test('that are not UTF-8 show their bytes', async () => {
    const tree = { [bytesName(0x66, 0xff)]: '', [bytesName(0xed, 0xa0, 0x80)]: '', 'back\\slash': '' };
    expect(await treeOf(tree)).toEqual([String.raw`back\\slash`, String.raw`f\xFF`, String.raw`\xED\xA0\x80`]);
  });
});

describe('the depth `auto`', () => {
  const deep = (count: number): Tree => ({
    ...Object.fromEntries(Array.from({ length: count - 2 }, (_, index) => [`file-${index}`, ''])),
    'a/b/c/d/e/f': '',
    'src/b/c/d/e/f': '',
  });
  const deepest = (lines: readonly string[], first: string): number =>
    Math.max(
      ...lines
        .filter((line) => line.startsWith(first))
        .map((line) => line.replace(/\/?(?: \(\d+\))?$/u, '').split('/').length),
    );

  test.each([
    [19, 4],
    [20, 3],
    [99, 3],
    [100, 2],
  ])('of %i root entries is %i, and one more in src', async (count, depth) => {
    const { cache } = createTestCache(createTree(deep(count)), { format: 'paths', depth: 'auto' });
    const { tree, metadata } = await cache.tree();
    expect(metadata).toMatchObject({ depth, truncated: false });
    expect(deepest(linesOf(tree), 'a/')).toBe(depth);
    expect(deepest(linesOf(tree), 'src/')).toBe(depth + 1);
  });

  test('does not count what is excluded', async () => {
    const excluded = { 'node_modules/a': '', 'dist/b': '', '.cache/c': '', '.env': '' };
    const { cache } = createTestCache(createTree({ ...deep(19), ...excluded }), { depth: 'auto' });
    expect((await cache.tree()).metadata.depth).toBe(4);
  });
});

describe('focus', () => {
  const tree = { 'a/b/c/d/e.ts': '', 'a/b/c/d/f.ts': '', 'a/b/c/g/h.ts': '', 'a/i': '', 'j/k/l': '' };

  test('shows the ancestors and siblings of a path at any depth', async () => {
    expect(await treeOf(tree, { depth: 1, focus: ['a/b/c/d/e.ts'] })).toEqual([
      'a/',
      '  b/',
      '    c/',
      '      d/',
      '        e.ts',
      '        f.ts',
      '      … 1 more',
      '  … 1 more',
      'j/ (1)',
    ]);
  });

  test('finds a name in another form of Unicode', async () => {
    const lines = await treeOf({ '\u00e9/x/y': '' }, { depth: 1, focus: ['e\u0301/x'] });
    expect(lines).toEqual(['\u00e9/', '  x/', '    y']);
  });

  test.each(['/a/b/c', './a/b/c', 'a/b/c/', 'a//b/c'])('accepts a path as %s', async (path) => {
    expect(await treeOf(tree, { depth: 1, focus: [path] })).toEqual(await treeOf(tree, { depth: 1, focus: ['a/b/c'] }));
  });

  test('reports a path that does not exist or is left out, once', async () => {
    const { cache, warnings } = createTestCache(createTree({ ...tree, 'dist/z': '' }), {
      focus: ['a/no', 'a/i', '../x', 'dist/z'],
    });
    expect((await cache.tree()).metadata.missingFocus).toEqual(['a/no', '../x', 'dist/z']);
    await cache.tree();
    expect(warnings).toEqual([
      `workspace cache of ${cache.root}: no such path in the tree: a/no, ../x, dist/z; focus on what exists and no rule leaves out`,
    ]);
  });
});

describe('metadata', () => {
  test('states the facts of the tree', async () => {
    const root = createTree({ 'src/a': '', 'src/b/c/d': '', 'node_modules/x/y': '', '.env': '', '.cache/z': '' });
    const { cache } = createTestCache(root, { clock: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
    const { tree, metadata, version } = await cache.tree();
    expect(metadata).toEqual({
      cachedAt: '2026-01-02T03:04:05.678Z',
      size: tree.length,
      depth: 3,
      entries: 5,
      truncated: false,
      excluded: 2,
      hiddenSecrets: 1,
      estimatedTokens: 25,
      buildTimeMs: expect.any(Number),
    });
    expect(version).toBeGreaterThan(0);
  });

  test('counts tokens with the tokenizer of the caller', async () => {
    const { cache } = createTestCache(createTree({ 'src/a': '', 需求: '' }), { countTokens });
    const { tree, metadata } = await cache.tree();
    expect(metadata.estimatedTokens).toBe(countTokens(tree));
    const other = await cache.tree({ countTokens: (text) => text.length });
    expect(other.metadata.estimatedTokens).toBe(tree.length);
  });
});

/** Trees of a Node package, a Python project and a monorepo. */
const fixtures: readonly (readonly [name: string, tree: Tree])[] = [
  [
    'a Node package',
    {
      'README.md': '',
      'package.json': '',
      'src/index.ts': '',
      'src/components/UserProfileCard.tsx': '',
      'src/components/NavigationBar.tsx': '',
      'src/utils/helper.ts': '',
      'src/utils/config.ts': '',
      'test/index.test.ts': '',
      'docs/getting-started.md': '',
      'docs/guide.md': '',
    },
  ],
  [
    'a Python project',
    {
      'pyproject.toml': '',
      'manage.py': '',
      'project/settings/base.py': '',
      'project/settings/production.py': '',
      'project/apps/accounts.py': '',
      'project/apps/models.py': '',
      'project/urls.py': '',
      'tests/test_views.py': '',
      'tests/test_models.py': '',
    },
  ],
  [
    'a monorepo',
    Object.fromEntries(
      ['api', 'web', 'shared', 'worker'].flatMap((name) =>
        ['package.json', 'README.md', 'src/index.ts', 'src/types.ts'].map((file) => [`packages/${name}/${file}`, '']),
      ),
    ),
  ],
];

test.each(fixtures)(
  'the form `indent` of %s has at most 60 % of the tokens of `box` (o200k_base)',
  async (_name, tree) => {
    const { cache } = createTestCache(createTree(tree), { depth: 4 });
    const [box, indent] = await Promise.all([cache.tree(), cache.tree({ format: 'indent', maxCharacters: 10_000 })]);
    expect(linesOf(indent.tree)).toHaveLength(linesOf(box.tree).length);
    expect(countTokens(indent.tree) / countTokens(box.tree)).toBeLessThanOrEqual(0.6);
  },
);

describe('limits', () => {
  test.each([
    [0, ''],
    [1, ''],
    [50, '... (truncated, 40 entries in total)'],
  ])('a limit of %i characters', async (maxCharacters, expected) => {
    const root = createTree(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`file-${index}`, ''])));
    const { cache } = createTestCache(root, { maxCharacters });
    const { tree, metadata } = await cache.tree();
    expect(tree).toBe(expected);
    expect(metadata).toMatchObject({ truncated: true, size: expected.length, entries: 40 });
  });

  test('a limit of tokens holds, and is nearly used', async () => {
    const names = Array.from({ length: 400 }, (_, index) => [`directory-${index % 20}/文件-${index}.ts`, '']);
    const { cache } = createTestCache(createTree(Object.fromEntries(names)));
    for (const maxTokens of [50, 500, 2000]) {
      for (const count of [undefined, countTokens]) {
        const { tree, metadata } = await cache.tree({ maxTokens, countTokens: count });
        expect(metadata.estimatedTokens).toBeLessThanOrEqual(maxTokens);
        expect(metadata.estimatedTokens).toBeGreaterThan(maxTokens * 0.5);
        expect(metadata.truncated).toBe(true);
        expect(tree.endsWith('... (truncated, 420 entries in total)')).toBe(true);
      }
    }
  });

  test('100,000 children of one directory', async () => {
    const root = temporaryDirectory();
    const { status } = spawnSync('sh', ['-c', 'mkdir many other && cd many && seq 100000 | xargs touch'], {
      cwd: root,
    });
    expect(status).toBe(0);
    writeTree(root, { 'other/a': '', 'other/b': '' });
    const { cache } = createTestCache(root);
    const { tree, metadata } = await cache.tree();
    const lines = linesOf(tree);
    expect(metadata).toMatchObject({ entries: 100_004, truncated: true });
    expect(tree.length).toBeLessThanOrEqual(10_000);
    expect(tree.length).toBeGreaterThan(9_900);
    expect(lines.slice(-4)).toEqual([
      '└── other/',
      '    ├── a',
      '    └── b',
      '... (truncated, 100004 entries in total)',
    ]);
    const many = lines.filter((line) => line.startsWith('│   ')).length;
    expect(lines[many]).toBe(`│   └── … ${100_000 - (many - 1)} more`);
  });
});

describe('one scan', () => {
  test('serves trees of all options, and glob after them', async () => {
    const root = createTree({ 'a/b/c/d': '', 'src/e': '', '.github/x': '' });
    const { cache } = createTestCache(root);
    const before = fsScanCacheStats();
    const trees = await Promise.all([cache.tree(), cache.tree({ format: 'paths' }), cache.tree({ depth: 1 })]);
    await cache.tree({ hidden: true, maxTokens: 5 });
    await glob({ path: root, pattern: '**/*', cache: true });
    const { misses, rescans, validations } = fsScanCacheStats();
    expect([misses, rescans, validations]).toEqual([before.misses + 1, before.rescans, before.validations]);
    expect(trees[0]?.tree).not.toBe(trees[1]?.tree);
  });

  test('gives the same bytes and version again, also after it is dropped', async () => {
    const root = createTree({ 'a/b/c/d': '', 'src/e': '', 漢字: '' });
    const first = await createTestCache(root).cache.tree();
    expect(await createTestCache(root).cache.tree()).toMatchObject({ tree: first.tree, version: first.version });
    invalidateFsScanCache();
    expect((await createTestCache(root).cache.tree()).tree).toBe(first.tree);
  });

  test('is followed by one of the written directory alone, and by a higher version', async () => {
    const root = createTree({ 'a/b/c': '', 'src/d': '' });
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    const { cache } = createTestCache(root, { workspace, format: 'paths' });
    const first = await cache.tree();
    const before = fsScanCacheStats();
    await createCodingTools({ workspace }).write.execute({ path: 'src/new.ts', content: '' });
    const second = await cache.tree();
    const after = fsScanCacheStats();
    expect(linesOf(second.tree)).toEqual([...linesOf(first.tree), 'src/new.ts']);
    expect(second.version).toBeGreaterThan(first.version);
    expect(second.metadata.entries).toBe(first.metadata.entries + 1);
    // A validation lists the changed directory alone; a rescan lists all.
    expect([after.validations, after.rescans]).toEqual([before.validations + 1, before.rescans]);
  });

  test('that fails is tried again', async () => {
    const root = temporaryDirectory();
    const { cache, warnings } = createTestCache(join(root, 'later'));
    expect((await cache.tree()).metadata.error).toMatch(/cannot find/u);
    expect((await cache.tree()).tree).toBe('');
    expect(warnings).toHaveLength(1);
    writeTree(root, { 'later/a': '' });
    invalidateFsScanCache(root);
    expect(await cache.tree()).toMatchObject({ tree: '└── a', metadata: { entries: 1 } });
    renameSync(join(root, 'later'), join(root, 'gone'));
    invalidateFsScanCache(root);
    expect((await cache.tree()).tree).toBe('');
    expect(warnings).toHaveLength(2);
  });
});

test('a tree that changes while it is read is shown in some state', async () => {
  const root = createTree({ 'src/keep': '' });
  const { cache } = createTestCache(root, { format: 'paths' });
  for (let turn = 0; turn < 30; turn++) {
    const pending = cache.tree();
    writeTree(root, { [`src/${turn}/deep/file`]: '' });
    if (turn % 3 === 0) rmSync(join(root, `src/${turn}`), { recursive: true });
    invalidateFsScanCache(root);
    const { tree, metadata } = await pending;
    expect(metadata.error).toBeUndefined();
    expect(linesOf(tree)).toContain('src/keep');
  }
  expect(linesOf((await cache.tree({ depth: 3, maxCharacters: 100_000 })).tree)).toContain('src/29/deep/ (1)');
});

describe('bad input', () => {
  test('the unknown and invalid options of a tree are rejected', async () => {
    const { cache } = createTestCache(createTree({ a: '' }));
    await expect(cache.tree({ depth: 0 })).rejects.toThrow('invalid option depth: 0. Use a whole number from 1');
    await expect(cache.tree({ root: '/' } as never)).rejects.toThrow('Unknown option root of tree. Use depth,');
    await expect(cache.tree('x' as never)).rejects.toThrow('The options of tree are not an object. Use depth,');
  });

  test('an aborted call rejects with the reason of its signal', async () => {
    const { cache } = createTestCache(createTree({ a: '' }));
    const reason = new Error('enough');
    await expect(cache.tree({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect((await cache.tree()).tree).toBe('└── a');
    await expect(cache.tree({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test.each<readonly [reason: string, path: (root: string) => string, message: RegExp]>([
    ['a root that does not exist', (root) => join(root, 'no'), /^cannot find .*\/no: .*; check the path/u],
    ['a file', (root) => join(root, 'a'), /\/a is not a directory; pass the directory/u],
    ['a path through a file', (root) => join(root, 'a/b'), /a\/b/u],
    ['a link to nothing', (root) => join(root, 'broken'), /broken/u],
  ])('%s as root gives an empty tree', async (_reason, path, message) => {
    const root = createTree({ a: '', broken: symlink('nowhere') });
    const { cache, warnings } = createTestCache(path(root));
    const { tree, metadata, version } = await cache.tree();
    expect({ tree, version }).toEqual({ tree: '', version: 0 });
    expect(metadata.error).toMatch(message);
    expect(warnings).toEqual([`workspace cache of ${path(root)}: ${metadata.error}`]);
  });

  test('a root that is a link is followed', async () => {
    const root = createTree({ 'real/a': '', link: symlink('real') });
    const { cache } = createTestCache(join(root, 'link'));
    expect((await cache.tree()).tree).toBe('└── a');
  });

  test('directories and roots without permission are reported', () => {
    const root = createTree({ 'closed/a': '', 'open/b': '', 'root/c': '' });
    chmodSync(root, 0o755);
    for (const name of ['closed', 'root']) chmodSync(join(root, name), 0o000);
    const code = `
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      const { createWorkspaceCache } = await import('@cairn/workspace-cache');
      const answers = [];
      for (const root of process.argv.slice(1)) {
        const warnings = [];
        const cache = createWorkspaceCache({ root, format: 'source', onWarning: ({ message }) => warnings.push(message) });
        const { message, run } = await cache.init({ userContext: {} });
        const { tree, metadata } = run.data.static;
        answers.push({ message, tree, error: metadata.error, warnings: warnings.length });
      }
      process.stdout.write(JSON.stringify(answers));`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', code, root, join(root, 'root')],
      { cwd: import.meta.dirname, encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      {
        message: 'Workspace cache initialized',
        tree: '├── closed/ (unreadable)\n├── open/\n│   └── b\n└── root/ (unreadable)',
        warnings: 0,
      },
      {
        message: 'Workspace cache initialization failed, will use on-demand loading',
        tree: '',
        error: `${root}/root cannot be read: permission denied; choose another root, or ask for the permission`,
        warnings: 1,
      },
    ]);
    chmodSync(join(root, 'closed'), 0o755);
    chmodSync(join(root, 'root'), 0o755);
  });

  test('a file that is written while nothing watches is shown after the time to live at the latest', async () => {
    const root = createTree({ a: '' });
    const { cache } = createTestCache(root, { format: 'paths' });
    await cache.tree();
    writeFileSync(join(root, 'b'), '');
    await expect.poll(async () => (await cache.tree()).tree).toBe('a\nb');
  });
});
