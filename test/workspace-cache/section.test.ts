import { createCodingTools, createWorkspace, nodeFileOperations } from '@cairn/coding-agent';
import type { FileOperations, OpenFile } from '@cairn/coding-agent';
import type { WorkspaceCacheOptions, WorkspaceRun } from '@cairn/workspace-cache';
import { appendFileSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { settled } from '../support/settled.ts';
import { git } from '../support/tools.ts';
import { createTree, fifo, symlink, temporaryDirectory, writeTree } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { createTestCache } from './support.ts';

const golden = (name: string): string => fileURLToPath(new URL(`goldens/${name}.txt`, import.meta.url));

const project: Tree = {
  'README.md': '# Sample\n\nA project.\n',
  'package.json': '{ "name": "sample" }\n',
  'src/index.js': '',
  'src/utils/helper.js': '',
  'src/utils/deep/er/bottom.js': '',
  'docs/guide.md': '',
  'node_modules/x/index.js': '',
};

const clock = (): number => Date.UTC(2026, 0, 2, 3, 4, 5, 678);

async function runOf(tree: Tree | string, options: Partial<WorkspaceCacheOptions> = {}): Promise<WorkspaceRun> {
  const root = typeof tree === 'string' ? tree : createTree(tree);
  return (await createTestCache(root, { clock, ...options }).cache.init({ userContext: {} })).run;
}

/** Lists a directory as an agent does. */
async function list(run: WorkspaceRun, path: string, ...names: readonly string[]): Promise<void> {
  await settled(path);
  const items = names.map((name) => ({ name, isDirectory: !name.includes('.') }));
  await run.wrapWithCache(async (directory: string) => (directory === path ? items : []))(path);
}

/** A repository with two commits, a changed and a new file. */
function repository(): string {
  const root = createTree(project);
  git(['init', '--quiet', '--initial-branch', 'main'], root);
  git(['add', 'README.md', 'package.json'], root);
  git(['commit', '--quiet', '--message', 'begin'], root);
  git(['commit', '--quiet', '--allow-empty', '--message', 'fix `a`\n\nbody'], root);
  appendFileSync(join(root, 'README.md'), 'more\n');
  return root;
}

describe('the section', () => {
  // The source document names the tool `afs_list`.
  const sourceNames = { list: 'afs_list', read: 'afs_read' };

  test.each<readonly [name: string, options: Partial<WorkspaceCacheOptions>]>([
    ['section.en', {}],
    ['section.zh', { language: 'zh', toolNames: sourceNames }],
    ['section-times.en', { showTime: true }],
    ['section-times.zh', { language: 'zh', toolNames: sourceNames, showTime: true }],
  ])('with listings: %s', async (name, options) => {
    const root = createTree(project);
    const run = await runOf(root, options);
    await list(run, join(root, 'src/utils/deep'), 'er');
    await list(run, join(root, 'src'), 'index.js', 'utils');
    const listings = Object.keys(run.data.dynamic);
    expect(listings).toHaveLength(2);
    await expect(run.section().replaceAll(root, '/root')).toMatchFileSnapshot(golden(name));
  });

  test.each<readonly [name: string, options: Partial<WorkspaceCacheOptions>]>([
    ['section-alone.en', {}],
    ['section-alone.zh', { language: 'zh', toolNames: sourceNames }],
  ])('with the tree alone: %s', async (name, options) => {
    await expect((await runOf(project, { ...options, maxCharacters: 80 })).section()).toMatchFileSnapshot(golden(name));
  });

  test.each<readonly [name: string, options: Partial<WorkspaceCacheOptions>]>([
    ['section-core-files.en', {}],
    ['section-core-files.zh', { language: 'zh', toolNames: sourceNames }],
  ])('with core files and git: %s', async (name, options) => {
    const run = await runOf(repository(), { ...options, coreFiles: true, git: true });
    await expect(run.section()).toMatchFileSnapshot(golden(name));
  });

  test.each<readonly [reason: string, tree: Tree | string, options: Partial<WorkspaceCacheOptions>, expected: string]>([
    [
      'a root that cannot be read',
      '/no/such/root',
      {},
      'The directory structure cache is not available. Use the `ls` tool to list directories on demand.',
    ],
    [
      'a root that cannot be read, in Chinese',
      '/no/such/root',
      { language: 'zh', toolNames: sourceNames },
      '目录结构缓存不可用，请使用 `afs_list` 工具按需查询。',
    ],
    [
      'a limit of 0',
      project,
      { maxCharacters: 0 },
      'The directory structure cache is not available. Use the `ls` tool to list directories on demand.',
    ],
    ['an empty root', {}, {}, 'The workspace has no entries to show.'],
    ['an empty root, in Chinese', {}, { language: 'zh' }, 'workspace 中没有可显示的内容。'],
  ])('without a tree: %s', async (_reason, tree, options, expected) => {
    const section = (await runOf(tree, options)).section();
    const [heading, text, ...rest] = section.split('\n\n');
    expect(heading).toMatch(/^## \S/u);
    expect(text).toBe(expected);
    expect(rest).toEqual([]);
  });

  test.each<readonly [reason: string, options: Partial<WorkspaceCacheOptions>, levels: number]>([
    ['less than its depth', {}, 3],
    ['more of src than the depth `auto`', { depth: 'auto' }, 5],
    ['more of a focus', { depth: 1, focus: ['src/b/c/d/e/f'] }, 6],
    ['more of a focus than its limit', { depth: 1, focus: ['src/b/c/d/e/f'], maxCharacters: 60 }, 1],
  ])('states how many levels it has at most where it shows %s', async (_reason, options, levels) => {
    const tree = options.depth === undefined ? { a: '' } : { 'src/b/c/d/e/f': '', [`long-${'x'.repeat(30)}`]: '' };
    expect((await runOf(tree, options)).section()).toContain(
      `(at most ${levels} ${levels === 1 ? 'level' : 'levels'} deep)`,
    );
  });

  test.each(['en', 'zh'] as const)('names no tool for an agent that cannot list directories (%s)', async (language) => {
    const root = createTree(project);
    const run = await runOf(root, { language });
    await list(run, join(root, 'docs'), 'guide.md');
    const section = run.section({ list: false });
    await expect(section.replaceAll(root, '/root')).toMatchFileSnapshot(golden(`section-no-list.${language}`));
    expect(section).not.toMatch(/`ls`|\bls\b/u);
    expect(run.section({ list: 'LS' })).toContain('`LS`');
    // Each agent keeps its bytes, and none sees later listings anywhere but in its updates.
    await list(run, join(root, 'src'), 'index.js', 'utils');
    expect(run.section({ list: false })).toBe(section);
    expect(run.section()).not.toContain('  index.js');
    const updates = run.updates({ list: false });
    expect(updates).toContain('  index.js');
    expect(updates).not.toMatch(/\bls\b/u);
    const missing = (await runOf('/no/such/root', { language })).section({ list: false });
    expect(missing).not.toMatch(/\bls\b/u);
  });

  test('has the same bytes in two runs, and no time in it', async () => {
    const root = repository();
    const options = { coreFiles: true, git: true, clock: Date.now };
    const sections = [(await runOf(root, options)).section(), (await runOf(root, options)).section()];
    expect(sections[1]).toBe(sections[0]);
    expect(sections[0]).not.toMatch(/\d\d:\d\d/u);
  });

  test('cannot be left by a name: the fence is longer than its backticks', async () => {
    const run = await runOf({ '```': '', '````js': '' });
    expect(run.section()).toContain('`````\n├── ```\n└── ````js\n`````\n');
  });

  test('shows what was kept after it in the updates', async () => {
    const root = createTree(project);
    const run = await runOf(root);
    await list(run, join(root, 'docs'), 'guide.md');
    // The section will have it.
    expect(run.updates()).toBe('');
    const section = run.section();
    expect(section).toContain('guide.md');
    expect(run.updates()).toBe('');
    await list(run, join(root, 'src'), 'index.js', 'utils');
    expect(run.section()).toBe(section);
    const updates = run.updates();
    expect(updates).toContain('  index.js');
    expect(updates).not.toContain('guide.md');
    expect(updates.startsWith('## Dynamically cached directories (visited with ls)')).toBe(true);
  });

  test('and its updates show changes before listings', async () => {
    const root = createTree(project);
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    const run = await runOf(root, { workspace, language: 'zh' });
    run.section();
    await createCodingTools({ workspace }).write.execute({ path: 'src/new.js', content: '' });
    await list(run, join(root, 'docs'), 'guide.md');
    const updates = run.updates().replaceAll(root, '/root');
    await expect(updates).toMatchFileSnapshot(golden('updates.zh'));
  });
});

describe('core files', () => {
  const headsOf = async (tree: Tree): Promise<Record<string, string>> => {
    const section = (await runOf(tree, { coreFiles: true })).section();
    const [, files = ''] = section.split('\n## Core files\n\n');
    const parts = files.split(/^### /mu).slice(1);
    return Object.fromEntries(
      parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 2)]),
    );
  };

  test('are READMEs, manifests and notes for agents in the root', async () => {
    const heads = await headsOf({
      'readme.rst': 'r',
      'AGENTS.md': 'a',
      'Cargo.toml': 'c',
      'pyproject.toml': 'p',
      'go.mod': 'g',
      LICENSE: 'l',
      'README-old': 'o',
      'src/README.md': 'inner',
    });
    expect(heads).toEqual({
      'AGENTS.md': '```\na\n```\n\n',
      'Cargo.toml': '```\nc\n```\n\n',
      'go.mod': '```\ng\n```\n\n',
      'pyproject.toml': '```\np\n```\n\n',
      'readme.rst': '```\nr\n```',
    });
  });

  test('are the README and the manifest first where the root has very many', async () => {
    const many = Array.from({ length: 20 }, (_, index) => [`A${index}.csproj`, `README.l${index}.md`]).flat();
    const files = Object.fromEntries(many.map((name) => [name, 'x']));
    const heads = await headsOf({ ...files, 'README.md': 'r', 'package.json': 'p', 'AGENTS.md': 'a' });
    expect(Object.keys(heads)).toHaveLength(16);
    expect(heads).toMatchObject({
      'AGENTS.md': expect.anything(),
      'README.md': expect.anything(),
      'package.json': expect.anything(),
    });
  });

  test('have at most 4,000 characters in all, and say how many more there are', async () => {
    const long = `${'x'.repeat(99)}\n`.repeat(100);
    const heads = await headsOf({ 'README.md': long, 'AGENTS.md': long, 'package.json': '{}' });
    const bodies = Object.values(heads).map((head) => head.split('\n').filter((line) => /^(?:x+|\{\})$/u.test(line)));
    const lengths = bodies.map((lines) => lines.join('\n').length);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(4000);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(3700);
    expect(heads['README.md']).toMatch(/\n… 8000 more characters\n```/u);
    expect(heads['package.json']).toBe('```\n{}\n```');
  });

  test.each([
    ['en', /\n… 2097\d{5} more bytes\n```/u],
    ['zh', /\n… 还有 2097\d{5} 字节\n```/u],
  ] as const)(
    'are read no further than their heads, and say how many bytes there are more (%s)',
    async (language, rest) => {
      const root = createTree({ 'README.md': '漢字\n'.repeat(10_000) });
      truncateSync(join(root, 'README.md'), 200 * 1024 * 1024);
      let bytesRead = 0;
      const counting = async (file: Promise<OpenFile>): Promise<OpenFile> => {
        const opened = await file;
        const read = async (buffer: Uint8Array, position: number): Promise<number> => {
          const length = await opened.read(buffer, position);
          bytesRead += length;
          return length;
        };
        return { ...opened, stat: () => opened.stat(), close: () => opened.close(), read };
      };
      const operations: FileOperations = {
        ...nodeFileOperations,
        open: (...args) => counting(nodeFileOperations.open(...args)),
      };
      const { cache } = createTestCache(root, { coreFiles: true, language });
      cache.createWorkspace({ operations, stateDirectory: temporaryDirectory() });
      const section = (await cache.init()).run.section();
      expect(section).toMatch(rest);
      expect(section).toContain('漢字\n漢字\n');
      expect(section).not.toContain('\ufffd');
      expect(bytesRead).toBeLessThanOrEqual(16_000);
    },
  );

  test('are not links out of the workspace, secrets, binaries, ignored, empty or unreadable files', async () => {
    const outside = createTree({ secret: 'outside' });
    const root = createTree({
      '.gitignore': 'Gemfile\n',
      '.env': 'KEY=1',
      'README.md': symlink(join(outside, 'secret')),
      'AGENTS.md': symlink('.env'),
      'package.json': Buffer.from([0x61, 0, 0x62]),
      Gemfile: 'ignored',
      'go.mod': ' \n',
      'pom.xml': symlink('missing'),
      'deno.json': fifo(),
      'Cargo.toml': symlink('real.toml'),
      'real.toml': 'inside',
    });
    git(['init', '--quiet'], root);
    mkdirSync(join(root, 'composer.json'));
    const section = (await runOf(root, { coreFiles: true })).section();
    expect(section).not.toMatch(/outside|KEY|ignored/u);
    expect(section.match(/^### .*$/gmu)).toEqual(['### Cargo.toml']);
    const all = (await runOf(root, { coreFiles: true, gitignore: false })).section();
    expect(all.match(/^### .*$/gmu)).toEqual(['### Cargo.toml', '### Gemfile']);
  });

  test('cannot forge a line by their name', async () => {
    const section = (await runOf({ 'README.\n## Forged': 'x' }, { coreFiles: true })).section();
    expect(section).toContain(String.raw`### README.\u{A}## Forged`);
    expect(section).not.toContain('\n## Forged');
  });

  test('cannot end their fence', async () => {
    const heads = await headsOf({ 'README.md': '```\ncode\n```\n## Forged' });
    expect(heads['README.md']).toBe('````\n```\ncode\n```\n## Forged\n````');
  });
});

describe('the git line', () => {
  const lineOf = async (root: string, options: Partial<WorkspaceCacheOptions> = {}): Promise<string | undefined> =>
    (await runOf(root, { git: true, ...options }))
      .section()
      .split('\n')
      .find((line) => line.startsWith('Git'));

  test('has the branch, the number of changed files and the last three subjects', async () => {
    const root = repository();
    expect(await lineOf(root)).toBe('Git: branch main, 6 changed files, last commits: fix `a`; begin');
    for (const subject of ['one', 'two']) git(['commit', '--quiet', '--allow-empty', '--message', subject], root);
    git(['switch', '--quiet', '--create', 'topic/x'], root);
    expect(await lineOf(root)).toBe('Git: branch topic/x, 6 changed files, last commits: two; one; fix `a`');
  });

  test('counts the files of a sub-directory alone', async () => {
    expect(await lineOf(join(repository(), 'src'))).toBe(
      'Git: branch main, 3 changed files, last commits: fix `a`; begin',
    );
  });

  test('of a repository without commits', async () => {
    const root = createTree({ a: '' });
    git(['init', '--quiet', '--initial-branch', 'main'], root);
    expect(await lineOf(root)).toBe('Git: branch main, 1 changed file, no commits');
  });

  test('is of the workspace also where a hook of another repository runs, in any language', async () => {
    const other = repository();
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    vi.stubEnv('GIT_INDEX_FILE', join(other, '.git/index'));
    vi.stubEnv('LC_ALL', 'zh_CN.UTF-8');
    vi.stubEnv('LANGUAGE', 'zh_CN');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await lineOf(createTree({ a: '' }))).toBe('Git: no information (not a git repository)');
  });

  test('states why there is no information', async () => {
    expect(await lineOf(createTree({ a: '' }))).toBe('Git: no information (not a git repository)');
    expect(await lineOf(createTree({ a: '' }), { language: 'zh' })).toBe('Git：无信息（不是 git 仓库）');
  });

  test('stays one line, whatever a subject holds, and cuts a long one', async () => {
    const root = createTree({ a: '' });
    git(['init', '--quiet', '--initial-branch', 'main'], root);
    const subject = `\u202e${'漢'.repeat(200)}`;
    git(['commit', '--quiet', '--allow-empty', '--message', subject], root);
    const line = await lineOf(root);
    expect(line).toBe(String.raw`Git: branch main, 1 changed file, last commits: \u202e${'漢'.repeat(94)}…`);
  });

  test('is not changed by a commit during the run', async () => {
    const root = repository();
    const run = await runOf(root, { git: true });
    const section = run.section();
    git(['commit', '--quiet', '--allow-empty', '--message', 'later'], root);
    expect(run.section()).toBe(section);
  });

  test('states that git failed where its history is broken, and not that there are no commits', async () => {
    const root = repository();
    const parent = git(['rev-parse', 'HEAD~1'], root).toString().trim();
    rmSync(join(root, '.git/objects', parent.slice(0, 2), parent.slice(2)));
    expect(await lineOf(root)).toBe('Git: no information (git failed)');
  });

  test('runs no program that the configuration of the repository names', async () => {
    const root = repository();
    const marks = temporaryDirectory();
    const program = (name: string): string => {
      const path = join(marks, `${name}.sh`);
      writeFileSync(path, `#!/bin/sh\ntouch '${join(marks, name)}'\ncat\n`, { mode: 0o755 });
      return path;
    };
    git(['config', 'core.fsmonitor', program('fsmonitor')], root);
    git(['config', 'log.showSignature', 'true'], root);
    git(['config', 'gpg.program', program('gpg')], root);
    git(['config', 'filter.clean.clean', program('clean')], root);
    git(['config', 'filter.Process.process', program('process')], root);
    git(['config', 'filter.Process.required', 'true'], root);
    writeTree(root, { '.git/info': {}, '.git/hooks': {} });
    writeFileSync(join(root, '.git/info/attributes'), 'README.md filter=clean\npackage.json filter=Process\n');
    appendFileSync(join(root, 'package.json'), '\n');
    writeFileSync(join(root, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch '${marks}/hook'\n`, { mode: 0o755 });
    const id = git(['rev-parse', 'HEAD'], root).toString().trim();
    const commit = git(['cat-file', 'commit', id], root).toString();
    writeFileSync(join(marks, 'commit'), commit.replace('\n\n', '\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n\n'));
    const signed = git(['hash-object', '-t', 'commit', '-w', join(marks, 'commit')], root)
      .toString()
      .trim();
    git(['update-ref', 'HEAD', signed], root);
    expect(await lineOf(root)).toBe('Git: branch main, 7 changed files, last commits: fix `a`; begin');
    expect(readdirSync(marks).filter((name) => !name.includes('.'))).toEqual(['commit']);
  });
});
