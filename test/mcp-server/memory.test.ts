import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { call, connect, ways } from './support.ts';

async function namesOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const graphTools = [
  'create_entities',
  'create_relations',
  'add_observations',
  'delete_entities',
  'delete_observations',
  'delete_relations',
  'read_graph',
  'search_nodes',
  'open_nodes',
];

describe('the memory', () => {
  test.each(ways)('outlives its server, over $over in the $era era', async (way) => {
    const [root, place] = [temporaryDirectory(), temporaryDirectory()];
    const store = ['--store', join(place, 'memory.db')];
    const first = await connect(root, way, store);
    expect((await namesOf(first.client)).slice(-3)).toEqual(['remember', 'recall', 'notes']);
    // The file is made by the first call that needs it.
    expect(existsSync(join(place, 'memory.db'))).toBe(false);
    expect(await call(first.client, 'remember', { content: 'The deploy key rotates on Fridays' })).toMatch(
      /^Remembered/u,
    );
    await first.close();
    const second = await connect(root, way, store);
    expect(await call(second.client, 'recall', { query: 'deploy' })).toContain('The deploy key rotates on Fridays');
    expect(await call(second.client, 'notes', { content: 'check the key' })).toContain('check the key');
    const found = await cairn(['memory', 'search', 'fridays', ...store]);
    expect(found.stdout).toContain('The deploy key rotates on Fridays');
  });

  test('uses the names of the official memory server on request, or is off', async () => {
    const root = temporaryDirectory();
    const store = join(temporaryDirectory(), 'memory.db');
    const graph = await connect(root, ways[0], ['--memory', 'mcp-memory', '--store', store, '--naming', 'claude']);
    expect((await namesOf(graph.client)).slice(-graphTools.length)).toEqual(graphTools);
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
    expect(await call(graph.client, 'create_entities', { entities })).toContain('Ada');
    expect(await call(graph.client, 'search_nodes', { query: 'engines' })).toContain('likes engines');
    const none = await connect(root, ways[0], ['--memory', 'off']);
    expect(await namesOf(none.client)).not.toContain('remember');
  });

  test('can be read but not changed on a read-only server', async () => {
    const { client } = await connect(temporaryDirectory(), ways[0], ['--read-only']);
    const names = await namesOf(client);
    expect(names).toContain('recall');
    expect(names).not.toContain('remember');
    expect(names).not.toContain('notes');
  });

  test('that cannot be opened fails only its own calls', async () => {
    const root = temporaryDirectory();
    const { client } = await connect(root, ways[0], ['--store', '/dev/null/memory.db']);
    expect(await call(client, 'remember', { content: 'x' })).toMatch(/^error: .*\/dev\/null/su);
    expect(await call(client, 'ls')).toContain('empty directory');
  });

  test.each(['nowhere', 'http://127.0.0.1', 'redis://user:100%@127.0.0.1'])(
    'with the invalid address %s is refused with the name of the variable',
    async (url) => {
      const { exitCode, stderr } = await cairn(['mcp', '--root', temporaryDirectory()], {
        env: { CAIRN_REDIS_URL: url },
      });
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('CAIRN_REDIS_URL: ') });
    },
  );

  test.each([
    ['a profile that does not exist', ['--memory', 'mine'], /default, mcp-memory or off/u],
    ['a file although the memory is off', ['--memory', 'off', '--store', 'x'], /--memory off/u],
    ['an empty file name', ['--store', ''], /--store/u],
  ])('is refused: %s', async (_reason, args, message) => {
    const { exitCode, stderr } = await cairn(['mcp', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});
