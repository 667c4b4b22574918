import type { Client } from '@modelcontextprotocol/client';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cairn, finished, startCairn } from '../support/cli.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { call, connect, ways } from './support.ts';

const ownTools = ['scan_index', 'search_knowledge', 'get_asset', 'sink_asset', 'report_asset'];

/** The options that name a knowledge, and a memory next to it. */
function optionsOf(directory: string): string[] {
  return ['--knowledge', directory, '--store', join(directory, 'memory.db')];
}

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const retry = {
  name: 'rabbitmq-retry-strategy',
  type: 'best-practice',
  product_line: 'exchange/infra',
  title: 'RabbitMQ 重试策略',
  tags: ['rabbitmq', 'retry'],
  text: '消息队列失败重试的核心是指数退避。超过次数的消息进入死信队列。\n',
  paths: ['src/queue/**'],
};

describe('the knowledge', () => {
  test.each(ways)('is kept, found and read over $over in the $era era', async (way) => {
    const [root, directory] = [temporaryDirectory(), temporaryDirectory()];
    const first = await connect(root, way, optionsOf(directory));
    expect(await namesOf(first.client)).toEqual(expect.arrayContaining(ownTools));
    // The store is made by the first call that needs it.
    expect(existsSync(join(directory, 'knowledge.db'))).toBe(false);
    expect(await call(first.client, 'sink_asset', retry)).toBe(
      'Added exchange/infra/rabbitmq-retry-strategy. It is in the index now.',
    );
    await first.close();
    const second = await connect(root, way, optionsOf(directory));
    expect(await call(second.client, 'scan_index', { query: 'rabbitmq' })).toContain(
      'rabbitmq-retry-strategy|best-practice|exchange/infra|RabbitMQ 重试策略|rabbitmq,retry|0',
    );
    expect(await call(second.client, 'search_knowledge', { query: '退避' })).toContain('指数退避');
    const read = await call(second.client, 'get_asset', { name: 'rabbitmq-retry-strategy' });
    expect(read).toContain('消息队列失败重试的核心是指数退避。');
    expect(read).toMatch(
      /^<knowledge-asset name="rabbitmq-retry-strategy"[^\n]* origin="local" date="\d{4}-\d\d-\d\d">/u,
    );
    const shown = await cairn(['knowledge', 'show', 'rabbitmq-retry-strategy', '--directory', directory]);
    expect(shown.stdout).toContain('指数退避');
  });

  test.each(ways)('is searched with the results as objects over $over in the $era era', async (way) => {
    const [root, directory] = [temporaryDirectory(), temporaryDirectory()];
    const { client } = await connect(root, way, optionsOf(directory));
    await call(client, 'sink_asset', retry);
    const found = await client.callTool({ name: 'search_knowledge', arguments: { query: '失败重试 退避' } });
    const { title, name, product_line, type } = retry;
    expect(found.structuredContent).toEqual({
      results: [
        {
          name,
          product_line,
          type,
          title,
          score: expect.closeTo(0.9, 0) as number,
          evidence: { covered: 1, missing: [], margin: 1, strength: expect.closeTo(0.9, 0) as number },
          snippet: expect.stringContaining('失败重试的核心是指数退避') as string,
        },
      ],
      is_answered: true,
      searched: 1,
      has_more: false,
      notices: [],
    });
    const failed = await client.callTool({ name: 'search_knowledge', arguments: { query: 'a', type: 'unknown' } });
    expect(failed).toMatchObject({ isError: true, structuredContent: { reason: 'INVALID_INPUT' } });
  });

  test('writes the index at the end of the server', async () => {
    const [root, directory] = [temporaryDirectory(), temporaryDirectory()];
    const { client, close } = await connect(root, ways[0], optionsOf(directory));
    await call(client, 'sink_asset', retry);
    await close();
    expect(readFileSync(join(directory, 'AGENTS-INDEX.md'), 'utf8')).toContain('rabbitmq-retry-strategy|');
  });

  test.each(ways)('has its index as a resource over $over in the $era era', async (way) => {
    const [root, directory] = [temporaryDirectory(), temporaryDirectory()];
    const { client } = await connect(root, way, optionsOf(directory));
    await call(client, 'sink_asset', retry);
    const { contents } = await client.readResource({ uri: 'cairn://knowledge/index' });
    expect(JSON.stringify(contents)).toContain('rabbitmq-retry-strategy|best-practice');
  });

  test('learns from one server what a later one uses', async () => {
    const [root, directory] = [temporaryDirectory(), temporaryDirectory()];
    const { client, close } = await connect(root, ways[0], optionsOf(directory));
    await call(client, 'sink_asset', retry);
    await call(client, 'search_knowledge', { query: '失败的消息' });
    await call(client, 'get_asset', { name: retry.name });
    await close();
    const { createMemory } = await import('@cairn/memory');
    const { sqlite } = await import('@cairn/memory/sqlite');
    const memory = createMemory({ backend: sqlite({ path: join(directory, 'knowledge.db') }) });
    const records = await memory.namespace('knowledge').list('usage');
    expect(records.map(({ value }) => value)).toMatchObject([
      { asset: 'exchange/infra/rabbitmq-retry-strategy', query: '失败的消息' },
    ]);
    await memory.close();
  });

  test('adds the index line of an asset when a file of its paths is read or edited, once', async () => {
    const directory = temporaryDirectory();
    const root = createTree({ 'src/queue/retry.ts': 'export {};\n', 'src/queue/other.ts': 'export {};\n', 'a.ts': '' });
    const { client } = await connect(root, ways[0], optionsOf(directory));
    await call(client, 'sink_asset', retry);
    expect(await call(client, 'read', { path: 'a.ts' })).not.toContain('rabbitmq');
    const edit = { path: 'src/queue/retry.ts', edits: [{ old_text: 'export', new_text: 'import' }] };
    expect(await call(client, 'edit', edit)).toMatch(
      /^Edited src\/queue\/retry\.ts[^\n]*\n\[Assets of the team about this file[^\n]*\n<knowledge-index about="src\/queue\/retry\.ts">\nrabbitmq-retry-strategy\|best-practice\|exchange\/infra\|[^\n]*\n<\/knowledge-index>$/u,
    );
    expect(await call(client, 'read', { path: 'src/queue/other.ts' })).not.toContain('rabbitmq');
    const again = await connect(root, ways[0], optionsOf(directory));
    expect(await call(again.client, 'read', { path: 'src/queue/other.ts' })).toContain('rabbitmq-retry-strategy|');
  });

  test('states the order of the layers in the instructions', async () => {
    const directory = temporaryDirectory();
    const { client: first } = await connect(directory, ways[0], optionsOf(directory));
    // Without assets there is not much to state.
    expect(first.getInstructions()).toContain('No asset was stored when this session began');
    expect(first.getInstructions()).not.toContain('check the index');
    await call(first, 'sink_asset', retry);
    const { client } = await connect(directory, ways[0], optionsOf(directory));
    expect(client.getInstructions()).toMatch(/check the index[^]*get_asset[^]*search_knowledge[^]*sink_asset/u);
    const reader = await connect(directory, ways[0], [...optionsOf(directory), '--read-only']);
    expect(reader.client.getInstructions()).not.toContain('sink_asset');
    expect(await namesOf(reader.client)).not.toContain('sink_asset');
    expect(await namesOf(reader.client)).toContain('get_asset');
  });

  test.each(['en', 'zh'])('costs a model less than 3.2 KB before the first call, in %s', async (language) => {
    const directory = temporaryDirectory();
    const { client } = await connect(directory, ways[0], [...optionsOf(directory), '--language', language]);
    const tools = (await client.listTools()).tools.filter(({ name }) => ownTools.includes(name));
    expect(tools.map(({ name }) => name)).toEqual(ownTools);
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(3200);
  });

  test('is not offered with --knowledge off', async () => {
    const directory = temporaryDirectory();
    const { client } = await connect(directory, ways[0], ['--knowledge', 'off', '--memory', 'off']);
    const offered = await namesOf(client);
    expect(ownTools.filter((name) => offered.includes(name))).toEqual([]);
    const refused = await cairn(['mcp', '--knowledge', 'off', '--language', 'zh']);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('exclude each other')]);
  });

  test('loads no store, no YAML and no ranking before the first call', async () => {
    const root = temporaryDirectory();
    const preload = join(root, 'hook.mjs');
    const print = 'load(url, context, next) { process._rawDebug(url); return next(url, context); }';
    writeFileSync(preload, `import { registerHooks } from 'node:module';\nregisterHooks({ ${print} });\n`);
    const child = startCairn(['mcp', '--root', root], { preload });
    child.stdin?.end();
    const { stderr } = await finished(child);
    expect(stderr).toContain('/knowledge/src/tools/tool-set.ts');
    const loaded = stderr
      .split('\n')
      .filter((url) => /packages\/retrieval|node_modules\/yaml|knowledge\/src\/stores/u.test(url));
    expect(loaded).toEqual([]);
  });
});
