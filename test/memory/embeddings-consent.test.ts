/** What the user allowed to be sent to which server. */
import { createMemory } from '@cairn/memory';
import { configuredEmbeddings, Consent, embeddingSettings } from '@cairn/memory/embeddings';
import { memory as inProcess } from '@cairn/memory/memory';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddingsServer } from '../support/embeddings-server.ts';
import { temporaryDirectory } from '../support/tree.ts';

/** A key that no pattern knows. */
const KEY = 'correct-horse-battery';

function contextOf(url: string, home: string = temporaryDirectory()) {
  const env = { CAIRN_EMBED_BASE_URL: url, CAIRN_EMBED_MODEL: 'scripted', XDG_CONFIG_HOME: join(home, 'config') };
  return { env, home, platform: process.platform };
}

const serverOf = (url: string): string => embeddingSettings(contextOf(url, '/home/user').env)?.server ?? '';

test.each([
  ['another value', '?deployment=a', '?deployment=b'],
  ['another name', '?deployment=a', '?model=a'],
  ['one more value', '?deployment=a', '?deployment=a&api-version=1'],
  ['no query', '?deployment=a', ''],
  ['another path', '', '/v2'],
  ['a key without a name', `?${KEY}`, ''],
])('consent for one server does not serve another: %s', async (_, one, other) => {
  const [first, second] = [`http://localhost:1/v1${one}`, `http://localhost:1/v1${other}`];
  const consent = new Consent(contextOf(first));
  await consent.record(serverOf(first), 'allowed');
  expect(await consent.stateOf(serverOf(first))).toBe('allowed');
  expect(await consent.stateOf(serverOf(second))).toBe('not-asked');
});

test('the order of a query and a slash at the end make no other server, and a server without a query is named by its URL', () => {
  expect(serverOf('https://host/v1?a=1&b=2')).toBe(serverOf('https://host/v1/?b=2&a=1'));
  expect(serverOf('https://host/v1')).toBe('https://host/v1');
  expect(serverOf('https://host')).toBe('https://host/v1');
});

test.each([
  ['a value', `?api-version=1&key=${KEY}`],
  ['a name', `?${KEY}`],
  ['an escaped value', `?key=${KEY}%26%2F%3D`],
])('a key in the query is sent, and neither stored nor shown: %s', async (_, query) => {
  const server = await startEmbeddingsServer();
  onTestFinished(server.close);
  const context = contextOf(`${server.url}${query}`);
  const { server: name = '' } = embeddingSettings(context.env) ?? {};
  const consent = new Consent(context);
  await consent.record(name, 'allowed');
  expect(readFileSync(consent.path, 'utf8')).not.toContain(KEY);
  const urls: string[] = [];
  server.behave = (request, response) => {
    urls.push(request.url);
    response
      .writeHead(400)
      .end(JSON.stringify({ error: { message: `bad request ${request.url} ${'x '.repeat(100)}` } }));
  };
  const memory = createMemory({ backend: inProcess(), embeddings: configuredEmbeddings(context) });
  onTestFinished(() => memory.close());
  await memory.facts.remember('Postgres listens on port 6543', { scope: 'user' });
  const notices: string[] = [];
  await memory.facts.recall({ query: 'port', onNotice: ({ message }) => notices.push(message) });
  expect(urls[0]).toContain(KEY);
  expect(notices.join()).toContain('rejects the request (400): bad request');
  expect(notices.join()).not.toContain(KEY);
});

test('withdrawing declines every server that was allowed, with its sessions, and names them', async () => {
  const consent = new Consent(contextOf(''));
  expect(await consent.withdraw()).toEqual([]);
  await consent.allowSessions('http://a/v1');
  await consent.record('http://b/v1', 'allowed');
  await consent.record('http://c/v1', 'declined');
  expect(await consent.withdraw('http://d/v1')).toEqual(['http://a/v1', 'http://b/v1']);
  for (const server of ['http://a/v1', 'http://b/v1', 'http://c/v1', 'http://d/v1']) {
    expect([await consent.stateOf(server), await consent.allowsSessions(server)], server).toEqual(['declined', false]);
  }
  await consent.record('http://a/v1', 'allowed');
  expect(await consent.allowsSessions('http://a/v1')).toBe(false);
});

test('sessions stay allowed until the server is declined', async () => {
  const consent = new Consent(contextOf(''));
  await consent.allowSessions('http://a/v1');
  await consent.record('http://a/v1', 'allowed');
  expect(await consent.allowsSessions('http://a/v1')).toBe(true);
  await consent.record('http://a/v1', 'declined');
  await consent.record('http://a/v1', 'allowed');
  expect(await consent.allowsSessions('http://a/v1')).toBe(false);
});

test.each([
  '',
  'null',
  '[]',
  '{',
  '{"servers":[]}',
  '{"servers":{"http://a/v1":true}}',
  '{"sessions":{"http://a/v1":"allowed"}}',
])('a file that is not readable allows nothing: %s', async (text) => {
  const consent = new Consent(contextOf(''));
  await consent.record('http://b/v1', 'allowed');
  writeFileSync(consent.path, text);
  expect([await consent.stateOf('http://a/v1'), await consent.allowsSessions('http://a/v1')]).toEqual([
    'not-asked',
    false,
  ]);
});
