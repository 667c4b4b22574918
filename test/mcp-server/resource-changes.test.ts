import { codingToolSet } from '@cairn/coding-agent';
import { createMcpServer } from '@cairn/mcp-server';
import type { McpServer } from '@cairn/mcp-server';
import { serveHttp } from '@cairn/mcp-server/http';
import type { Client } from '@modelcontextprotocol/client';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { connectInMemory } from './in-memory.ts';
import { collect, connectHttp } from './notifications.ts';
import type { Notifications } from './notifications.ts';
import { call, ways } from './support.ts';
import type { Way } from './support.ts';

async function serve(root: string): Promise<McpServer> {
  return createMcpServer({ toolSets: [codingToolSet], roots: [root], noticeIntervalMs: 1 });
}

async function listenHttp(root: string): Promise<string> {
  const server = await serve(root);
  const listener = await serveHttp(server, { port: 0, token: undefined });
  onTestFinished(async () => {
    await listener.close();
    await server.close();
  });
  return listener.url;
}

interface Bench extends Notifications {
  readonly root: string;
  readonly client: Client;
  readonly uri: (path: string) => string;
  /** Subscribes in the way of the era. Returns a function that ends the subscription. */
  readonly subscribe: (...paths: readonly string[]) => Promise<() => Promise<unknown>>;
}

async function open({ over, era }: Way, tree: Tree): Promise<Bench> {
  const root = createTree(tree);
  const client =
    over === 'stdio' ? await connectInMemory(await serve(root), era) : await connectHttp(await listenHttp(root), era);
  const uri = (path: string): string => pathToFileURL(join(root, path)).href;
  const subscribe: Bench['subscribe'] = async (...paths) => {
    const uris = paths.map(uri);
    if (era === 'modern') {
      const subscription = await client.listen({ resourceSubscriptions: uris, resourcesListChanged: true });
      return () => subscription.close();
    }
    for (const one of uris) await client.subscribeResource({ uri: one });
    return () => Promise.all(uris.map((one) => client.unsubscribeResource({ uri: one })));
  };
  return { root, client, uri, subscribe, ...collect(client) };
}

test.each(ways)('a subscribed file is announced when a tool writes it, over $over, $era', async (way) => {
  const { client, uri, subscribe, heard, wait } = await open(way, { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' });
  await subscribe('a.txt');
  for (const path of ['b.txt', 'a.txt']) {
    const edits = [{ old_text: path === 'a.txt' ? 'alpha' : 'beta', new_text: 'new' }];
    expect(await call(client, 'edit', { path, edits })).toContain('Edited');
  }
  await wait(uri('a.txt'));
  // An edit changes no list.
  expect(heard).toEqual([uri('a.txt')]);
});

test.each(ways)('a file that comes or goes changes the list and its directory, over $over, $era', async (way) => {
  const { client, uri, subscribe, heard, wait } = await open(way, { 'src/a.txt': 'alpha\n' });
  await subscribe('src', 'src/new.txt');
  await call(client, 'write', { path: 'src/new.txt', content: 'x' });
  await wait('list', uri('src'), uri('src/new.txt'));
  heard.length = 0;
  await call(client, 'delete', { path: 'src/new.txt' });
  await wait('list', uri('src'), uri('src/new.txt'));
});

test.each(ways)('a renamed directory announces the files in it, over $over, $era', async (way) => {
  const { client, uri, subscribe, wait } = await open(way, { 'src/deep/a.txt': 'alpha\n' });
  await subscribe('src/deep/a.txt', 'lib/deep/a.txt');
  await call(client, 'rename', { from: 'src', to: 'lib' });
  await wait('list', uri('src/deep/a.txt'), uri('lib/deep/a.txt'));
});

test.each(ways)('nothing is announced after a subscription has ended, over $over, $era', async (way) => {
  const { client, uri, subscribe, heard, wait } = await open(way, { 'a.txt': '1\n', 'b.txt': '1\n' });
  const end = await subscribe('a.txt');
  await subscribe('b.txt');
  await end();
  for (const path of ['a.txt', 'b.txt'])
    await call(client, 'edit', { path, edits: [{ old_text: '1', new_text: '2' }] });
  await wait(uri('b.txt'));
  expect(heard).toEqual([uri('b.txt')]);
});

test.each(['legacy', 'modern'] as const)('a client hears of the commits of other sessions, %s', async (era) => {
  const root = createTree({ 'a.txt': '1\n' });
  const url = await listenHttp(root);
  const [reader, writer] = [await connectHttp(url, era), await connectHttp(url, 'legacy')];
  const { wait } = collect(reader);
  const uri = pathToFileURL(join(root, 'a.txt')).href;
  if (era === 'legacy') await reader.subscribeResource({ uri });
  else await reader.listen({ resourceSubscriptions: [uri] });
  await call(writer, 'edit', { path: 'a.txt', edits: [{ old_text: '1', new_text: '2' }] });
  await wait(uri);
});

test('a root that is named through a link announces its files under the URIs of its list', async () => {
  const base = temporaryDirectory();
  mkdirSync(join(base, 'real'));
  writeFileSync(join(base, 'real/a.txt'), '1\n');
  symlinkSync('real', join(base, 'link'));
  const client = await connectInMemory(await serve(join(base, 'link')));
  const { wait } = collect(client);
  const { resources } = await client.listResources();
  const uri = resources.find(({ name }) => name === 'a.txt')?.uri ?? '';
  await client.subscribeResource({ uri });
  await call(client, 'edit', { path: 'a.txt', edits: [{ old_text: '1', new_text: '2' }] });
  await wait(uri);
});

test('a URI that announces no changes is rejected, and one that was never subscribed can be unsubscribed', async () => {
  const { client, root, uri } = await open(ways[0], { 'a.txt': '' });
  const outside = pathToFileURL(join(root, '..', 'other')).href;
  for (const one of ['test://x', outside, `${uri('a.txt')}#part`, uri('a.txt').replace('a.txt', '%61.txt'), '']) {
    await expect(client.subscribeResource({ uri: one }), one).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        'announces no changes; read it again when it matters, or subscribe to the URI of a file or a tree as resources/list gives it',
      ),
    });
  }
  expect(await client.unsubscribeResource({ uri: 'test://x' })).toMatchObject({});
});

test('an open subscription delays neither the end of a session nor of the server', async () => {
  const { client, subscribe } = await open({ over: 'stdio', era: 'modern' }, { 'a.txt': '' });
  await subscribe('a.txt');
  await client.close();
});
