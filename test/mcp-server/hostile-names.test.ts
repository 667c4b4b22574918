/** Names of files, and of what clients send, that would forge a line: no text of the server has such a line. */
import { codingToolSet } from '@cairn/coding-agent';
import { createMcpServer } from '@cairn/mcp-server';
import { createMemory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { memoryToolSet } from '@cairn/memory/tools';
import type { Client } from '@modelcontextprotocol/client';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { hostileInputs } from '../support/hostile-calls.ts';
import type { Schema } from '../support/hostile-calls.ts';
import { forgedIn, hostileNames } from '../support/hostile-names.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { connectInMemory } from './in-memory.ts';

async function open(): Promise<{ readonly root: string; readonly client: Client }> {
  const root = createTree({
    ...Object.fromEntries(hostileNames.map((name) => [name, 'needle\n'.repeat(30)])),
    directory: Object.fromEntries(hostileNames.map((name) => [name, { [name]: 'needle\n' }])),
  });
  const memory = async () => createMemory({ backend: sqlite({ path: join(temporaryDirectory(), 'memory.db') }) });
  const toolSets = [codingToolSet, memoryToolSet({ open: memory })];
  return { root, client: await connectInMemory(await createMcpServer({ toolSets, roots: [root] })) };
}

test('no line of the answer of a tool begins with what a name holds', async () => {
  const { client } = await open();
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(10);
  for (const { name: tool, inputSchema } of tools) {
    for (const name of hostileNames) {
      for (const input of hostileInputs(inputSchema as Schema, name)) {
        const { content } = await client.callTool({ name: tool, arguments: input });
        const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
        expect(forgedIn(text), `${tool} ${JSON.stringify(input)}`).toBeUndefined();
      }
    }
  }
});

/** The message of a request that fails. */
async function messageOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

test('no name of a resource and no error of the server has a line that a name forged', async () => {
  const { root, client } = await open();
  const { resources } = await client.listResources();
  expect(resources.length).toBeGreaterThan(2 * hostileNames.length);
  for (const { name, title = '', uri } of resources) {
    expect([name, title, uri].map(forgedIn), uri).toEqual([undefined, undefined, undefined]);
    await client.readResource({ uri });
  }
  const ref = { type: 'ref/resource', uri: 'file:///{+path}' } as const;
  for (const name of hostileNames) {
    const uri = pathToFileURL(join(root, 'missing', name)).href;
    const directory = await client.readResource({ uri: pathToFileURL(join(root, 'directory', name)).href });
    const messages = await Promise.all([
      messageOf(client.readResource({ uri })),
      messageOf(client.readResource({ uri: `other:${name}` })),
      messageOf(client.request({ method: 'resources/list', params: { cursor: name } })),
      messageOf(client.callTool({ name, arguments: {} })),
      messageOf(client.complete({ ref, argument: { name, value: 'a' } })),
    ]);
    expect(messages).not.toContain('');
    const texts = directory.contents.map((one) => ('text' in one ? one.text : ''));
    for (const text of [...messages, ...texts]) expect(forgedIn(text)).toBeUndefined();
  }
});
