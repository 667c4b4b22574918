/** Facts are found by the meaning of their texts, with the vectors of a server. */
import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { configuredEmbeddings, Consent, embeddingSettings } from '@cairn/memory/embeddings';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answer, answers, startEmbeddingsServer, vectorsOf } from '../support/embeddings-server.ts';
import type { Behavior, EmbeddingsServer } from '../support/embeddings-server.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { backendKinds, openMemory, useBackends } from './backends.ts';

useBackends();

const synonyms = [
  ['database', 'postgres', 'datenbank'],
  ['deploy', 'release', 'ship', 'rollout', '部署'],
  ['slow', 'latency', 'takes ages'],
  ['vacation', 'holidays', 'time off'],
];

const FACTS = [
  'The rollout runs every Tuesday at noon',
  'Postgres listens on port 6543 in staging',
  'Tests need redis-server on the path',
  'The logo is drawn in Inkscape',
  'Lint errors fail the build',
  'Invoices are sent by the billing service',
  'The kitchen is cleaned on Fridays',
  'Screenshots belong into the wiki',
  'Feature flags live in the admin console',
  'The mascot is a stone pile',
];

async function start(): Promise<EmbeddingsServer> {
  const server = await startEmbeddingsServer(vectorsOf({ synonyms }));
  onTestFinished(server.close);
  return server;
}

/** A user whose configuration allows the server, or not. */
async function userOf({ url }: EmbeddingsServer, { isAllowed = true, env = {} } = {}) {
  const home = temporaryDirectory();
  const context = {
    env: { CAIRN_EMBED_BASE_URL: url, CAIRN_EMBED_MODEL: 'scripted', XDG_CONFIG_HOME: join(home, 'config'), ...env },
    home,
    platform: process.platform,
  };
  const consent = new Consent(context);
  if (isAllowed) await consent.record(url, 'allowed');
  return { consent, embeddings: configuredEmbeddings(context) };
}

async function filled(memory: Memory, facts: readonly string[] = FACTS): Promise<void> {
  for (const fact of facts) await memory.facts.remember(fact, { scope: 'user' });
}

async function ask(memory: Memory, query: string) {
  const notices: string[] = [];
  const result = await memory.facts.recall({ query, onNotice: ({ code }) => notices.push(code) });
  return { ...result, notices, first: result.facts[0]?.text };
}

/** Waits until the background has no more to do. */
async function settled(memory: Memory): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const { notices } = await ask(memory, 'anything');
    if (!notices.includes('EMBED_PENDING')) return;
    await setImmediate();
  }
  throw new Error('there are still records without vectors');
}

describe.each(backendKinds)('with the store $name', (kind) => {
  test.skipIf(kind.isSkipped)(
    'a question in other words finds the fact, which is an answer when it stands out',
    async () => {
      const server = await start();
      const { embeddings } = await userOf(server);
      const { memory } = await openMemory(kind, { embeddings });
      await filled(memory);
      await settled(memory);
      const found = await ask(memory, 'when do we ship');
      expect(found.first).toBe('The rollout runs every Tuesday at noon');
      expect(found.facts[0]?.isSimilar).toBeUndefined();
      expect(found.notices).toEqual([]);
    },
  );

  test.skipIf(kind.isSkipped)('a changed fact is found by its new meaning, and not by its old one', async () => {
    const server = await start();
    const { embeddings } = await userOf(server);
    const { memory } = await openMemory(kind, { embeddings });
    await filled(memory);
    await settled(memory);
    const { facts } = await ask(memory, 'when do we ship');
    await memory.facts.update(facts[0]?.id ?? '', { text: 'The team takes holidays in August' });
    await settled(memory);
    expect((await ask(memory, 'time off')).first).toBe('The team takes holidays in August');
    const [old] = (await ask(memory, 'when do we ship')).facts;
    expect(old?.isSimilar).toBe(true);
  });
});

/** Returns all rows under the keys with a prefix. */
async function rowsUnder(backend: MemoryBackend, prefix: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { key } of await backend.keys(prefix)) {
    for (let after = 0, hasMore = true; hasMore;) {
      const page = await backend.page(key, { order: 'written', after });
      for (const { id, text, sequence } of page.rows) {
        texts.push(`${id} ${text}`);
        after = sequence;
      }
      ({ hasMore } = page);
    }
  }
  return texts;
}

/** Returns the numbers of the vectors of a fact as they are stored. */
async function numbersOf(backend: MemoryBackend, id: string): Promise<string> {
  const row = (await rowsUnder(backend, 'ai:vectors:')).find((text) => text.startsWith(`=${id} `));
  return row?.split('\n')[1] ?? '';
}

describe.each(backendKinds)('vectors in $name', (kind) => {
  test.skipIf(kind.isSkipped)('are removed with their fact, with its scope, and with everything', async () => {
    const server = await start();
    const { embeddings } = await userOf(server);
    const { memory, backend } = await openMemory(kind, { embeddings });
    await filled(memory);
    await settled(memory);
    const { facts } = await ask(memory, 'when do we ship');
    const id = facts[0]?.id ?? '';
    const numbers = await numbersOf(backend, id);
    expect(numbers.length).toBeGreaterThan(100);
    expect(await memory.facts.forget(id)).toMatchObject({ forgotten: true });
    const left = await rowsUnder(backend, '');
    expect(left.filter((text) => text.includes(id) || text.includes(numbers))).toEqual([]);
    expect(left.filter((text) => text.startsWith('=fact_'))).toHaveLength(FACTS.length - 1);
    expect((await memory.forget({ scope: 'user' })).removed).toBe(FACTS.length - 1);
    expect(await rowsUnder(backend, 'ai:vectors:')).toEqual([]);
    await filled(memory);
    await settled(memory);
    expect((await memory.forget({ everything: true })).removed).toBe(FACTS.length);
    expect(await rowsUnder(backend, '')).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('of a fact that is forgotten while the server is asked are not stored', async () => {
    const server = await start();
    const { embeddings } = await userOf(server);
    const { memory, backend } = await openMemory(kind, { embeddings });
    const other = createMemory({ backend });
    await filled(other);
    const { facts } = await other.facts.list({ scope: 'user' });
    const id = facts[0]?.id ?? '';
    server.behave = async (request, response, vectorOf) => {
      if (request.input.length > 1) await other.facts.forget(id);
      answers(request, response, vectorOf);
    };
    await settled(memory);
    const stored = await rowsUnder(backend, 'ai:vectors:');
    expect(stored.filter((text) => text.startsWith('=fact_'))).toHaveLength(FACTS.length - 1);
    expect(stored.filter((text) => text.includes(id))).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('are made again by another model, and not compared with those of the first', async () => {
    const server = await start();
    const { embeddings } = await userOf(server);
    const { memory, backend } = await openMemory(kind, { embeddings });
    await filled(memory);
    await settled(memory);
    // The same model, as the server names it, has another dimension now.
    const wide = vectorsOf({ synonyms, dimension: 96 });
    server.behave = ({ input }, response) => answer(response, 'scripted', input.map(wide));
    expect((await ask(memory, 'what ships')).notices).toContain('EMBED_PENDING');
    await settled(memory);
    const models = (await rowsUnder(backend, 'ai:vectors:')).map((text) => /"model":"([^"]*)"/u.exec(text)?.[1]);
    expect(new Set(models)).toEqual(new Set(['scripted (96)']));
    expect((await ask(memory, 'when do we ship')).first).toBe(FACTS[0]);
    // A server may also name another model.
    server.behave = ({ input }, response) => answer(response, 'scripted-2', input.map(wide));
    await ask(memory, 'which release');
    await settled(memory);
    const renamed = (await rowsUnder(backend, 'ai:vectors:')).map((text) => /"model":"([^"]*)"/u.exec(text)?.[1]);
    expect(new Set(renamed)).toEqual(new Set(['scripted as scripted-2 (96)']));
  });
});

test('a forgotten fact leaves no byte of its vector in the files of SQLite', async () => {
  const directory = temporaryDirectory();
  const server = await start();
  const { embeddings } = await userOf(server);
  const backend = sqlite({ path: join(directory, 'memory.db') });
  const memory = createMemory({ backend, embeddings });
  const bytes = (): string =>
    readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join('\n');
  await filled(memory);
  await settled(memory);
  const { facts } = await ask(memory, 'when do we ship');
  const id = facts[0]?.id ?? '';
  // Twice: the vectors before the change are in free pages.
  const before = await numbersOf(backend, id);
  await memory.facts.update(id, { text: 'The rollout runs every Monday' });
  await settled(memory);
  const after = await numbersOf(backend, id);
  expect(new Set([before, after, '']).size).toBe(3);
  const isLeft = (): boolean => [before, after].some((numbers) => bytes().includes(numbers.slice(0, 40)));
  expect(isLeft()).toBe(true);
  expect(await memory.facts.forget(id)).toEqual({ forgotten: true, erased: 'done' });
  expect(isLeft()).toBe(false);
  await memory.close();
  expect(isLeft()).toBe(false);
});

/** Secrets that a test may not contain as a whole. */
const SECRET = ['ghp', '_', 'x7Kq9ZtB2mWv4LpR8sNd6JfH3cYg1TaE5uQo'].join('');

test('a fact that was stored with allowSecret is never sent, nor a query with a secret', async () => {
  const server = await start();
  const { embeddings } = await userOf(server);
  const memory = createMemory({ backend: inProcess(), embeddings });
  onTestFinished(() => memory.close());
  await memory.facts.remember(`the token is ${SECRET}`, { scope: 'user', allowSecret: true });
  await memory.facts.remember('my locker opens with seven', { scope: 'user', allowSecret: true });
  const { fact } = await memory.facts.remember('the door is green', { scope: 'user' });
  await memory.facts.update(fact.id, { text: 'the door opens with nine', allowSecret: true });
  await filled(memory);
  await settled(memory);
  expect((await ask(memory, `who made ${SECRET}`)).notices).toContain('EMBED_FAILED');
  const sent = server.requests.flatMap(({ input }) => input).join('\n');
  expect(sent).toContain(FACTS[0]);
  for (const word of [SECRET, 'locker', 'nine']) expect(sent).not.toContain(word);
  expect((await ask(memory, 'the locker')).facts.map(({ text }) => text)).toContain('my locker opens with seven');
});

test('nothing is sent before the user allowed the server, and one notice asks for it', async () => {
  const server = await start();
  const { embeddings, consent } = await userOf(server, { isAllowed: false });
  const memory = createMemory({ backend: inProcess(), embeddings });
  onTestFinished(() => memory.close());
  await filled(memory);
  const notices: string[] = [];
  const recall = () =>
    memory.facts.recall({ query: 'when do we ship', onNotice: ({ message }) => notices.push(message) });
  await recall();
  await recall();
  const asking = notices.filter((message) => message.includes(server.url));
  expect(asking).toHaveLength(1);
  expect(asking[0]).toContain('cairn memory embed');
  expect(server.requests).toEqual([]);
  await consent.record(server.url, 'allowed');
  await settled(memory);
  expect((await ask(memory, 'when do we ship')).first).toBe(FACTS[0]);
  const sent = server.requests.length;
  await consent.record(server.url, 'declined');
  await memory.facts.remember('The budget is planned in May', { scope: 'user' });
  await recall();
  await ask(memory, 'which budget');
  expect(server.requests).toHaveLength(sent);
});

test('without variables there are no embeddings, and a variable alone is an error that names the other', () => {
  const context = { home: '/home/user', platform: process.platform };
  expect(configuredEmbeddings({ ...context, env: {} })).toBeUndefined();
  expect(embeddingSettings({})).toBeUndefined();
  expect(
    configuredEmbeddings({ ...context, env: { CAIRN_EMBED_MODEL: ' ', CAIRN_EMBED_API_KEY: 'k' } }),
  ).toBeUndefined();
  const url = 'http://localhost:11434/v1';
  const cases: readonly (readonly [env: Record<string, string>, message: string])[] = [
    [{ CAIRN_EMBED_MODEL: 'm' }, 'CAIRN_EMBED_BASE_URL is not'],
    [{ CAIRN_EMBED_BASE_URL: url }, 'CAIRN_EMBED_MODEL is not'],
    [{ CAIRN_EMBED_MODEL: 'm', CAIRN_EMBED_BASE_URL: 'localhost' }, 'is not a URL'],
    [{ CAIRN_EMBED_MODEL: 'm', CAIRN_EMBED_BASE_URL: 'file:///etc' }, 'has the protocol "file:"'],
    [{ CAIRN_EMBED_MODEL: 'm', CAIRN_EMBED_BASE_URL: 'http://a:b@localhost' }, 'contains a user or a password'],
    [{ CAIRN_EMBED_MODEL: 'm', CAIRN_EMBED_BASE_URL: url, CAIRN_EMBED_API_KEY: 'a b' }, 'contains spaces'],
    [{ CAIRN_EMBED_MODEL: 'm', CAIRN_EMBED_BASE_URL: 'http://example.com', CAIRN_EMBED_API_KEY: 'k' }, 'unencrypted'],
  ];
  for (const [env, message] of cases) {
    expect(() => embeddingSettings(env), message).toThrow(message);
  }
});

test('an invalid variable costs a notice and no answer', async () => {
  const env = { CAIRN_EMBED_MODEL: 'm' };
  const embeddings = configuredEmbeddings({ home: temporaryDirectory(), platform: process.platform, env });
  const memory = createMemory({ backend: inProcess(), embeddings });
  onTestFinished(() => memory.close());
  await filled(memory);
  const notices: string[] = [];
  const found = await memory.facts.recall({ query: 'Postgres', onNotice: ({ message }) => notices.push(message) });
  expect(found.facts[0]?.text).toBe(FACTS[1]);
  expect(notices.join('\n')).toContain('CAIRN_EMBED_BASE_URL is not');
});

const KEY = 'local-key-0123456789';
const ok: Behavior = answers;
const raw =
  (status: number, body: string): Behavior =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  };
const broken: readonly (readonly [what: string, behave: Behavior])[] = [
  ['closes the connection', (_, response) => response.destroy()],
  ['fails', raw(500, '{"error":{"message":"out of memory"}}')],
  ['is busy', raw(429, '{"error":{"message":"slow down"}}')],
  ['rejects the key, and repeats it', raw(401, `{"error":{"message":"bad key ${KEY}"}}`)],
  ['rejects the request, and repeats the key', raw(400, `{"error":{"message":"bad ${KEY}"}}`)],
  ['lacks the model', raw(404, '{"error":{"message":"no model"}}')],
  ['returns a page', raw(200, '<html>hello</html>')],
  ['returns other JSON', raw(200, '{"data":{}}')],
  ['returns half of an answer', raw(200, '{"data":[{"embedding":[1,2')],
  ['returns no vector', (_, response) => answer(response, 'm', [])],
  [
    'returns fewer vectors than texts',
    ({ input }, response, vectorOf) => answer(response, 'm', input.slice(1).map(vectorOf)),
  ],
  [
    'returns null for a number',
    ({ input }, response) =>
      answer(
        response,
        'm',
        input.map(() => [1, null, 3]),
      ),
  ],
  ['returns NaN', raw(200, '{"model":"m","data":[{"index":0,"embedding":[NaN,1]}]}')],
  ['returns infinite numbers', raw(200, '{"model":"m","data":[{"index":0,"embedding":[1e999,1]}]}')],
  [
    'returns strings',
    ({ input }, response) =>
      answer(
        response,
        'm',
        input.map(() => ['1', '2']),
      ),
  ],
  [
    'returns zeros',
    ({ input }, response) =>
      answer(
        response,
        'm',
        input.map(() => [0, 0, 0]),
      ),
  ],
  [
    'returns empty vectors',
    ({ input }, response) =>
      answer(
        response,
        'm',
        input.map(() => []),
      ),
  ],
  ['redirects', (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/v1/embeddings' }).end()],
];

describe('a server that', () => {
  test.each(broken)('%s costs a notice and no answer', async (_, behave) => {
    const server = await start();
    const { embeddings } = await userOf(server, { env: { CAIRN_EMBED_API_KEY: KEY } });
    const plain = createMemory({ backend: inProcess() });
    await filled(plain);
    const memory = createMemory({ backend: plain.backend, embeddings });
    onTestFinished(() => memory.close());
    server.behave = behave;
    const query = 'where does Postgres listen';
    const words = await plain.facts.recall({ query });
    const notices: string[] = [];
    const found = await memory.facts.recall({ query, onNotice: ({ message }) => notices.push(message) });
    expect(found).toEqual(words);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('Meaning was not used, only words:');
    expect(notices[0]).not.toContain(KEY);
    expect(server.requests[0]?.authorization).toBe(`Bearer ${KEY}`);
    // It is left alone for a while.
    const asked = server.requests.length;
    expect((await ask(memory, 'another question')).notices).toContain('EMBED_FAILED');
    const isAskedAgain = notices[0]?.includes('rejects the request') === true;
    expect(server.requests).toHaveLength(asked + (isAskedAgain ? 1 : 0));
    expect(await rowsUnder(memory.backend, 'ai:vectors:')).toEqual([]);
  });

  test('never answers is given up after three seconds', async () => {
    const server = await start();
    const { embeddings } = await userOf(server);
    const memory = createMemory({ backend: inProcess(), embeddings });
    onTestFinished(() => memory.close());
    server.behave = () => undefined;
    await filled(memory);
    const notices: string[] = [];
    const found = await memory.facts.recall({ query: 'Postgres', onNotice: ({ message }) => notices.push(message) });
    expect(found.facts[0]?.text).toBe(FACTS[1]);
    expect(notices.join()).toContain('did not answer within 3 s');
  });

  test('is not there costs a notice and no answer', async () => {
    const server = await startEmbeddingsServer();
    await server.close();
    const { embeddings } = await userOf(server);
    const memory = createMemory({ backend: inProcess(), embeddings });
    onTestFinished(() => memory.close());
    await filled(memory);
    const { facts, notices } = await ask(memory, 'Postgres');
    expect(facts[0]?.text).toBe(FACTS[1]);
    expect(notices).toEqual(['EMBED_FAILED']);
  });

  test('rejects one text makes the vectors of all others', async () => {
    const server = await start();
    const { embeddings } = await userOf(server);
    const memory = createMemory({ backend: inProcess(), embeddings });
    onTestFinished(() => memory.close());
    server.behave = (request, response, vectorOf) => {
      const isTooLong = request.input.some((text) => text.includes('mascot'));
      return (isTooLong ? raw(413, '{"error":{"message":"too long"}}') : ok)(request, response, vectorOf);
    };
    await filled(memory);
    await settled(memory);
    expect((await ask(memory, 'when do we ship')).first).toBe(FACTS[0]);
    const rows = await rowsUnder(memory.backend, 'ai:vectors:');
    expect(rows.filter((text) => text.includes('"unsent":"rejected"'))).toHaveLength(1);
    expect((await ask(memory, 'the mascot')).first).toBe('The mascot is a stone pile');
  });

  test('changes its model with every answer is given up', async () => {
    const server = await start();
    const { embeddings } = await userOf(server);
    const memory = createMemory({ backend: inProcess(), embeddings });
    onTestFinished(() => memory.close());
    server.behave = ({ input }, response, vectorOf) =>
      answer(response, `model-${server.requests.length}`, input.map(vectorOf));
    await filled(
      memory,
      Array.from({ length: 200 }, (_, index) => `fact number ${index}`),
    );
    const { notices } = await ask(memory, 'number 7');
    expect(notices).toContain('EMBED_PENDING');
    await memory.close();
    expect(server.requests.length).toBeLessThan(100);
  });
});
