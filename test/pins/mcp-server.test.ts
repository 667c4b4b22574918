import { codingToolSet } from '@cairn/coding-agent';
import * as source from '@cairn/mcp-server';
import * as http from '@cairn/mcp-server/http';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectInMemory } from '../mcp-server/in-memory.ts';
import { createTree } from '../support/tree.ts';

const exported = ['McpServerError', 'createMcpServer', 'createToken', 'serveStdio', 'wideRootNotice'];

const sources = new URL('../../packages/mcp-server/src/', import.meta.url);
const dist = new URL('../../packages/mcp-server/dist/', import.meta.url);

test('@cairn/mcp-server exports these values', () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
});

test('the built @cairn/mcp-server exports the same values', async () => {
  const built = (await import(new URL('index.js', dist).href)) as object;
  expect(Object.keys(built).toSorted()).toEqual(exported);
});

test('@cairn/mcp-server/http exports one function, in source and built', async () => {
  const built = (await import(new URL('http/index.js', dist).href)) as object;
  expect([Object.keys(http), Object.keys(built)]).toEqual([['serveHttp'], ['serveHttp']]);
});

test('the codes of an McpServerError', () => {
  const declared = readFileSync(new URL('errors.ts', sources), 'utf8');
  const [, union = ''] = /export type McpServerErrorCode =([^;]+);/u.exec(declared) ?? [];
  expect([...union.matchAll(/'([A-Z_]+)'/gu)].map(([, code]) => code)).toEqual([
    'INVALID_OPTION',
    'INVALID_ROOT',
    'PORT_IN_USE',
    'PORT_REFUSED',
    'TOOL_NAME_TAKEN',
  ]);
});

/** The parameters of each tool as clients see them, optional ones with `?`. */
async function parametersFor(naming: NonNullable<source.McpServerOptions['naming']>): Promise<Record<string, string>> {
  const server = await source.createMcpServer({ toolSets: [codingToolSet], roots: [createTree({})], naming });
  const { tools } = await (await connectInMemory(server)).listTools();
  return Object.fromEntries(
    tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => {
      const names = Object.keys(properties).map((one) => `${one}${required.includes(one) ? '' : '?'}`);
      return [name, names.join(' ')];
    }),
  );
}

test('the tools and their parameters over MCP, in their order', async () => {
  const parameters = await parametersFor('default');
  expect(Object.entries(parameters)).toEqual([
    ['read', 'path offset? limit? encoding?'],
    ['write', 'path content'],
    ['edit', 'path edits'],
    ['patch', 'patch'],
    ['delete', 'path recursive?'],
    ['rename', 'from to overwrite?'],
    ['glob', 'pattern path? hidden? ignored? limit? skip?'],
    ['grep', 'pattern path? glob? type? mode? context? ignore_case? literal? multiline? ignored? limit? skip?'],
    ['ls', 'path? depth? limit? skip?'],
  ]);
});

test('the tools and their parameters over MCP with the names of the file system server', async () => {
  const parameters = await parametersFor('mcp-fs');
  expect(Object.entries(parameters)).toEqual([
    ['read_text_file', 'path offset? limit? head?'],
    ['read_media_file', 'path'],
    ['write_file', 'path content'],
    ['edit_file', 'path edits dryRun?'],
    ['move_file', 'source destination'],
    ['search_files', 'path? pattern'],
    ['list_directory', 'path?'],
    ['directory_tree', 'path?'],
    ['patch', 'patch'],
    ['delete', 'path recursive?'],
    ['grep', 'pattern path? glob? type? mode? context? ignore_case? literal? multiline? ignored? limit? skip?'],
  ]);
});

test('the tools take less than 8 KB of a context', async () => {
  const server = await source.createMcpServer({ toolSets: [codingToolSet], roots: [createTree({})] });
  const { tools } = await (await connectInMemory(server)).listTools();
  expect(JSON.stringify(tools).length).toBeLessThan(8 * 1024);
});

test('the capabilities of a server', async () => {
  const server = await source.createMcpServer({ toolSets: [codingToolSet], roots: [createTree({})] });
  const client = await connectInMemory(server);
  expect(client.getServerCapabilities()).toEqual({
    tools: {},
    resources: { subscribe: true, listChanged: true },
    completions: {},
  });
});
