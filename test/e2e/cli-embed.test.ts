import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { answer, startEmbeddingsServer, vectorsOf } from '../support/embeddings-server.ts';
import type { EmbeddingsServer } from '../support/embeddings-server.ts';
import { runInTerminal } from '../support/terminal.ts';
import { messages, newcomer, remember } from './newcomer.ts';
import type { Newcomer } from './newcomer.ts';

const KEY = 'a-key-of-the-server';
const FACTS = [
  'The rollout runs every Tuesday at noon',
  'Postgres listens on port 6543 in staging',
  'Tests need redis-server on the path',
  'The logo is drawn in Inkscape',
  'Lint errors fail the build',
  'Invoices are sent by the billing service',
  'The kitchen is cleaned on Fridays',
  'Screenshots belong into the wiki',
];

async function start(): Promise<EmbeddingsServer> {
  const server = await startEmbeddingsServer(
    vectorsOf({
      synonyms: [
        ['rollout', 'ship', 'deploy'],
        ['kitchen', 'cooking'],
      ],
    }),
  );
  onTestFinished(server.close);
  return server;
}

interface DoctorCheck {
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

async function doctorOf(cairn: Newcomer): Promise<DoctorCheck | undefined> {
  const { stdout } = await cairn(['doctor', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: readonly DoctorCheck[] };
  return checks.find(({ name }) => name === 'embeddings');
}

test('without a server nothing is asked, and the command names the variables', async () => {
  const cairn = newcomer();
  const { exitCode, stderr } = await cairn(['memory', 'embed']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('no embeddings server is configured');
  expect(stderr).toContain('CAIRN_EMBED_BASE_URL');
  expect((await doctorOf(cairn))?.status).toBe('skip');
});

test('a server is used after it was allowed, and no longer after it was switched off', async () => {
  const server = await start();
  const cairn = newcomer({
    CAIRN_EMBED_BASE_URL: server.url,
    CAIRN_EMBED_MODEL: 'scripted',
    CAIRN_EMBED_API_KEY: KEY,
  });
  for (const fact of FACTS) await remember(cairn, fact, '--scope', 'user');
  const asset = ['knowledge', 'add', '--new', '--name', 'oven', '--type', 'pitfall', '--title', 'Oven'];
  expect((await cairn(asset, 'The cooking area closes at nine.\n')).exitCode).toBe(0);
  const before = await cairn(['recall', 'when', 'do', 'we', 'ship']);
  expect(before.stderr).toContain(server.url);
  expect(before.stderr).toContain('cairn memory embed');
  const unconfirmed = await cairn(['memory', 'embed']);
  expect([unconfirmed.exitCode, unconfirmed.stdout]).toEqual([2, '']);
  expect(unconfirmed.stderr).toContain(server.url);
  expect(unconfirmed.stderr).toContain('--yes');
  expect((await doctorOf(cairn))?.message).toContain('not allowed yet');
  expect(server.requests).toEqual([]);

  const made = await cairn(['memory', 'embed', '--yes']);
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  expect(made.stdout).toBe(
    '8 of 8 facts can be found by meaning, with scripted (256)\n1 of 1 asset can be found by meaning, with scripted (256)\n',
  );
  const consent = readFileSync(join(cairn.home, '.config/cairn/embeddings.json'), 'utf8');
  expect(JSON.parse(consent)).toEqual({ servers: { [server.url]: 'allowed' } });
  expect(server.requests[0]?.authorization).toBe(`Bearer ${KEY}`);
  const found = await cairn(['recall', 'when', 'do', 'we', 'ship']);
  expect(found).toMatchObject({ exitCode: 0, stderr: '' });
  expect(found.stdout.split('\n')[0]).toMatch(/ fact fact_\w+ user: The rollout runs every Tuesday at noon$/u);
  expect(await doctorOf(cairn)).toMatchObject({
    status: 'ok',
    message: `scripted at ${server.url}, 256 dimensions; 9 of 9 facts and assets have vectors`,
  });
  // A new fact gets its vector before the command ends.
  await remember(cairn, 'The deploy key is kept by Ada', '--scope', 'user');
  expect((await doctorOf(cairn))?.message).toContain('10 of 10');

  server.behave = (_, response) => answer(response, 'scripted', []);
  const failed = await cairn(['recall', 'when', 'do', 'we', 'ship']);
  expect(failed.stderr).toContain('Meaning was not used, only words');
  expect((await doctorOf(cairn))?.status).toBe('fail');
  const sent = server.requests.length;
  expect(await cairn(['memory', 'embed', '--off'])).toMatchObject({
    exitCode: 0,
    stdout: `nothing is sent to ${server.url} any more\nall vectors of ${join(cairn.home, '.local/share/cairn/memory.db')} and of the assets were removed\n`,
  });
  const off = await cairn(['recall', 'when', 'do', 'we', 'ship']);
  expect(off.stderr).not.toContain('server');
  expect(server.requests).toHaveLength(sent);
  expect(existsSync(join(cairn.home, '.config/cairn/embeddings.json'))).toBe(true);
  const output = [before, unconfirmed, made, found, failed, off].map(({ stdout, stderr }) => stdout + stderr).join('');
  expect(output).not.toContain(KEY);
});

function consentOf(home: string): unknown {
  const path = join(home, '.config/cairn/embeddings.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

test.each([
  ['without the variables', {}],
  ['with variables that are invalid', { CAIRN_EMBED_BASE_URL: 'localhost', CAIRN_EMBED_MODEL: 'm' }],
  ['with the variables of another server', { CAIRN_EMBED_BASE_URL: 'http://localhost:1/v1', CAIRN_EMBED_MODEL: 'm' }],
])('every consent is withdrawn %s, and named', async (_, env) => {
  const [first, second] = [await start(), await start()];
  const cairn = newcomer();
  await remember(cairn, FACTS[0] ?? '', '--scope', 'user');
  const urls = [first.url, `${second.url}?key=${KEY}`];
  for (const url of urls) {
    const user = cairn.elsewhere(cairn.home, { CAIRN_EMBED_BASE_URL: url, CAIRN_EMBED_MODEL: 'scripted' });
    expect((await user(['memory', 'embed', '--yes'])).exitCode).toBe(0);
  }
  const off = await cairn.elsewhere(cairn.home, env)(['memory', 'embed', '--off']);
  expect(off).toMatchObject({ exitCode: 0, stderr: '' });
  expect(off.stdout).toContain(`nothing is sent to ${first.url} any more\n`);
  expect(off.stdout).toContain(`nothing is sent to ${second.url}?…`);
  expect(off.stdout + JSON.stringify(consentOf(cairn.home))).not.toContain(KEY);
  for (const [index, url] of urls.entries()) {
    const user = cairn.elsewhere(cairn.home, { CAIRN_EMBED_BASE_URL: url, CAIRN_EMBED_MODEL: 'scripted' });
    const server = [first, second][index];
    const sent = server?.requests.length;
    await user(['recall', 'when', 'do', 'we', 'ship']);
    expect(server?.requests).toHaveLength(sent ?? 0);
  }
  const again = await cairn(['memory', 'embed', '--off']);
  expect(again.stdout).toMatch(/^no server was allowed\n/u);
});

test.each([
  ['Ctrl-D', ['recall', 'ship'], '\u0004', /recall asks\s+again/u, undefined],
  ['Ctrl-D', ['memory', 'embed'], '\u0004', /which asks\s+again/u, undefined],
  ['a no', ['memory', 'embed'], 'n\r', /nothing\s+more is sent/u, 'declined'],
  ['a yes', ['recall', 'ship'], 'y\r', /./u, 'allowed'],
] as const)('at the question, %s to %j is recorded as what it is', async (_, args, key, message, state) => {
  const server = await start();
  const cairn = newcomer();
  await remember(cairn, FACTS[0] ?? '', '--scope', 'user');
  const env = { HOME: cairn.home, CAIRN_EMBED_BASE_URL: server.url, CAIRN_EMBED_MODEL: 'scripted' };
  const run = runInTerminal(args, { cwd: cairn.home, env, columns: 200 });
  await run.until((rows) => rows.some((row) => row.endsWith('[y/N]')), 'the question');
  run.type(key);
  await run.end;
  expect(run.rows().join(' ')).toMatch(message);
  expect(consentOf(cairn.home)).toEqual(state && { servers: { [server.url]: state } });
  expect(server.requests.length > 0).toBe(state === 'allowed');
});

test('messages of sessions are sent and found by meaning after --sessions, and not before', async () => {
  const server = await start();
  const cairn = newcomer({ CAIRN_EMBED_BASE_URL: server.url, CAIRN_EMBED_MODEL: 'scripted' });
  const texts = FACTS.map((fact, index) => ['g', index % 2 === 0 ? 'user' : 'assistant', fact] as const);
  expect((await cairn(['memory', 'import'], messages(...texts))).exitCode).toBe(0);
  expect((await cairn(['memory', 'embed', '--yes'])).stdout).toBe('0 of 0 facts can be found by meaning\n');
  const question = ['recall', 'the cooking area', '--kind', 'message'];
  const before = await cairn(question);
  expect(before.stdout).not.toContain('kitchen');
  const refused = await cairn(['memory', 'embed', '--sessions']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('the messages of all sessions, past and future');
  const sentBefore = server.requests.flatMap(({ input }) => input);
  for (const fact of FACTS) expect(sentBefore).not.toContain(fact);

  const made = await cairn(['memory', 'embed', '--sessions', '--yes']);
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  expect(made.stdout).toContain('8 of 8 messages can be found by meaning, with scripted (256)\n');
  const found = await cairn(question);
  expect(found).toMatchObject({ exitCode: 0, stderr: '' });
  expect(found.stdout.split('\n')[0]).toMatch(/ message \S+ user: The kitchen is cleaned on Fridays$/u);
  expect((await doctorOf(cairn))?.message).toContain('8 of 8 facts, messages and assets have vectors');

  const off = await cairn(['memory', 'embed', '--off']);
  expect(off.exitCode).toBe(0);
  await cairn(['memory', 'embed', '--yes']);
  const sent = server.requests.length;
  expect((await cairn(question)).stdout).not.toContain('kitchen');
  expect(server.requests).toHaveLength(sent);
});

test('an answer that lacks vectors names the command that makes them', async () => {
  const server = await start();
  const cairn = newcomer({ CAIRN_EMBED_BASE_URL: server.url, CAIRN_EMBED_MODEL: 'scripted' });
  await cairn(['memory', 'embed', '--yes']);
  const lines = FACTS.map((text, index) => {
    const fact = { id: `fact_${index}`, text, tags: [], createdAt: 1, updatedAt: 1 };
    return JSON.stringify({ kind: 'fact', scope: 'user', fact });
  });
  await cairn(['memory', 'import'], lines.join('\n'));
  const before = await cairn(['recall', 'when', 'do', 'we', 'ship']);
  expect(before.stderr).toContain(
    '8 of 8 records have no vector yet and were ranked by words only. To make their vectors now, run: cairn memory embed.\n',
  );
  expect((await cairn(['memory', 'embed'])).exitCode).toBe(0);
  const after = await cairn(['recall', 'when', 'do', 'we', 'ship']);
  expect(after.stderr).not.toContain('no vector yet');
  expect(after.stdout).toContain(FACTS[0]);
});
