/** The tool set of the workspace cache over MCP, with the official client. */
import { createCodingToolSet, nodeFileOperations } from '@cairn/coding-agent';
import { createMcpServer } from '@cairn/mcp-server';
import { serveHttp } from '@cairn/mcp-server/http';
import { createWorkspaceCacheToolSet } from '@cairn/workspace-cache/tools';
import type { WorkspaceCacheToolSetOptions } from '@cairn/workspace-cache/tools';
import type { Client } from '@modelcontextprotocol/client';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { connectInMemory } from './in-memory.ts';
import { collect, connectHttp } from './notifications.ts';
import { call, ways } from './support.ts';
import type { Way } from './support.ts';

const TREE = 'cairn://workspace/tree';
const LISTINGS = 'cairn://workspace/listings';

const project: Tree = {
  '.env': 'KEY=1',
  'README.md': '',
  node_modules: { dep: { 'index.js': '' } },
  src: { 'main.ts': 'let a = 1;\n', lib: { deep: { 'bottom.ts': '' } } },
};

const indent = `README.md
src/
  lib/
    deep/
      bottom.ts
  main.ts`;

const leftOut =
  '[not shown: 1 ignored, hidden or excluded name, 1 secret name; ls lists a directory with all of its names]';

interface OpenOptions extends WorkspaceCacheToolSetOptions {
  readonly way?: Way;
  readonly naming?: string;
  readonly moreRoots?: readonly string[];
}

async function open(
  tree: Tree,
  options: OpenOptions = {},
): Promise<{ readonly root: string; readonly client: Client }> {
  const { way = ways[0], naming, moreRoots = [], ...setOptions } = options;
  const root = createTree(tree);
  const stateDirectory = temporaryDirectory();
  const cacheSet = createWorkspaceCacheToolSet({ ...setOptions, journalDirectory: stateDirectory });
  const codingSet = createCodingToolSet({ stateDirectory });
  const server = await createMcpServer({
    toolSets: options.cacheFiles === true ? [cacheSet, codingSet] : [codingSet, cacheSet],
    roots: [root, ...moreRoots],
    naming,
    noticeIntervalMs: 1,
  });
  if (way.over === 'stdio') return { root, client: await connectInMemory(server, way.era) };
  const listener = await serveHttp(server, { port: 0, token: undefined });
  onTestFinished(async () => {
    await listener.close();
    await server.close();
  });
  return { root, client: await connectHttp(listener.url, way.era) };
}

async function read(client: Client, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  return content !== undefined && 'text' in content ? content.text : '';
}

async function subscribe(client: Client, era: Way['era'], uri: string): Promise<void> {
  if (era === 'modern') await client.listen({ resourceSubscriptions: [uri] });
  else await client.subscribeResource({ uri });
}

describe('the tree as a resource', () => {
  test.each(ways)('is what the tool shows, and its subscribers hear of each change, over $over, $era', async (way) => {
    const { root, client } = await open(project, { way });
    expect(await read(client, TREE)).toBe(`${indent}\n\n[${root}: 6 entries, depth 4]\n${leftOut}`);
    const { heard, wait } = collect(client);
    await subscribe(client, way.era, TREE);
    await call(client, 'write', { path: 'src/new.ts', content: '' });
    await wait(TREE);
    expect(await read(client, TREE)).toContain('\n  main.ts\n  new.ts\n');
    heard.length = 0;
    await call(client, 'write', { path: '.gitignore', content: 'README.md\n' });
    await wait(TREE);
    expect(await read(client, TREE)).not.toContain('README.md');
    heard.length = 0;
    await call(client, 'edit', { path: '.gitignore', edits: [{ old_text: 'README', new_text: 'other' }] });
    await wait(TREE);
    expect(await read(client, TREE)).toContain('README.md');
    await call(client, 'edit', { path: '.gitignore', edits: [{ old_text: 'other', new_text: 'README' }] });
    await wait(TREE);
    heard.length = 0;
    await call(client, 'rename', { from: 'src', to: 'source' });
    await wait(TREE);
    await call(client, 'delete', { path: 'source', recursive: true });
    expect(await read(client, TREE)).toBe(
      `.gitignore\n\n[${root}: 1 entry, depth 1]\n${leftOut.replace('1 ignored, hidden or excluded name', '2 ignored, hidden or excluded names')}`,
    );
  });

  test('an edit of a file announces nothing', async () => {
    const { client } = await open(project);
    const { heard, wait } = collect(client);
    await subscribe(client, 'legacy', TREE);
    await call(client, 'edit', { path: 'src/main.ts', edits: [{ old_text: '1', new_text: '2' }] });
    await call(client, 'write', { path: 'other.ts', content: '' });
    await wait('list', TREE);
    expect(heard.filter((uri) => uri === TREE)).toHaveLength(1);
  });

  test('each root has its own', async () => {
    const second = createTree({ only: { here: '' } });
    const { root, client } = await open(project, { moreRoots: [second] });
    const { resources } = await client.listResources();
    const own = resources.filter(({ uri }) => uri.startsWith('cairn:'));
    expect(own.map(({ uri, title }) => [uri, title])).toEqual([
      [TREE, `Tree of ${basename(root)}`],
      [`${TREE}/2`, `Tree of ${basename(second)}`],
      [LISTINGS, 'Cached listings'],
    ]);
    expect(await read(client, `${TREE}/2`)).toBe(`only/\n  here\n\n[${second}: 2 entries, depth 2]`);
    const { heard, wait } = collect(client);
    for (const uri of [TREE, `${TREE}/2`]) await client.subscribeResource({ uri });
    await call(client, 'write', { path: join(second, 'new'), content: '' });
    await wait(`${TREE}/2`);
    expect(heard).not.toContain(TREE);
  });

  test('an ignore file above a root changes the tree of that root, too', async () => {
    const outer = createTree({ '.git': {}, inner: { 'a.log': '', b: '' } });
    const { client } = await open({}, { moreRoots: [join(outer, 'inner'), outer] });
    const { wait } = collect(client);
    await client.subscribeResource({ uri: `${TREE}/2` });
    await call(client, 'write', { path: join(outer, '.gitignore'), content: '*.log\n' });
    await wait(`${TREE}/2`);
    expect(await read(client, `${TREE}/2`)).not.toContain('a.log');
  });

  test('a cut tree names the tool that shows more, because a resource has no parameters', async () => {
    const { root, client } = await open(project, { maxCharacters: 0 });
    expect(await read(client, TREE)).toBe(
      `[${root}: 6 entries, depth 2]\n[cut at 0 characters; call workspace_tree with more characters, a smaller depth, or a path]\n${leftOut}`,
    );
  });

  test('a root that became a link shows nothing outside', async () => {
    const { root, client } = await open({ own: '' });
    const outside = createTree({ foreign: '' });
    expect(await read(client, TREE)).toContain('own');
    rmSync(root, { recursive: true });
    symlinkSync(outside, root);
    await expect(read(client, TREE)).rejects.toThrow('and now leads to');
  });

  test('a root that is itself a link has a tree', async () => {
    const link = join(temporaryDirectory(), 'link');
    symlinkSync(createTree({ inner: '' }), link);
    const { client } = await open({}, { moreRoots: [link] });
    expect(await read(client, `${TREE}/2`)).toBe(`inner\n\n[${link}: 1 entry, depth 1]`);
  });

  test('a URI that does not exist is an error that names the others', async () => {
    const { client } = await open({});
    await expect(client.readResource({ uri: `${TREE}/2` })).rejects.toMatchObject({
      message: expect.stringMatching(
        /"cairn:\/\/workspace\/tree\/2" does not exist\. Read cairn:\/\/workspace\/tree, /u,
      ),
    });
    await expect(client.subscribeResource({ uri: `${TREE}/2` })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('workspace_tree', () => {
  test.each([
    [{}, `${indent}\n\n[.: 6 entries, depth 4]\n${leftOut}`],
    [{ path: 'src', format: 'paths' }, 'lib/\nlib/deep/\nlib/deep/bottom.ts\nmain.ts\n\n[src: 4 entries, depth 3]'],
    [{ path: 'src', depth: '1', format: 'indent' }, 'lib/ (1)\nmain.ts\n\n[src: 4 entries, depth 1]'],
    [{ depth: 'auto', path: 'src/lib', format: 'indent' }, 'deep/\n  bottom.ts\n\n[src/lib: 2 entries, depth 4]'],
    [
      { path: 'src', depth: 1, format: 'indent', focus: ['src/lib/deep/bottom.ts'] },
      'lib/\n  deep/\n    bottom.ts\nmain.ts\n\n[src: 4 entries, depth 1]',
    ],
    [
      { path: 'src', depth: 1, format: 'indent', focus: ['src/none.ts'] },
      'lib/ (1)\nmain.ts\n\n[src: 4 entries, depth 1]\n[not in the tree: src/none.ts; focus needs paths that exist, that no rule leaves out and that do not lead through a link]',
    ],
    [
      { path: 'src', characters: 0 },
      '[src: 4 entries, depth 2]\n[cut at 0 characters; call workspace_tree with more characters, a smaller depth, or a path]',
    ],
    [{ path: 'nowhere' }, 'error: nowhere does not exist. List the directory above it with ls.'],
    [
      { path: 'README.md' },
      'error: README.md is not a directory. Show the directory that contains it, with this path as focus.',
    ],
    [{ path: '..' }, expect.stringMatching(/^error: .* is outside the root/u)],
    [
      { path: 'src', focus: ['README.md'] },
      expect.stringMatching(/^error: README\.md is not in src\. Write paths in focus relative to the root/u),
    ],
    [{ focus: ['..'] }, 'error: .. is not in the root. Write paths in focus relative to the root, like path.'],
    [{ depth: 0 }, expect.stringMatching(/^error: workspace_tree: invalid parameter depth/u)],
    [{ format: 'xml' }, expect.stringMatching(/^error: workspace_tree: invalid parameter format/u)],
    [{ characters: 1_000_000 }, expect.stringMatching(/^error: workspace_tree: invalid parameter characters/u)],
    [{ folder: 'src' }, expect.stringMatching(/^error: workspace_tree: unknown parameter folder/u)],
  ])('%j', async (input, text) => {
    const { client } = await open(project);
    const answer = await call(client, 'workspace_tree', input);
    expect(answer).toEqual(text);
  });

  test('the facts of the tree are in the answer', async () => {
    const { client } = await open(project);
    const { _meta } = await client.callTool({ name: 'workspace_tree', arguments: {} });
    expect(_meta?.['cairn/facts']).toMatchObject({
      path: '.',
      entries: 6,
      excluded: 1,
      hiddenSecrets: 1,
      truncated: false,
    });
  });

  test('a directory whose names are all left out is not called empty', async () => {
    const { client } = await open({ '.env': '' });
    expect(await call(client, 'workspace_tree')).toBe(
      '[.: no entries to show]\n[not shown: 1 secret name; ls lists a directory with all of its names]',
    );
  });

  test('an empty directory is stated', async () => {
    const { client } = await open({});
    expect(await call(client, 'workspace_tree')).toBe('[.: no entries to show]');
  });

  test('no name can forge a note', async () => {
    const { client } = await open({ '[.: no entries to show]': '', 'a\n\n[.: no entries to show]': '' });
    expect(await call(client, 'workspace_tree', { format: 'paths' })).toBe(
      '[.: no entries to show]\na\\u{A}\\u{A}[.: no entries to show]\n\n[.: 2 entries, depth 1]',
    );
  });

  test('is offered under every naming profile, and its texts name the tool that lists', async () => {
    const { client } = await open(project, { naming: 'claude' });
    expect(await call(client, 'workspace_tree', { depth: 1 })).toContain('; LS lists a directory');
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'cache_directory')?.description).toContain('Call it after LS.');
  });

  test('the texts exist in Chinese', async () => {
    const { client } = await open(project, { language: 'zh' });
    expect(await call(client, 'workspace_tree', { depth: 1, format: 'indent', characters: 0 })).toBe(
      '[.：共 6 项，深度 1]\n[已在 0 字符处截断；可调用 workspace_tree 并设置更大的 characters、更小的 depth 或 path]\n[未显示：1 个被忽略、隐藏或排除的名称，1 个可能包含敏感信息的名称；用 ls 可列出目录中的所有名称]',
    );
  });
});

describe('cache_directory', () => {
  test.each(ways)('keeps a listing that every client of the session can read, over $over, $era', async (way) => {
    const { client } = await open(project, { way });
    const { heard, wait } = collect(client);
    await subscribe(client, way.era, LISTINGS);
    const items = [
      { name: 'lib', isDirectory: true },
      { name: 'main.ts', isDirectory: false },
    ];
    expect(await call(client, 'cache_directory', { path: 'src', items })).toBe('Cached directory: src (2 items)');
    await wait(LISTINGS);
    expect(JSON.parse(await read(client, LISTINGS))).toMatchObject({ src: { items } });
    heard.length = 0;
    // A write in it makes the listing wrong, so it goes.
    await call(client, 'write', { path: 'src/new.ts', content: '' });
    await wait(LISTINGS);
    expect(JSON.parse(await read(client, LISTINGS))).toEqual({});
  });

  test('a listing that another program made wrong is not shown', async () => {
    const { root, client } = await open(project);
    await call(client, 'cache_directory', { path: 'src', items: [] });
    expect(Object.keys(JSON.parse(await read(client, LISTINGS)) as object)).toEqual(['src']);
    const { wait } = collect(client);
    await client.subscribeResource({ uri: LISTINGS });
    writeFileSync(join(root, 'src/other.ts'), '');
    expect(JSON.parse(await read(client, LISTINGS))).toEqual({});
    // Agents that share the session hear of it.
    await wait(LISTINGS);
  });

  test('the resource shows hostile names in escapes', async () => {
    const { client } = await open({ '\u202Egpj.exe': '', 'a\nb\u2028c': '' });
    await call(client, 'cache_directory', { path: '.', items: [] });
    const text = await read(client, LISTINGS);
    expect(text).toContain(String.raw`"name": "\u202egpj.exe"`);
    expect(text).toContain(String.raw`"name": "a\nb\u2028c"`);
    const { '.': listing } = JSON.parse(text) as Record<
      string,
      { readonly items: readonly { readonly name: string }[] }
    >;
    expect(listing?.items.map(({ name }) => name)).toEqual(['a\nb\u2028c', '\u202Egpj.exe']);
  });

  test('is absent in the mode static', async () => {
    const { client } = await open(project, { mode: 'static' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('cache_directory');
    await expect(client.readResource({ uri: LISTINGS })).rejects.toThrow('does not exist');
  });
});

describe('cacheFiles', () => {
  test('a file that was read is read from memory', async () => {
    const opened = vi.spyOn(nodeFileOperations, 'open');
    onTestFinished(() => opened.mockRestore());
    const { client } = await open(project, { cacheFiles: true });
    let before: number;
    do {
      before = opened.mock.calls.length;
      // A file is kept only when it has not changed for a moment.
      expect(await call(client, 'read', { path: 'src/main.ts' })).toContain('let a = 1;');
    } while (opened.mock.calls.length > before);
  });

  test('the coding tools see each change', async () => {
    const { root, client } = await open(project, { cacheFiles: true });
    for (const content of ['let a = 1;\n', 'let b = 22;\n']) {
      writeFileSync(join(root, 'src/main.ts'), content);
      for (let round = 0; round < 3; round += 1) {
        expect(await call(client, 'read', { path: 'src/main.ts' })).toContain(content.trim());
      }
    }
    expect(await call(client, 'edit', { path: 'src/main.ts', edits: [{ old_text: '22', new_text: '3' }] })).toContain(
      'Edited',
    );
    expect(await call(client, 'read', { path: 'src/main.ts' })).toContain('let b = 3;');
  });

  test('is rejected after another set has made the workspace', async () => {
    const root = createTree({});
    const toolSets = [createCodingToolSet(), createWorkspaceCacheToolSet({ cacheFiles: true })];
    await expect(createMcpServer({ roots: [root], toolSets })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('Put this tool set before the one of the coding tools'),
    });
  });
});

test('a root that is gone is an error that names what is left to do', async () => {
  const { root, client } = await open(project);
  rmSync(root, { recursive: true });
  await expect(read(client, TREE)).rejects.toThrow(/cannot find .*; check the path.*\. Read the tree of another root/u);
});

test('an invalid option of the cache fails when the server starts', async () => {
  const toolSets = [createWorkspaceCacheToolSet({ depth: 0 })];
  await expect(createMcpServer({ roots: [createTree({})], toolSets })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('invalid option depth: 0'),
  });
});

test('a directory that is gone is an error', async () => {
  const { root, client } = await open({ sub: { a: '' } });
  expect(await call(client, 'workspace_tree', { path: 'sub' })).toContain('a\n');
  rmSync(join(root, 'sub'), { recursive: true });
  expect(await call(client, 'workspace_tree', { path: 'sub' })).toBe(
    'error: sub does not exist. List the directory above it with ls.',
  );
});
