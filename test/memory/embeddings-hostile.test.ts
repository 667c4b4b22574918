/** A server of embeddings that attacks: each of its answers costs one notice, and never an answer, a key or the terminal. */
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { embeddingSettings, serverEmbeddings, type EmbeddingSettings } from '@cairn/memory/embeddings';
import { memory as inProcess } from '@cairn/memory/memory';
import { countVectors, Meaning } from '@cairn/memory/terms';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answer, answers, startEmbeddingsServer } from '../support/embeddings-server.ts';
import type { Behavior, EmbeddingsServer } from '../support/embeddings-server.ts';

const KEY = 'local-key-0123456789';
const FACT = 'Postgres listens on port 6543';

async function start(): Promise<EmbeddingsServer> {
  const server = await startEmbeddingsServer();
  onTestFinished(server.close);
  return server;
}

function settingsOf({ url }: EmbeddingsServer): EmbeddingSettings {
  const env = { CAIRN_EMBED_BASE_URL: url, CAIRN_EMBED_MODEL: 'scripted', CAIRN_EMBED_API_KEY: KEY };
  const settings = embeddingSettings(env);
  if (settings === undefined) throw new Error('there are no settings');
  return settings;
}

/** A memory with facts that the server does not know. */
async function memoryOf(server: EmbeddingsServer, facts: readonly string[] = [FACT]): Promise<Memory> {
  const plain = createMemory({ backend: inProcess() });
  for (const fact of facts) await plain.facts.remember(fact, { scope: 'user' });
  const memory = createMemory({ backend: plain.backend, embeddings: serverEmbeddings(settingsOf(server)) });
  onTestFinished(() => memory.close());
  return memory;
}

async function ask(memory: Memory, query = 'where does Postgres listen') {
  const notices: string[] = [];
  const { facts } = await memory.facts.recall({ query, onNotice: ({ message }) => notices.push(message) });
  return { facts: facts.map(({ text }) => text), notices };
}

const MIB = 1024 * 1024;

/** Sends a long body until the client has enough. */
async function flood(response: ServerResponse, mebibytes: number): Promise<void> {
  const piece = Buffer.alloc(MIB, ' ');
  for (let sent = 0; sent < mebibytes && !response.destroyed; sent++) {
    if (!response.write(piece)) await setImmediate();
  }
  response.end('{"data":[]}');
}

const withItems = (data: readonly unknown[]): Behavior => {
  return (_, response) => response.end(JSON.stringify({ model: 'scripted', data }));
};
const raw = (body: string, headers: Readonly<Record<string, string>> = {}): Behavior => {
  return (_, response) => response.writeHead(200, headers).end(body);
};

const attacks: readonly (readonly [what: string, behave: Behavior, notice: string])[] = [
  [
    'ends in the middle',
    (_, response) => void response.write('{"data":', () => response.destroy()),
    'cannot be reached',
  ],
  ['sends garbage as gzip', raw('not gzip', { 'content-encoding': 'gzip' }), 'cannot be reached'],
  ['sends nothing', raw(''), 'not one of the embeddings API'],
  ['has no content', (_, response) => response.writeHead(204).end(), 'not one of the embeddings API'],
  ['sends a number', raw('5'), 'not one of the embeddings API'],
  ['sends deep JSON', raw(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 'not one of the embeddings API'],
  ['sends no list', raw('{"data":{"length":1,"0":{"embedding":[1]}}}'), 'not one of the embeddings API'],
  ['sends null for a vector', withItems([null]), 'something else than finite numbers'],
  ['sends more vectors than texts', withItems([{ embedding: [1] }, { embedding: [2] }]), '2 vectors for 1 text'],
  ['sends another index', withItems([{ index: 1, embedding: [1] }]), 'not one of the embeddings API'],
  ['sends a negative index', withItems([{ index: -1, embedding: [1] }]), 'not one of the embeddings API'],
  ['sends numbers that overflow', withItems([{ embedding: [1e308, 1e308] }]), 'too large'],
  ['sends a very long vector', withItems([{ embedding: Array(16_385).fill(1) }]), 'more than 16384'],
  ['sends a vector in base64', withItems([{ embedding: 'AACAPwAAgD8=' }]), 'something else than finite numbers'],
  ['sends lists of lists', withItems([{ embedding: [[1, 2]] }]), 'something else than finite numbers'],
];

/** 100 MiB of spaces. */
const packed = gzipSync(Buffer.alloc(100 * MIB, ' '));

describe('a server that', () => {
  test.each<[what: string, behave: Behavior]>([
    ['floods the client', (_, response) => flood(response, 200)],
    [
      'sends a small body that unpacks to a large one',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    ],
  ])('%s is cut off', async (_, behave) => {
    const server = await start();
    server.behave = behave;
    // Without the time limit of a question.
    const asked = serverEmbeddings(settingsOf(server)).embed([FACT], {});
    await expect(asked).rejects.toThrow('sent more than 64 MiB');
  });

  test.each(attacks)('%s costs one notice', async (_, behave, expected) => {
    const server = await start();
    const memory = await memoryOf(server);
    server.behave = behave;
    const { facts, notices } = await ask(memory);
    expect(facts).toEqual([FACT]);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('Meaning was not used, only words:');
    expect(notices[0]).toContain(expected);
    expect(notices[0]).not.toContain(KEY);
    expect(await memory.backend.keys('ai:vectors:')).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])(
    'redirects with %i to another host does not move a text or the key',
    async (status) => {
      const [server, other] = [await start(), await start()];
      const memory = await memoryOf(server);
      const location = `${other.url.replace('127.0.0.1', 'localhost')}/embeddings`;
      server.behave = (_, response) => response.writeHead(status, { location }).end();
      const { facts, notices } = await ask(memory);
      expect(facts).toEqual([FACT]);
      expect(notices).toEqual([expect.stringContaining(`redirects to another address (${status})`)]);
      expect(other.requests).toEqual([]);
    },
  );

  test.each([
    ['never ends its headers', () => undefined],
    [
      'never ends its body',
      async (_: unknown, response: ServerResponse): Promise<void> => {
        while (!response.destroyed) {
          response.write(' ');
          await setImmediate();
        }
      },
    ],
  ] as const)('%s is given up', async (_, behave) => {
    const server = await start();
    const memory = await memoryOf(server);
    server.behave = behave as Behavior;
    const { facts, notices } = await ask(memory);
    expect(facts).toEqual([FACT]);
    expect(notices).toEqual([expect.stringContaining('did not answer within 3 s')]);
  });

  test('names a model that writes to the terminal, or is very long, gets neither into a row nor into an answer', async () => {
    const server = await start();
    const memory = await memoryOf(server);
    const model = `\u001B]0;owned\u0007${'m'.repeat(MIB)}`;
    server.behave = ({ input }, response, vectorOf) => answer(response, model, input.map(vectorOf));
    const key = 'ai:facts:user';
    const source = { key, meaningOf: (text: string) => ({ text }) };
    await new Meaning(memory.backend, serverEmbeddings(settingsOf(server))).makeAll([source], {});
    const [count] = await countVectors(memory.backend, [key], {});
    expect(count).toMatchObject({ vectors: 1 });
    expect(count?.model.length).toBeLessThan(200);
    // eslint-disable-next-line no-control-regex -- control characters are what this finds
    expect(count?.model).not.toMatch(/[\u0000-\u001F]/u);
  });

  test('writes to the terminal in its error does not', async () => {
    const server = await start();
    const memory = await memoryOf(server);
    const message = `\u001B[2Jgone ${' '.repeat(3000)}${KEY.repeat(200)}`;
    server.behave = (_, response) => response.writeHead(500).end(JSON.stringify({ error: { message } }));
    const { notices } = await ask(memory);
    expect(notices).toHaveLength(1);
    // eslint-disable-next-line no-control-regex -- control characters are what this finds
    expect(notices[0]).not.toMatch(/[\u0000-\u001F]/u);
    expect(notices[0]).not.toContain(KEY.slice(0, 5));
  });

  test('fails in the middle leaves whole vectors, says why the others are missing, and goes on later', async () => {
    const server = await start();
    const facts = Array.from({ length: 100 }, (_, index) => `the fact ${index} is about subject ${index}`);
    const memory = await memoryOf(server, facts);
    const key = 'ai:facts:user';
    const made = async (): Promise<number> => (await countVectors(memory.backend, [key], {}))[0]?.vectors ?? 0;
    // The question, and one batch.
    let isFailing = true;
    server.behave = (request, response, vectorOf) => {
      if (isFailing && server.requests.length > 2) response.writeHead(500).end('{"error":"out of memory"}');
      else answers(request, response, vectorOf);
    };
    const question = 'about subject 99';
    let last = await ask(memory, question);
    while (!last.notices.join().includes('out of memory')) {
      await setImmediate();
      last = await ask(memory, question);
    }
    expect(last.facts).toContain(facts[99]);
    expect(last.notices).toEqual([
      `36 of 100 records have no vector yet and were ranked by words only. ${server.url} failed (500): out of memory. To try it again, run: cairn memory embed.`,
    ]);
    expect(await made()).toBe(64);
    isFailing = false;
    const source = { key, meaningOf: (text: string) => ({ text: (JSON.parse(text) as { text: string }).text }) };
    await new Meaning(memory.backend, serverEmbeddings(settingsOf(server))).makeAll([source], {});
    expect(await made()).toBe(100);
    expect((await ask(memory, question)).notices).toEqual([]);
  });
});
