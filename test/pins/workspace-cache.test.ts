import { codingToolSet } from '@cairn/coding-agent';
import { createMcpServer } from '@cairn/mcp-server';
import * as source from '@cairn/workspace-cache';
import * as tools from '@cairn/workspace-cache/tools';
import { expect, test } from 'vitest';
import { connectInMemory } from '../mcp-server/in-memory.ts';
import { createTree } from '../support/tree.ts';

const exported = [
  'ALLOWED_NAMES',
  'EXCLUDED_DIRECTORIES',
  'cacheDirectoryRules',
  'createWorkspaceCache',
  'templateFilters',
  'templateVariables',
];

const dist = new URL('../../packages/workspace-cache/dist/', import.meta.url);

test('@cairn/workspace-cache exports these values, from its sources and built', async () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('@cairn/workspace-cache/tools exports the tool set, in source and built', async () => {
  const built = (await import(new URL('tools/index.js', dist).href)) as object;
  expect([Object.keys(tools), Object.keys(built)]).toEqual([
    ['createWorkspaceCacheToolSet'],
    ['createWorkspaceCacheToolSet'],
  ]);
});

test('the methods of a cache', async () => {
  const cache = source.createWorkspaceCache({ root: createTree({}) });
  expect(Object.keys(cache).toSorted()).toEqual([
    'close',
    'content',
    'createWorkspace',
    'follow',
    'init',
    'operations',
    'refresh',
    'root',
    'tree',
  ]);
  const { run } = await cache.init();
  expect(Object.keys(run).toSorted()).toEqual([
    'checkListings',
    'data',
    'note',
    'refresh',
    'report',
    'section',
    'statistics',
    'tools',
    'updates',
    'version',
    'wrapReadWithCache',
    'wrapWithCache',
  ]);
  await cache.close();
});

test('the tools, their parameters and the resources over MCP', async () => {
  const toolSets = [codingToolSet, tools.createWorkspaceCacheToolSet()];
  const client = await connectInMemory(await createMcpServer({ toolSets, roots: [createTree({})] }));
  const listed = await client.listTools();
  const own = listed.tools.filter(({ name }) => /workspace_tree|cache_directory/u.test(name));
  const parameters = own.map(({ name, inputSchema: { properties = {}, required = [] } }) => [
    name,
    Object.keys(properties)
      .map((one) => `${one}${required.includes(one) ? '' : '?'}`)
      .join(' '),
  ]);
  expect(parameters).toEqual([
    ['workspace_tree', 'path? depth? characters? format? focus?'],
    ['cache_directory', 'path items'],
  ]);
  expect(JSON.stringify(own).length).toBeLessThan(2 * 1024);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri, mimeType }) => [uri, mimeType]).slice(-2)).toEqual([
    ['cairn://workspace/tree', 'text/plain'],
    ['cairn://workspace/listings', 'application/json'],
  ]);
});
