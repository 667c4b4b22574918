import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createCodingTools } from '@cairn/coding-agent';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createToolSession } from '@cairn/tool';
import { createWorkspaceCacheToolSet } from '@cairn/workspace-cache/tools';
import { createMemory } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { createMemoryTools } from '@cairn/memory/tools';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTree, newDirectory, removeTree, writeTree } from '../support/tree.ts';
import { beginSlowGrep, busyThreads, call, connect, open, slowGrep, slowTree, textOf, ways } from './support.ts';
import type { Connected } from './support.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02', 'hex');
const tree = {
  'src/one.ts': 'const one = 1;\n',
  'src/two.ts': 'const two = 2;\n',
  'picture.png': png,
  '.gitignore': 'ignored\n',
};

describe.each(ways)('the official client over $over, $era era', (way) => {
  const root = newDirectory();
  let connected: Connected | undefined;
  /** The tools that the server serves, bound to nothing that a call could change. */
  const codingTools = createCodingTools({ root });
  const memoryTools = createMemoryTools({ memory: createMemory({ backend: memory() }) });
  const shared = (): Client => {
    if (connected === undefined) throw new Error('the client is not connected');
    return connected.client;
  };
  beforeAll(async () => {
    writeTree(root, tree);
    connected = await open(root, way);
  });
  afterAll(async () => {
    await connected?.close();
    removeTree(root);
  });

  test('lists the tools of the sets in their order with their annotations', async () => {
    const client = shared();
    const { tools } = await client.listTools();
    const context = { naming: 'default', readOnly: false, session: createToolSession() };
    const cacheSet = await createWorkspaceCacheToolSet().open({
      ...context,
      roots: [root],
      signal: AbortSignal.abort(),
    });
    const knowledgeSet = await createKnowledgeToolSet({
      open: () => Promise.reject(new Error('no tool is called')),
    }).open({ ...context, roots: [root], signal: new AbortController().signal });
    const sets = [codingTools, cacheSet.tools, knowledgeSet.tools, memoryTools];
    expect(tools.map(({ name, annotations }) => ({ name, ...annotations }))).toEqual(
      sets.flatMap((set) => Object.values(set).map(({ name, annotations }) => ({ name, ...annotations }))),
    );
    expect(client.getServerVersion()).toMatchObject({ name: 'cairn' });
    expect(client.getInstructions()).toMatch(/^Paths are relative to \//u);
  });

  test('calls every tool', async () => {
    const client = shared();
    expect(await call(client, 'read', { path: 'src/one.ts' })).toContain('const one = 1;');
    expect(await call(client, 'write', { path: 'new.txt', content: 'fresh\n' })).toContain('new.txt');
    expect(await call(client, 'edit', { path: 'src/one.ts', old_text: '1', new_text: '11' })).toContain('src/one.ts');
    const patch = '*** Begin Patch\n*** Update File: src/two.ts\n@@\n-const two = 2;\n+const two = 22;\n*** End Patch';
    expect(await call(client, 'patch', { patch })).toContain('src/two.ts');
    expect(await call(client, 'rename', { from: 'new.txt', to: 'old.txt' })).toContain('old.txt');
    expect(await call(client, 'glob', { pattern: '*.txt' })).toContain('old.txt');
    expect(await call(client, 'grep', { pattern: 'two = 22' })).toContain('src/two.ts');
    expect(await call(client, 'ls', { path: 'src' })).toContain('one.ts');
    expect(await call(client, 'workspace_tree')).toContain('\n  one.ts\n');
    expect(await call(client, 'cache_directory', { path: 'src', items: [] })).toContain(
      'Cached directory: src (2 items)',
    );
    expect(await call(client, 'delete', { path: 'old.txt' })).toContain('old.txt');
    expect(existsSync(join(root, 'old.txt'))).toBe(false);
    expect(readFileSync(join(root, 'src/one.ts'), 'utf8')).toBe('const one = 11;\n');
  });

  test('receives an image as an image', async () => {
    const client = shared();
    const { content } = await client.callTool({ name: 'read', arguments: { path: 'picture.png' } });
    expect(content[1]).toEqual({ type: 'image', data: png.toString('base64'), mimeType: 'image/png' });
  });

  test('receives invalid arguments as a result that a model sees', async () => {
    const client = shared();
    expect(await call(client, 'read', { path: 5 })).toMatch(/^error: read: invalid parameter path/u);
    expect(await call(client, 'read')).toMatch(/^error: read: missing parameter path/u);
    expect(await call(client, 'read', { path: 'src/won.ts' })).toMatch(/^error: .*does not exist.*src\/one\.ts/u);
    expect(await call(client, 'grep', { pattern: '[z-a]' })).toMatch(/^error: /u);
  });

  test('receives an error with the names of the tools for an unknown tool', async () => {
    const client = shared();
    const failure = client.callTool({ name: 'bash', arguments: {} });
    await expect(failure).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/unknown tool "bash"; the tools are read, write/u),
    });
    expect(await call(client, 'ls')).toContain('src/');
  });

  test.skipIf(process.platform !== 'linux')(
    'receives the progress of a long grep, and cancels it down to the native call',
    async () => {
      const { client, pid } = await connect(createTree(slowTree), way);
      const controller = new AbortController();
      const { progress, settled } = await beginSlowGrep(client, { signal: controller.signal });
      expect(progress).toMatchObject({
        progress: expect.any(Number),
        message: expect.stringMatching(/^grep has been running for \d+ s$/u),
      });
      expect(busyThreads(pid)).toBeGreaterThan(0);
      controller.abort(new Error('no longer wanted'));
      expect(await settled).toMatchObject({ message: expect.stringContaining('no longer wanted') });
      // Without the cancellation it would run for 30 s.
      await expect.poll(() => busyThreads(pid), { timeout: 20_000 }).toBe(0);
      expect(await call(client, 'glob', { pattern: 'slow1' })).toContain('slow1');
    },
  );

  test('gets other answers while a slow call runs', async () => {
    const { client } = await connect(createTree(slowTree), way);
    const controller = new AbortController();
    const slow = client.callTool({ name: 'grep', arguments: slowGrep }, { signal: controller.signal });
    expect(await call(client, 'read', { path: 'slow7', limit: 1 })).toContain('aaaa');
    controller.abort(new Error('enough'));
    await expect(slow).rejects.toThrow('enough');
  });

  test('continues with a new server after one was killed during a call', async () => {
    const place = createTree({ ...slowTree, 'kept.txt': 'kept\n' });
    const first = await connect(place, way);
    expect(await call(first.client, 'edit', { path: 'kept.txt', old_text: 'kept', new_text: 'saved' })).not.toMatch(
      /^error/u,
    );
    const controller = new AbortController();
    const { settled } = await beginSlowGrep(first.client, { signal: controller.signal });
    process.kill(first.pid, 'SIGKILL');
    // Over HTTP the client waits for the stream to resume.
    if (way.over === 'http') controller.abort(new Error('the server is gone'));
    expect(await settled).toBeInstanceOf(Error);
    const second = await connect(place, way);
    expect(await call(second.client, 'read', { path: 'kept.txt' })).toContain('saved');
    expect(await call(second.client, 'edit', { path: 'kept.txt', old_text: 'saved', new_text: 'again' })).not.toMatch(
      /^error/u,
    );
    expect(readFileSync(join(place, 'kept.txt'), 'utf8')).toBe('again\n');
  });

  test('cannot overwrite a file that changed since it was read', async () => {
    const client = shared();
    writeFileSync(join(root, 'a.txt'), 'one\n');
    await call(client, 'read', { path: 'a.txt' });
    writeFileSync(join(root, 'a.txt'), 'two\n');
    expect(await call(client, 'write', { path: 'a.txt', content: 'three\n' })).toMatch(/^error: .*changed/su);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n');
  });

  test('receives the facts of an answer besides its text, and never the text twice', async () => {
    const input = { name: 'grep', arguments: { pattern: 'const' } };
    const facts = { totalMatches: 2, filesWithMatches: 2, matches: 2, complete: true };
    const answer = await shared().callTool(input);
    expect(answer._meta?.['cairn/facts']).toMatchObject(facts);
    expect(answer.structuredContent).toMatchObject(facts);
    expect(JSON.stringify(answer.structuredContent)).not.toContain('const one');
    // This host shows its model the structured content instead of the text.
    const hiding = await connect(root, { ...way, clientName: 'claude-code' });
    const other = await hiding.client.callTool(input);
    expect(other.structuredContent).toBeUndefined();
    expect(other._meta?.['cairn/facts']).toEqual(answer._meta?.['cairn/facts']);
    expect(textOf(other)).toBe(textOf(answer));
  });
});

test('--state-dir chooses the directory of the journals', async () => {
  const place = createTree({ root: {} });
  const state = join(place, 'state');
  const { client } = await connect(join(place, 'root'), { over: 'stdio', era: 'modern' }, ['--state-dir', state]);
  expect(await call(client, 'write', { path: 'a.txt', content: 'x' })).not.toMatch(/^error/u);
  expect(readdirSync(state)).toEqual([]);
});
