import { createCodingTools, createWorkspace } from '@cairn/coding-agent';
import { fsScanCacheStats } from '@cairn/natives';
import { estimateTokens } from '@cairn/tool/prompt';
import type { WorkspaceCacheOptions, WorkspaceRun } from '@cairn/workspace-cache';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runNode } from '../support/run-node.ts';
import { settled } from '../support/settled.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { createTestCache } from './support.ts';

const tree = { '.gitignore': '*.log\n', 'README.md': '# A\n', src: { 'a.ts': '', lib: { 'b.ts': '' } } };

/** Runs a shell, as an agent does. */
function shell(command: string, cwd: string): void {
  execFileSync('sh', ['-c', command], { cwd, stdio: 'ignore' });
}

async function begin(root: string, options: Partial<WorkspaceCacheOptions> = {}): Promise<WorkspaceRun> {
  return (await createTestCache(root, options).cache.init()).run;
}

const inFence = (text: string): string[] => text.split('\n').slice(3, -1);

describe('init, whatever the time to live of a scan', () => {
  const LONG = { FS_SCAN_CACHE_TTL_MS: '3600000' };
  const prelude = `
    import { execFileSync } from 'node:child_process';
    import { createWorkspaceCache } from '@cairn/workspace-cache';
    const git = (...args) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, stdio: 'pipe' });
    const sh = (command) => execFileSync('sh', ['-c', command], { cwd: root });
    const sectionOf = async () => {
      const cache = createWorkspaceCache({ root, git: true, coreFiles: true, onWarning: () => undefined });
      const { run } = await cache.init();
      return run.section();
    };`;

  test('begins with the tree of now, without another scan', () => {
    const root = createTree(tree);
    const code = `
      const root = ${JSON.stringify(root)};
      ${prelude}
      await sectionOf();
      const before = fsScanCacheStats();
      sh('mkdir new && touch new/x && rm README.md');
      const section = await sectionOf();
      const after = fsScanCacheStats();
      report([section.includes('new/'), section.includes('README.md'), after.misses - before.misses, after.rescans - before.rescans]);`;
    expect(runNode(code, LONG)).toEqual([true, false, 0, 0]);
  });

  test('shows the branch and the tree of one commit after a checkout', () => {
    const root = createTree({ a: '' });
    const code = `
      const root = ${JSON.stringify(root)};
      ${prelude}
      git('init', '--quiet', '--initial-branch', 'main');
      git('add', '-A');
      git('commit', '--quiet', '-m', 'one');
      git('switch', '--quiet', '-c', 'other');
      sh('mkdir only-other && touch only-other/x && rm a');
      git('add', '-A');
      git('commit', '--quiet', '-m', 'two');
      const seen = [];
      for (const branch of ['main', 'other', 'main', 'other']) {
        git('switch', '--quiet', branch);
        const section = await sectionOf();
        seen.push([section.includes('branch ' + branch), section.includes('only-other')]);
      }
      report(seen);`;
    expect(runNode(code, LONG)).toEqual([
      [true, false],
      [true, true],
      [true, false],
      [true, true],
    ]);
  });

  test('begins again when the branch changes between the tree and the line about git', () => {
    const root = createTree({ a: '' });
    const marks = temporaryDirectory();
    // A git that switches the branch when it is first asked for the status, after the tree was made.
    const code = `
      const root = ${JSON.stringify(root)};
      ${prelude}
      import { writeFileSync } from 'node:fs';
      git('init', '--quiet', '--initial-branch', 'main');
      git('add', '-A');
      git('commit', '--quiet', '-m', 'one');
      git('switch', '--quiet', '-c', 'other');
      sh('touch only-other');
      git('add', '-A');
      git('commit', '--quiet', '-m', 'two');
      git('switch', '--quiet', 'main');
      const real = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
      writeFileSync(${JSON.stringify(join(marks, 'git'))}, [
        '#!/bin/sh',
        'case " $* " in *" status "*) if [ ! -e ${marks}/done ]; then touch ${marks}/done; ' + real + ' -C ' + root + ' switch --quiet other; fi;; esac',
        'exec ' + real + ' "$@"',
        '',
      ].join('\\n'), { mode: 0o755 });
      process.env.PATH = ${JSON.stringify(marks)} + ':' + process.env.PATH;
      const section = await sectionOf();
      report([section.includes('branch other'), section.includes('only-other')]);`;
    expect(runNode(code, LONG)).toEqual([true, true]);
  });

  test.each([
    ['en', 'Git: no information (the branch or commit kept changing)'],
    ['zh', 'Git：无信息（分支或提交一直在变化）'],
  ])('states that a branch changes all the time (%s)', (language, line) => {
    const root = createTree({ a: '' });
    const marks = temporaryDirectory();
    const code = `
      const root = ${JSON.stringify(root)};
      ${prelude.replace('git: true', `git: true, language: '${language}'`)}
      import { writeFileSync } from 'node:fs';
      git('init', '--quiet', '--initial-branch', 'main');
      git('add', '-A');
      git('commit', '--quiet', '-m', 'one');
      const real = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
      writeFileSync(${JSON.stringify(join(marks, 'git'))}, [
        '#!/bin/sh',
        'case " $* " in *" status "*) ' + real + ' -C ' + root + ' switch --quiet --create "b$$";; esac',
        'exec ' + real + ' "$@"',
        '',
      ].join('\\n'), { mode: 0o755 });
      process.env.PATH = ${JSON.stringify(marks)} + ':' + process.env.PATH;
      report((await sectionOf()).split('\\n').find((line) => line.startsWith('Git')));`;
    expect(runNode(code, LONG)).toBe(line);
  });
});

describe('refresh', () => {
  test('returns what a shell changed, and the updates name it as the tree would show it', async () => {
    const root = createTree(tree);
    const run = await begin(root);
    run.section();
    shell('mkdir -p new/sub && touch new/sub/x app.log .env src/c.ts && rm -r src/lib && ln -s README.md link', root);
    expect(run.updates()).toBe('');
    const refreshed = await run.refresh();
    expect(refreshed).toEqual({
      total: 6,
      others: 6,
      isWhole: true,
      cursor: 1,
      changes: [
        { path: 'link', change: 'added', kind: 'symlink' },
        { path: 'new', change: 'added', kind: 'dir' },
        { path: 'new/sub', change: 'added', kind: 'dir' },
        { path: 'new/sub/x', change: 'added', kind: 'file' },
        { path: 'src/c.ts', change: 'added', kind: 'file' },
        { path: 'src/lib', change: 'removed', kind: 'dir' },
      ],
    });
    expect(inFence(run.updates())).toEqual([
      '+ link -> README.md',
      '+ new/',
      '+ new/sub/',
      '+ new/sub/x',
      '+ src/c.ts',
      '- src/lib/',
    ]);
    expect(await run.refresh()).toEqual({ changes: [], total: 0, others: 0, isWhole: true, cursor: 1 });
  });

  test('compares, and scans nothing again', async () => {
    const root = createTree(tree);
    await settled(root);
    const run = await begin(root);
    const before = fsScanCacheStats();
    shell('touch src/new', root);
    expect((await run.refresh()).total).toBe(1);
    const after = fsScanCacheStats();
    expect([after.misses - before.misses, after.rescans - before.rescans]).toEqual([0, 0]);
    expect(after.validations - before.validations).toBe(1);
  });

  test('gives nothing for a change that is taken back', async () => {
    const root = createTree(tree);
    const run = await begin(root);
    shell('mv src lib2', root);
    expect((await run.refresh()).total).toBeGreaterThan(0);
    shell('mv lib2 src', root);
    expect((await run.refresh()).total).toBeGreaterThan(0);
    expect(run.updates()).toBe('');
  });

  test('sees what git ignores after a change of the rules', async () => {
    const root = createTree({ ...tree, 'a.log': '', 'b.tmp': '' });
    const run = await begin(root);
    writeFileSync(join(root, '.gitignore'), '*.tmp\n');
    await run.refresh();
    expect(inFence(run.updates())).toEqual(['+ a.log', '- b.tmp']);
  });

  test('states that it could not compare, in the result and in the updates', async () => {
    const root = createTree(tree);
    for (const [language, line] of [
      ['en', 'The workspace could not be checked for changes. There may be more than listed here.'],
      ['zh', '无法检查 workspace 的变化，可能还有未列出的变化。'],
    ] as const) {
      const run = await begin(root, { language });
      renameSync(root, `${root}-moved`);
      const { error, total } = await run.refresh();
      expect([typeof error, total]).toEqual(['string', 0]);
      expect(run.updates()).toBe(line);
      renameSync(`${root}-moved`, root);
      expect((await run.refresh()).error).toBeUndefined();
      expect(run.updates()).toBe('');
    }
  });

  test('of a cache is for all of its runs', async () => {
    const root = createTree(tree);
    const { cache } = createTestCache(root);
    const [one, other] = [await cache.init(), await cache.init({ userContext: {} })];
    shell('touch new', root);
    await cache.refresh();
    expect([inFence(one.run.updates()), inFence(other.run.updates())]).toEqual([['+ new'], ['+ new']]);
  });
});

describe('updates', () => {
  test('after a tool list no file that git ignores, at once and without a refresh', async () => {
    const root = createTree(tree);
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    const run = await begin(root, { workspace });
    const { write, rename } = createCodingTools({ workspace });
    for (const path of ['app.log', 'src/x.log', 'logs.log/y', 'src/new.ts', '.env']) {
      expect(await write.execute({ path, content: '' })).toMatchObject({ isError: false });
    }
    expect(inFence(run.updates())).toEqual(['+ src/new.ts']);
    await rename.execute({ from: 'src/lib', to: 'src/moved' });
    expect(inFence(run.updates())).toEqual(['- src/lib/', '+ src/moved/', '+ src/moved/b.ts', '+ src/new.ts']);
  });

  test('since a cursor give only what is new, with the next cursor', async () => {
    const root = createTree(tree);
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    const run = await begin(root, { workspace });
    const { write } = createCodingTools({ workspace });
    run.section();
    await write.execute({ path: 'one', content: '' });
    const first = run.updates({ since: 0 });
    expect(first.text).toBe(run.updates());
    shell('touch two', root);
    await run.refresh();
    const second = run.updates({ since: first.cursor });
    expect(second.text).toBe('## Changes since the previous list\n\n```\n+ two\n```');
    expect(String(second)).toBe(second.text);
    expect([second.total, second.shown]).toEqual([1, 1]);
    const third = run.updates({ since: second.cursor });
    expect(third).toMatchObject({ text: '', total: 0, cursor: second.cursor });
    await write.execute({ path: 'three', content: '' });
    await run.wrapWithCache((path: string) => (path === 'src' ? ['a.ts', 'lib'] : []))('src');
    expect(inFence(run.updates({ since: second.cursor }).text)[0]).toBe('+ three');
    expect(inFence(run.updates())).toEqual(expect.arrayContaining(['+ one', '+ three', '+ two']));
  });

  test('since a cursor that is too old to be known give everything, under the heading of the whole list', async () => {
    const root = createTree(tree);
    const run = await begin(root);
    const cursors: number[] = [];
    for (let index = 0; index < 40; index++) {
      writeFileSync(join(root, `n${index}`), '');
      cursors.push((await run.refresh()).cursor);
    }
    const { text, total } = run.updates({ since: cursors[0] ?? 0 });
    expect([text.startsWith('## Changes since the directory overview'), total]).toEqual([true, 40]);
    expect(run.updates({ since: cursors[38] ?? 0 }).total).toBe(1);
  });

  test('reject a cursor that no answer of the run carried, such as one of another run', async () => {
    const root = createTree(tree);
    const run = await begin(root);
    writeFileSync(join(root, 'new'), '');
    const { cursor } = await run.refresh();
    expect(run.updates({ since: cursor }).text).toBe('');
    expect(() => run.updates({ since: cursor + 1 })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining('since: 2') as string }),
    );
  });

  test.each([['x'], [-1], [1.5]])('reject the cursor %j', async (since) => {
    const run = await begin(createTree(tree));
    expect(() => run.updates({ since: since as number })).toThrow(/since/u);
  });

  test('cannot be forged by a name', async () => {
    const root = createTree(tree);
    const run = await begin(root);
    writeFileSync(join(root, 'a\n- README.md'), '');
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff])]), '');
    await run.refresh();
    expect(inFence(run.updates())).toEqual([String.raw`+ a\u{A}- README.md`, String.raw`+ f\xFF`]);
  });
});

describe('one budget', () => {
  const total = (run: WorkspaceRun): number => estimateTokens(`${run.section()}\n\n${run.updates()}`);

  test.each([
    ['a small one', 300, {}],
    ['500 tokens', 500, {}],
    ['500 tokens with core files and git', 500, { coreFiles: true, git: true }],
    ['2,000 tokens in Chinese', 2000, { language: 'zh' }],
    ['another form', 500, { format: 'paths' }],
  ] as const)('covers section, listings and updates at ten times its size: %s', async (_reason, maxTokens, options) => {
    const root = createTree({ ...tree, 'package.json': `{ "name": "${'x'.repeat(5000)}" }` });
    for (let directory = 0; directory < 40; directory++) {
      mkdirSync(join(root, `d${directory}`));
      for (let file = 0; file < 40; file++) writeFileSync(join(root, `d${directory}`, `file-${file}.ts`), '');
    }
    const run = await begin(root, { maxTokens, ...options });
    const tool = run.tools.cache_directory;
    const keep = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index++) await tool?.execute({ path: `d${index}`, items: [] });
    };
    await keep(0, 20);
    const section = run.section();
    expect(estimateTokens(section)).toBeLessThanOrEqual(maxTokens * 0.9);
    await keep(20, 40);
    mkdirSync(join(root, 'many'));
    for (let index = 0; index < 12_000; index++) writeFileSync(join(root, 'many', `new-${index}`), '');
    const { total: changed } = await run.refresh();
    expect(changed).toBe(12_001);
    const updates = run.updates();
    expect(total(run)).toBeLessThanOrEqual(maxTokens);
    const shown = updates.split('\n').filter((line) => line.startsWith('+ ')).length;
    expect(updates).toMatch(new RegExp(`… (?:还有 )?${12_001 - shown} (?:more|项)`, 'u'));
    expect(updates).toMatch(/… (?:还有 )?\d+ (?:more listings?|个目录列表)/u);
    expect(run.section()).toBe(section);
  });

  test.each([
    ['en', {}],
    ['en, with git', { git: true }],
    ['zh', { language: 'zh' }],
    ["in the source's form", { format: 'source' }],
    ['in paths', { format: 'paths' }],
  ] as const)('gives the tree most of the share of a section, however small it is: %s', async (_reason, options) => {
    const directories = Array.from({ length: 300 }, (_, index) => [`d${index}`, { [`long-name-of-${index}.ts`]: '' }]);
    const root = createTree({ src: Object.fromEntries(directories) });
    for (let maxTokens = 200; maxTokens <= 600; maxTokens += 40) {
      const { cache } = createTestCache(root, { maxTokens, format: 'indent', ...options });
      const tokens = estimateTokens((await cache.init()).run.section());
      expect(tokens, `${maxTokens}`).toBeLessThanOrEqual(maxTokens * 0.7);
      expect(tokens, `${maxTokens}`).toBeGreaterThan(maxTokens * 0.7 * 0.75);
    }
  });

  test('without a limit keeps listings and updates within 2,000 tokens', async () => {
    const root = createTree(tree);
    const run = await begin(root);
    const section = run.section();
    for (let index = 0; index < 10_000; index++) writeFileSync(join(root, `new-file-${index}`), '');
    await run.refresh();
    const tokens = estimateTokens(run.updates());
    expect(tokens).toBeLessThanOrEqual(2000);
    expect(tokens).toBeGreaterThan(1500);
    expect(run.section()).toBe(section);
  });

  test('lets the oldest listings leave first, and says how many', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `d${index}`);
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a-long-file-name-${index}.ts`, '']));
    const root = createTree(Object.fromEntries(names.map((name) => [name, files])));
    const run = await begin(root, { depth: 1 });
    run.section();
    for (const path of names) await run.tools.cache_directory?.execute({ path, items: [] });
    const lines = run.updates().split('\n');
    const kept = lines.filter((line) => /^d\d+\/$/u.test(line)).map((line) => line.slice(0, -1));
    expect(kept.length).toBeGreaterThan(3);
    expect(new Set(kept)).toEqual(new Set(names.slice(-kept.length)));
    expect(lines).toContain(`… ${names.length - kept.length} more listings`);
  });

  test('of 0 tokens gives no tree and no updates', async () => {
    const root = createTree(tree);
    const run = await begin(root, { maxTokens: 0 });
    expect(run.data.static.tree).toBe('');
    rmSync(join(root, 'README.md'));
    await run.refresh();
    expect(run.updates()).toBe('');
  });
});
