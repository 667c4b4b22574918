/** After a command, the tools and the caches know that anything may have changed. */
import {
  codingToolSet,
  createCodingTools,
  createShellTool,
  createWorkspace,
  namingProfiles,
  onAnyChange,
} from '@cairn/coding-agent';
import type { WorkspaceChange } from '@cairn/coding-agent';
import { createToolSession, textOf } from '@cairn/tool';
import { readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runNode } from '../support/run-node.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { approve, createShell } from './shell-bench.ts';
import { call, details, failure } from './support.ts';

describe('after a command', () => {
  test.each([
    ['that succeeds', 'echo new >b', {}, undefined],
    ['that fails', 'echo new >b; exit 1', {}, undefined],
    ['that runs out of time', 'echo new >b; sleep 100', { timeout: 1000 }, undefined],
    ['that is aborted', 'echo new >b; kill -USR1 $PPID; sleep 100', {}, 'SIGUSR1'],
  ] as const)('%s, one change of everything below the roots is announced', async (_, command, input, signal) => {
    const { shell, workspace, root } = createShell({ a: 'x' });
    const heard: WorkspaceChange[] = [];
    workspace.onChange((change) => heard.push(change));
    const abort = new AbortController();
    const stop = (): void => abort.abort(new Error('enough'));
    if (signal) process.once(signal, stop);
    onTestFinished(() => void process.off('SIGUSR1', stop));
    await call(shell, { command, ...input }, abort.signal).catch((error: unknown) => error);
    const none = { written: [], created: [], createdDirectories: [], deleted: [], renamed: [] };
    expect(heard).toEqual([{ ...none, unknownBelow: [root] }]);
    expect(abort.signal.aborted).toBe(signal !== undefined);
  });

  test('that was not approved or did not start, nothing is announced', async () => {
    const heard: WorkspaceChange[] = [];
    onTestFinished(onAnyChange((change) => heard.push(change)));
    const { shell } = createShell({}, { approve: ({ command }) => ({ approved: command.length > 10 }) });
    await shell.execute({ command: 'ls' });
    await shell.execute({ command: `: ${'x'.repeat(3_000_000)}` });
    expect(heard).toEqual([]);
  });

  test('a cached search sees its changes at once, by a validation, in all roots', () => {
    const [root, other] = [createTree({ a: 'needle' }), createTree({ b: 'needle' })];
    const code = `
      import { createCodingTools, createShellTool, createWorkspace } from '@cairn/coding-agent';
      const options = ${JSON.stringify({ root, policy: { allowedRoots: [other] }, stateDirectory: temporaryDirectory() })};
      const workspace = createWorkspace(options);
      const tools = createCodingTools({ workspace });
      const shell = createShellTool({ workspace, approve: () => ({ approved: true }) });
      const find = async () => {
        const found = [];
        for (const path of ['.', ${JSON.stringify(other)}]) {
          const { matches } = await fuzzyFind({ query: '', path: path === '.' ? options.root : path, cache: true, maxResults: 9 });
          found.push(matches.map((match) => match.path).sort().join());
        }
        return found;
      };
      const before = await find();
      const counts = fsScanCacheStats();
      await shell.execute({ command: 'touch c; mkdir d; rm a; touch ${other}/e' });
      const after = await find();
      const { misses, rescans, validations } = fsScanCacheStats();
      report([before, after, misses - counts.misses, rescans - counts.rescans, validations - counts.validations]);`;
    expect(runNode(code, { FS_SCAN_CACHE_TTL_MS: '3600000' })).toEqual([['a', 'b'], ['c,d/', 'b,e'], 2, 0, 2]);
  });

  test('the files that were read and that it changed are named, and no tool overwrites them', async () => {
    const { shell, workspace, root } = createShell({
      'changed.ts': 'old\n',
      'gone.ts': 'old\n',
      'same.ts': 'old\n',
      'unread.ts': 'old\n',
      'touched.ts': 'old\n',
      'forged\nname': 'old\n',
    });
    const tools = createCodingTools({ workspace });
    for (const path of ['changed.ts', 'gone.ts', 'same.ts', 'touched.ts', 'forged\nname']) {
      await tools.read.execute({ path });
    }
    const command = `for file in changed.ts unread.ts "$(printf 'forged\\nname')"; do echo new >"$file"; done; rm gone.ts; touch touched.ts`;
    const result = await shell.execute({ command });
    expect(textOf(result)).toContain(
      String.raw`[3 files that were read are changed or gone: "forged\nname", gone.ts, changed.ts; read again before you edit]`,
    );
    expect(details(result).changedFiles).toEqual(
      ['forged\nname', 'gone.ts', 'changed.ts'].map((name) => join(root, name)),
    );
    const edits = [{ old_text: 'new', new_text: 'newer' }];
    expect(failure(await tools.edit.execute({ path: 'changed.ts', edits }))).toMatch(/^STALE/u);
    expect(failure(await tools.write.execute({ path: 'unread.ts', content: '' }))).toMatch(/^NOT_READ/u);
    expect((await tools.edit.execute({ path: 'same.ts', edits: [{ old_text: 'old', new_text: 'new' }] })).isError).toBe(
      false,
    );
  });

  test('a file that a tool changed just before, and one that a tool changed meanwhile, are not named', async () => {
    const { shell, workspace } = createShell({ before: 'old', during: 'old' });
    const tools = createCodingTools({ workspace });
    await tools.read.execute({ path: 'before' });
    await tools.read.execute({ path: 'during' });
    await tools.write.execute({ path: 'before', content: 'new' });
    const running = shell.execute({ command: 'touch begun; until [ -e go ]; do sleep 0.01; done' });
    await tools.write.execute({ path: 'during', content: 'new' });
    await tools.write.execute({ path: 'go', content: '' });
    expect(details(await running).changedFiles).toEqual([]);
  });

  test('more than ten files are counted', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `f${index + 10}`);
    const { shell, workspace } = createShell(Object.fromEntries(names.map((name) => [name, 'old'])));
    const tools = createCodingTools({ workspace });
    for (const path of names) await tools.read.execute({ path });
    const result = await shell.execute({ command: 'for file in f*; do echo new >$file; done' });
    expect(textOf(result)).toContain('[12 files that were read are changed or gone: f21, f20, ');
    expect(textOf(result)).toContain(', f12 and 2 more; read again before you edit]');
  });

  test('names that are too long together are counted', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `${index}${'\u202e'.repeat(80)}`);
    const { shell, workspace } = createShell(Object.fromEntries(names.map((name) => [name, 'old'])));
    const tools = createCodingTools({ workspace });
    for (const path of names) await tools.read.execute({ path });
    const command = 'for file in *; do echo new >"$file"; done';
    const result = await shell.execute({ command });
    const shown = `"8${String.raw`\u202e`.repeat(80)}"`;
    expect(textOf(result)).toContain(
      `[9 files that were read are changed or gone: ${shown} and 8 more; read again before you edit]`,
    );
    expect(details(result).changedFiles).toHaveLength(9);
  });

  test('a name that is too long by itself is left out', async () => {
    const name = '\u202e'.repeat(84);
    const { shell, workspace } = createShell({ [name]: 'old' });
    await createCodingTools({ workspace }).read.execute({ path: name });
    const result = await shell.execute({ command: 'for file in *; do echo new >"$file"; done' });
    expect(textOf(result)).toContain(
      '[1 file that was read is changed or gone: its name is too long; read again before you edit]',
    );
  });

  test('a file that a link or a directory replaced is named', async () => {
    const { shell, workspace, root } = createShell({ link: 'old', directory: 'old', other: 'old' });
    const tools = createCodingTools({ workspace });
    for (const path of ['link', 'directory']) await tools.read.execute({ path });
    const result = await shell.execute({ command: 'rm link directory; ln -s other link; mkdir directory' });
    expect(details(result).changedFiles).toEqual(['directory', 'link'].map((name) => join(root, name)));
  });

  test('a file whose directory became a link out of the root is named, and not followed', async () => {
    const outside = createTree({ a: 'outside' });
    const { shell, workspace } = createShell({ d: { a: 'old' } });
    const tools = createCodingTools({ workspace });
    await tools.read.execute({ path: 'd/a' });
    const result = await shell.execute({ command: `rm -r d; ln -s ${outside} d` });
    expect(details(result).exitCode).toBe(0);
    expect(failure(await tools.write.execute({ path: 'd/a', content: 'x' }))).toMatch(/^OUTSIDE_ROOT/u);
  });

  test.each([
    ['another directory', (root: string) => renameSync(`${root}2`, root)],
    ['a link to another directory', (root: string) => symlinkSync(`${root}2`, root)],
  ])('a root that became %s between the approval and the start starts nothing', async (_, replace) => {
    const tree = createTree({ root: {}, root2: {} });
    const root = join(tree, 'root');
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    let asked = 0;
    const shell = createShellTool({
      workspace,
      approve: () => {
        if (++asked === 1) {
          renameSync(root, join(tree, 'moved'));
          replace(root);
        }
        return { approved: true };
      },
    });
    expect(failure(await shell.execute({ command: 'touch started' }))).toMatch(/^ROOT_MOVED/u);
    expect(readdirSync(root)).toEqual([]);
  });

  test('a root that now leads elsewhere stops the next command', async () => {
    const tree = createTree({ one: {}, two: {} });
    const root = join(tree, 'link');
    symlinkSync('one', root);
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    const shell = createShellTool({ workspace, approve });
    expect(details(await shell.execute({ command: `ln -sfn two ${root}` })).exitCode).toBe(0);
    expect(failure(await shell.execute({ command: 'touch a' }))).toMatch(/^ROOT_MOVED/u);
  });
});

test.each(namingProfiles)('the tool is in no set of coding tools, with the names of %s', async (naming) => {
  const root = createTree({});
  const tools = createCodingTools({ root, naming, stateDirectory: temporaryDirectory() });
  const { signal } = new AbortController();
  const context = { roots: [root] as const, naming, readOnly: false, session: createToolSession(), signal };
  const opened = await codingToolSet.open(context);
  for (const { name, annotations } of [...Object.values(tools), ...Object.values(opened.tools)]) {
    expect([name, annotations.openWorldHint]).toEqual([expect.not.stringMatching(/shell|bash|exec|command/iu), false]);
  }
});
