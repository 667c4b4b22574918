import { execSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cairn, finished, startCairn } from '../support/cli.ts';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { call, connect, connectUrl, startHttp, ways } from './support.ts';

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

const ownTools = ['remember', 'recall', 'update_fact', 'forget_fact', 'notes'];

describe('the memory', () => {
  test.each(ways)('outlives its server, over $over in the $era era', async (way) => {
    const [root, place] = [temporaryDirectory(), temporaryDirectory()];
    const store = ['--store', join(place, 'memory.db')];
    const first = await connect(root, way, store);
    expect((await namesOf(first.client)).slice(-ownTools.length)).toEqual(ownTools);
    // The file is made by the first call that needs it.
    expect(existsSync(join(place, 'memory.db'))).toBe(false);
    expect(await call(first.client, 'remember', { text: 'The deploy key rotates on Fridays' })).toMatch(
      /^Remembered as fact_\w+ for the project /u,
    );
    await first.close();
    const second = await connect(root, way, store);
    expect(await call(second.client, 'recall', { query: 'deploy' })).toContain('The deploy key rotates on Fridays');
    expect(await call(second.client, 'notes', { text: 'check the key' })).toContain('check the key');
    const found = await cairn(['memory', 'search', 'fridays', ...store], { cwd: root });
    expect(found.stdout).toContain('The deploy key rotates on Fridays');
  });

  test.each(ways)('states when a model should search and when to write, over $over in the $era era', async (way) => {
    const root = temporaryDirectory();
    const { client } = await connect(root, way, ['--store', join(root, 'memory.db')]);
    expect(client.getInstructions()).toMatch(
      /Search at the start of a task and before you ask the user[^]*Write with remember/u,
    );
    const reader = await connect(root, way, ['--store', join(root, 'memory.db'), '--read-only']);
    expect(reader.client.getInstructions()).toMatch(/Search at the start of a task/u);
    expect(reader.client.getInstructions()).not.toContain('Write with remember');
  });

  test('costs a model less than 4 KB before the first call', async () => {
    const root = temporaryDirectory();
    const { client } = await connect(root, ways[0], ['--store', join(root, 'memory.db')]);
    const tools = (await client.listTools()).tools.filter(({ name }) => ownTools.includes(name));
    expect(tools).toHaveLength(ownTools.length);
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(4096);
  });

  test('loads neither its store nor the ranking before the first call', async () => {
    const root = temporaryDirectory();
    const preload = join(root, 'hook.mjs');
    const print = 'load(url, context, next) { process._rawDebug(url); return next(url, context); }';
    writeFileSync(preload, `import { registerHooks } from 'node:module';\nregisterHooks({ ${print} });\n`);
    const child = startCairn(['mcp', '--root', root], { preload });
    child.stdin?.end();
    const { stderr } = await finished(child);
    expect(stderr).toContain('/memory/src/tools/memory-tools.ts');
    expect(
      stderr.split('\n').filter((url) => /packages\/retrieval|src\/backends|memory\/src\/memory.ts/u.test(url)),
    ).toEqual([]);
  });

  test('shows what to know at the start of a session as a resource', async () => {
    const root = temporaryDirectory();
    const { client } = await connect(root, ways[0], ['--store', join(root, 'memory.db')]);
    const uri = 'cairn://memory/start';
    // Before the files: some clients read one page.
    const { resources } = await client.request({ method: 'resources/list', params: {} });
    expect(resources.slice(0, 2).map((one) => one.uri)).toEqual([uri, 'cairn://knowledge/index']);
    await call(client, 'remember', { text: 'Deploy on Fridays', pin: true });
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([
      { uri, mimeType: 'text/plain', text: expect.stringContaining('Deploy on Fridays') },
    ]);
    const { stdout } = await cairn(['memory', 'start', '--store', 'memory.db'], { cwd: root });
    expect(contents).toMatchObject([{ text: stdout.trimEnd() }]);
  });

  test('a rejection suggests a command that runs', async () => {
    // In a clone, `cairn` is not on the PATH.
    const directories = (process.env['PATH'] ?? '').split(delimiter);
    const path = directories.filter((directory) => !existsSync(join(directory, 'cairn'))).join(delimiter);
    const env = { CAIRN_COMMAND: '', PATH: path };
    const { url } = await startHttp(['--no-auth', '--http', '0', '--root', temporaryDirectory()], env);
    const client = await connectUrl(url, 'modern');
    const answer = await call(client, 'remember', { text: 'the key is AKIAIOSFODNN7QWERTYU' });
    const [, command = ''] = /with '(.+) memory remember --allow-secret'/u.exec(answer) ?? [];
    const stdout = execSync(`${command} --version`, { cwd: temporaryDirectory(), encoding: 'utf8', env });
    expect(stdout).toBe((await cairn(['--version'])).stdout);
  });

  test('facts and notes of one project are never seen by the server of another', async () => {
    const [one, other] = [temporaryDirectory(), temporaryDirectory()];
    const store = ['--store', join(temporaryDirectory(), 'memory.db')];
    const [first, second] = [await connect(one, ways[0], store), await connect(other, ways[0], store)];
    await call(first.client, 'remember', { text: 'Deploy on Fridays' });
    await call(first.client, 'notes', { text: 'halfway' });
    expect(await call(second.client, 'recall', { query: 'deploy' })).toMatch(
      /^Kept, but not searched: 1 fact of 1 other project .*\nNothing found in 0 facts, 0 assets and 0 messages\./u,
    );
    expect(await call(second.client, 'recall')).toMatch(
      /^Kept, but not searched: 1 fact of 1 other project .*\nNothing is kept in 0 facts and 0 assets\./u,
    );
    expect(await call(second.client, 'notes')).toBe('There are no notes of this project.');
    // Over stdio notes belong to the process, too: two agents in one project work on different things.
    const third = await connect(one, ways[0], store);
    expect(await call(third.client, 'recall')).toContain('Deploy on Fridays');
    expect(await call(third.client, 'notes')).toBe('There are no notes of this project.');
    // Over HTTP one server has many clients: notes belong to the project.
    const http = ways.find(({ over }) => over === 'http') ?? ways[0];
    const [fourth, fifth] = [await connect(one, http, store), await connect(one, http, store)];
    await call(fourth.client, 'notes', { text: 'shared' });
    expect(await call(fifth.client, 'notes')).toContain('shared');
    expect(await call((await connect(other, http, store)).client, 'notes')).toBe('There are no notes of this project.');
  });

  test('a project is named by --project', async () => {
    const store = ['--store', join(temporaryDirectory(), 'memory.db'), '--project', 'app'];
    const [first, second] = [
      await connect(temporaryDirectory(), ways[0], store),
      await connect(temporaryDirectory(), ways[0], store),
    ];
    expect(await call(first.client, 'remember', { text: 'Deploy on Fridays' })).toContain('for the project app.');
    expect(await call(second.client, 'recall', { query: 'deploy' })).toContain('Deploy on Fridays');
  });

  test.skipIf(!hasRedis || process.platform === 'win32')(
    'in a Redis has facts of a project only with --project, and states so',
    async () => {
      const server = await startRedis();
      onTestFinished(() => server.stop());
      const env = { CAIRN_REDIS_URL: server.url };
      const [url, named] = [
        await startHttp(['--no-auth', '--http', '0'], env),
        await startHttp(['--no-auth', '--http', '0', '--project', 'app'], env),
      ].map((one) => one.url);
      const [without, within] = [await connectUrl(url ?? '', 'legacy'), await connectUrl(named ?? '', 'legacy')];
      expect(await call(without, 'remember', { text: 'Deploy on Fridays' })).toMatch(
        /^error: .*may be shared by machines.*Start the server with --project <name>/su,
      );
      await call(without, 'remember', { text: 'The user deploys', scope: 'user' });
      await call(within, 'remember', { text: 'Deploy on Fridays' });
      expect(await call(within, 'recall', { query: 'deploy' })).toContain('Fridays');
      expect(await call(without, 'recall', { query: 'deploy' })).not.toContain('Fridays');
      expect(await call(without, 'recall', { query: 'deploy' })).toContain('The user deploys');
    },
  );

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
    expect(names.filter((name) => ownTools.includes(name))).toEqual(['recall']);
  });

  test('that cannot be opened fails only its own calls', async () => {
    const root = temporaryDirectory();
    const { client } = await connect(root, ways[0], ['--store', '/dev/null/memory.db']);
    expect(await call(client, 'remember', { text: 'x' })).toMatch(/^error: .*\/dev\/null/su);
    expect(await call(client, 'ls')).toContain('empty directory');
  });

  test.each(['nowhere', 'http://127.0.0.1', 'redis://user:100%@127.0.0.1'])(
    'with the invalid address %s is rejected with the name of the variable',
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
    ['a project although the memory is off', ['--memory', 'off', '--project', 'x'], /--project and --memory off/u],
    ['an empty file name', ['--store', ''], /--store/u],
    ['an empty project', ['--project', ''], /--project/u],
  ])('is rejected: %s', async (_reason, args, message) => {
    const { exitCode, stderr } = await cairn(['mcp', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});
