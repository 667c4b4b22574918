import { codingToolSet, createCodingTools } from '@cairn/coding-agent';
import { sessionWorkspace } from '@cairn/coding-agent/internal';
import { createMcpServer } from '@cairn/mcp-server';
import { serveHttp } from '@cairn/mcp-server/http';
import { createTool, inputSchema, succeed, ToolError } from '@cairn/tool';
import type { ResourceProvider, ToolSet } from '@cairn/tool';
import type { Client, ListResourcesResult } from '@modelcontextprotocol/client';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTree } from '../support/tree.ts';
import { connectInMemory } from './in-memory.ts';
import { call, connectUrl, ways } from './support.ts';
import type { Way } from './support.ts';

const notes: Readonly<Record<string, string>> = { plan: 'Write the tests first.', todo: 'Ship.', trip: 'Go north.' };

/** Notes as resources, one on each page. */
const noteResources: ResourceProvider = {
  templates: [{ uriTemplate: 'note:{name}', name: 'note' }],
  list: async (cursor = '0') => {
    const index = Number(cursor);
    const name = Object.keys(notes)[index];
    if (name === undefined) throw new ToolError('INVALID_INPUT', ['the cursor is invalid', 'List again.']);
    return { resources: [{ uri: `note:${name}`, name }], ...(index < 2 && { nextCursor: String(index + 1) }) };
  },
  read: async (uri) => {
    if (!uri.startsWith('note:')) return undefined;
    const text = notes[uri.slice('note:'.length)];
    if (text === undefined) throw new ToolError('NOT_FOUND', [`${uri} does not exist`, 'List the resources.']);
    return [{ uri, mimeType: 'text/plain', text }];
  },
  complete: async ({ uriTemplate, argument, value }) => {
    if (uriTemplate !== 'note:{name}' || argument !== 'name') return undefined;
    const values = Object.keys(notes).filter((name) => name.startsWith(value));
    return { values, total: values.length };
  },
};

/** A set with resources and no tools. */
const noteSet: ToolSet = { name: 'notes', open: () => ({ tools: {}, resources: noteResources }) };

/** A second set with file tools, which uses the workspace of the session. */
const peekSet: ToolSet = {
  name: 'peek',
  open: (context) => ({ tools: { peek: createCodingTools({ workspace: sessionWorkspace(context) }).read } }),
};

const noteList = Object.keys(notes).map((name) => `note:${name}`);

/** Connects a client to two sets with resources. */
async function open({ over, era }: Way): Promise<{ readonly root: string; readonly client: Client }> {
  const root = createTree({ 'a.txt': 'alpha\n' });
  const server = await createMcpServer({ toolSets: [noteSet, codingToolSet], roots: [root] });
  if (over === 'stdio') return { root, client: await connectInMemory(server, era) };
  const listener = await serveHttp(server, { port: 0, token: undefined });
  onTestFinished(async () => {
    await listener.close();
    await server.close();
  });
  return { root, client: await connectUrl(listener.url, era) };
}

async function listPages(client: Client): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page: ListResourcesResult = await client.request({ method: 'resources/list', params });
    pages.push(page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

describe.each(ways)('two sets with resources, over $over in the $era era', (way) => {
  test('are listed in sequence, page by page', async () => {
    const { root, client } = await open(way);
    const files = [root, join(root, 'a.txt')].map((path) => pathToFileURL(path).href);
    const [last = '', ...others] = noteList.toReversed();
    expect(await listPages(client)).toEqual([...others.toReversed().map((uri) => [uri]), [last, ...files]]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['note:{name}', 'file:///{+path}']);
  });

  test('are read by the URIs of both', async () => {
    const { root, client } = await open(way);
    const uri = pathToFileURL(join(root, 'a.txt')).href;
    expect((await client.readResource({ uri: 'note:plan' })).contents).toMatchObject([{ text: notes['plan'] }]);
    expect((await client.readResource({ uri })).contents).toMatchObject([{ text: 'alpha\n' }]);
    await expect(client.readResource({ uri: 'note:none' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('note:none does not exist'),
    });
    await expect(client.readResource({ uri: 'film:x' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(
        'unknown resource "film:x"; use a listed URI, or one of the form note:{name}, file:///',
      ),
    });
  });

  test('complete the templates of both', async () => {
    const { root, client } = await open(way);
    const complete = async (uri: string, name: string, value: string): Promise<string[]> =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values;
    expect(await complete('note:{name}', 'name', 't')).toEqual(['todo', 'trip']);
    expect(await complete('file:///{+path}', 'path', 'a.t')).toEqual([join(root, 'a.txt').slice(1)]);
    await expect(complete('note:{name}', 'title', '')).rejects.toThrow('cannot complete argument "title"');
  });

  test('reject a cursor of neither', async () => {
    const { client } = await open(way);
    for (const cursor of ['none', Buffer.from('[0,"7"]').toString('base64url')]) {
      await expect(client.request({ method: 'resources/list', params: { cursor } }), cursor).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining(`invalid cursor "${cursor}"; list again without a cursor`),
      });
    }
  });
});

test.each(ways)(
  'the instructions name when to use the tools that are offered, over $over in the $era era',
  async (way) => {
    const set = (name: string, instructions: string): ToolSet => ({
      name,
      open: async (context) => ({ tools: (await peekSet.open(context)).tools, instructions }),
    });
    const instructionsOf = async (options: { readonly tools?: readonly string[] }): Promise<string | undefined> => {
      const toolSets = [set('peek', 'Peek before you leap.'), noteSet, codingToolSet];
      const server = await createMcpServer({ toolSets, roots: [createTree({})], ...options });
      if (way.over === 'stdio') return (await connectInMemory(server, way.era)).getInstructions();
      const listener = await serveHttp(server, { port: 0, token: undefined });
      onTestFinished(async () => {
        await listener.close();
        await server.close();
      });
      return (await connectUrl(listener.url, way.era)).getInstructions();
    };
    expect(await instructionsOf({})).toMatch(/^Paths are relative to .*\n\nPeek before you leap\.$/u);
    expect(await instructionsOf({ tools: ['glob'] })).not.toContain('Peek');
  },
);

test('a set may have resources and no tools', async () => {
  const server = await createMcpServer({ toolSets: [noteSet], roots: [createTree({})] });
  const client = await connectInMemory(server);
  expect((await client.listTools()).tools).toEqual([]);
  expect((await listPages(client)).flat()).toEqual(noteList);
});

test('a server declares resources and completions only when a set has them', async () => {
  const silent: ResourceProvider = {
    list: (...args) => noteResources.list(...args),
    read: (...args) => noteResources.read(...args),
  };
  const rows: readonly (readonly [resources: ResourceProvider | undefined, capabilities: object])[] = [
    [undefined, { tools: {} }],
    [silent, { tools: {}, resources: {} }],
    [noteResources, { tools: {}, resources: {}, completions: {} }],
  ];
  for (const [resources, capabilities] of rows) {
    const toolSets = [{ name: 'set', open: () => ({ tools: {}, resources }) }];
    const client = await connectInMemory(await createMcpServer({ toolSets, roots: [createTree({})] }));
    expect(client.getServerCapabilities()).toEqual(capabilities);
  }
});

test('the sets of one client share a workspace, and two clients do not', async () => {
  const root = createTree({ 'a.txt': 'alpha\n' });
  const server = await createMcpServer({ toolSets: [codingToolSet, peekSet], roots: [root] });
  const [one, other] = [await connectInMemory(server), await connectInMemory(server)];
  expect(await call(one, 'peek', { path: 'a.txt' })).toContain('alpha');
  expect(await call(other, 'write', { path: 'a.txt', content: 'beta\n' })).toMatch(/^error: /u);
  expect(await call(one, 'write', { path: 'a.txt', content: 'beta\n' })).not.toMatch(/^error: /u);
  writeFileSync(join(root, 'a.txt'), 'gamma\n');
  expect(await call(one, 'edit', { path: 'a.txt', old_text: 'gamma', new_text: 'delta' })).toMatch(
    /^error: .*changed/su,
  );
});

test('a client that asks for progress reads what a long call does now', async () => {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = createTool({
    name: 'work',
    description: 'work',
    inputSchema: inputSchema({}),
    annotations: {
      title: 'Work',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    run: async (_, { onProgress }) => {
      onProgress?.('reading\u001b a.ts');
      await finished;
      return succeed(onProgress === undefined ? 'not asked' : 'done', {});
    },
  });
  const toolSets: ToolSet[] = [{ name: 'work', open: () => ({ tools: { work } }) }];
  const client = await connectInMemory(await createMcpServer({ toolSets, roots: ['/'], progressIntervalMs: 5 }));
  const messages: (string | undefined)[] = [];
  const onprogress = ({ message }: { message?: string | undefined }): void => {
    messages.push(message);
    finish();
  };
  await client.callTool({ name: 'work', arguments: {} }, { onprogress });
  expect(messages[0]).toBe(String.raw`work has been running for 0 s: reading\u001b a.ts`);
  expect(await call(client, 'work')).toBe('not asked');
});
