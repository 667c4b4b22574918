/** Messages of sessions are found by meaning, if the user allowed to send them. */
import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { serverEmbeddings } from '@cairn/memory/embeddings';
import type { Embeddings } from '@cairn/memory/embeddings';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddingsServer, vectorsOf } from '../support/embeddings-server.ts';
import type { EmbeddingsServer } from '../support/embeddings-server.ts';
import { backendKinds, openMemory, useBackends } from './backends.ts';

useBackends();

const MESSAGES = [
  'The kitchen is cleaned on Fridays',
  'Postgres listens on port 6543 in staging',
  'Tests need redis-server on the path',
  'The logo is drawn in Inkscape',
  'Lint errors fail the build',
  'Invoices are sent by the billing service',
  'Screenshots belong into the wiki',
  'Feature flags live in the admin console',
  'The mascot is a stone pile',
];
const PLACE = { stream: 'agent', group: 'one' };
const QUESTION = 'the cooking area';
const synonyms = [
  ['kitchen', 'cooking'],
  ['holidays', 'time off'],
];

/** A server, and embeddings whose consent for sessions a test changes. */
async function start() {
  const server = await startEmbeddingsServer(vectorsOf({ synonyms }));
  onTestFinished(server.close);
  const consent = { sessions: true };
  const settings = { model: 'scripted', url: server.url, server: server.url, query: {}, key: undefined };
  const embeddings = serverEmbeddings(settings, { allowsSessions: () => Promise.resolve(consent.sessions) });
  return { server, embeddings, consent };
}

async function filled(memory: Memory, group = PLACE.group): Promise<void> {
  for (const content of MESSAGES) await memory.messages.add({ ...PLACE, group }, { content });
}

async function ask(memory: Memory, query: string, options: { readonly workflowId?: string } = {}) {
  const notices: string[] = [];
  const onNotice = ({ code, message }: { readonly code: string; readonly message: string }): void => {
    notices.push(`${code}: ${message}`);
  };
  const { workflowId } = options;
  const notes = workflowId === undefined ? {} : { includeNotes: true, workflowId };
  const { contexts } = await memory.recall({ stream: 'agent', query, ...notes, onNotice });
  return { contexts, notices, first: contexts[0]?.content };
}

/** Waits until the background has no more to do. */
async function settled(memory: Memory): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const { notices } = await ask(memory, 'anything');
    if (!notices.some((notice) => notice.startsWith('EMBED_PENDING'))) return;
    await setImmediate();
  }
  throw new Error('there are still messages without vectors');
}

async function vectorKeys(backend: MemoryBackend): Promise<readonly string[]> {
  return (await backend.keys('ai:vectors:')).map(({ key }) => key);
}

const sentTo = ({ requests }: EmbeddingsServer): string => requests.flatMap(({ input }) => input).join('\n');

describe.each(backendKinds)('messages in $name', (kind) => {
  test.skipIf(kind.isSkipped)('are found by meaning, in all groups, and a new one too', async () => {
    const { embeddings } = await start();
    const { memory } = await openMemory(kind, { embeddings });
    await filled(memory, 'one');
    await memory.messages.add({ ...PLACE, group: 'two' }, { content: 'Lunch is at noon' });
    await settled(memory);
    const { first, contexts, notices } = await ask(memory, QUESTION);
    expect([first, contexts[0]?.isSimilar, notices]).toEqual([MESSAGES[0], undefined, []]);
    await memory.messages.add({ ...PLACE, group: 'two' }, { content: 'The team takes holidays in August' });
    await settled(memory);
    expect((await ask(memory, 'time off')).first).toBe('The team takes holidays in August');
  });

  test.skipIf(kind.isSkipped)('are not sent, and no question is, without consent, and no more after it', async () => {
    const { server, embeddings, consent } = await start();
    consent.sessions = false;
    const { memory, backend } = await openMemory(kind, { embeddings });
    await filled(memory);
    expect((await ask(memory, QUESTION)).notices.join()).not.toContain('EMBED');
    expect(await vectorKeys(backend)).toEqual([]);
    await memory.close();
    expect(server.requests).toEqual([]);
    const again = createMemory({ backend: (await openMemory(kind, {})).backend, embeddings });
    await filled(again);
    consent.sessions = true;
    await settled(again);
    consent.sessions = false;
    const sent = server.requests.length;
    await again.messages.add(PLACE, { content: 'Another one' });
    await ask(again, 'another question');
    expect(server.requests).toHaveLength(sent);
  });

  test.skipIf(kind.isSkipped)('leave no vector when they, or their group, are forgotten', async () => {
    const { embeddings } = await start();
    const { memory, backend } = await openMemory(kind, { embeddings });
    await filled(memory);
    await settled(memory);
    const key = 'ai:vectors:memory:agent:one';
    expect(await vectorKeys(backend)).toEqual([key]);
    const { count } = await backend.page(key, { order: 'newest', limit: 0 });
    const [newest] = await memory.messages.history(PLACE, { limit: 1 });
    await memory.messages.remove(PLACE, newest?.id);
    expect((await backend.page(key, { order: 'newest', limit: 0 })).count).toBe(count - 1);
    await memory.forget({ stream: 'agent', group: 'one' });
    expect(await vectorKeys(backend)).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('that expired, and notes, are not reported as without a vector', async () => {
    const { embeddings } = await start();
    const { memory, advance } = await openMemory(kind, { embeddings, retention: { messageLifetimeMs: 60_000 } });
    await memory.messages.add(PLACE, { content: 'The old oven is broken' });
    await advance(30_000);
    await filled(memory);
    await memory.storeNote('flow', 'The oven was ordered', 'planner');
    await settled(memory);
    await advance(40_000);
    // The second one reads the vectors when the message has expired.
    for (const one of [memory, createMemory({ backend: memory.backend, embeddings })]) {
      const { contexts, notices } = await ask(one, 'oven', { workflowId: 'flow' });
      expect(contexts.map(({ content }) => content)).toContain('The oven was ordered');
      expect(notices).toEqual([]);
    }
  });
});

/** Secrets that a test may not contain as a whole. */
const SECRETS = [
  ['ghp', '_', 'x7Kq9ZtB2mWv4LpR8sNd6JfH3cYg1TaE5uQo'],
  ['Authorization: Bear', 'er ', 'Zx9kQp2mVt7Lw4Rb8Nc3Yd6T'],
  ['AKIA', 'ABCDEFGH', 'IJKLMNOP'],
  ['kZ3vQ9xL', '7mT2wR8b', 'N4cY6dF1', 'gH5jK0pS'],
].map((parts) => parts.join(''));

test.each(SECRETS)('a message, a fact and a question with a secret are not sent: %s', async (secret) => {
  const { server, embeddings } = await start();
  const memory = createMemory({ backend: inProcess(), embeddings });
  onTestFinished(() => memory.close());
  await filled(memory);
  await memory.messages.add(PLACE, { content: `use ${secret} for it` });
  await memory.facts.remember(`the value is ${secret} there`, { scope: 'user', allowSecret: true });
  await settled(memory);
  const { notices, contexts } = await ask(memory, `who made ${secret}`);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain('the query seems to have a secret, and was not sent');
  expect(contexts.length).toBeGreaterThan(0);
  // One that the cut of a long question divides.
  await ask(memory, `${'word '.repeat(397)}${secret}`);
  await memory.facts.recall({ query: `who made ${secret}` });
  expect(sentTo(server)).toContain(MESSAGES[0]);
  for (const part of [secret.slice(0, 12), secret.slice(-12)]) expect(sentTo(server)).not.toContain(part);
});

test('facts and messages that are asked at once send the question once', async () => {
  const { server, embeddings } = await start();
  const memory = createMemory({ backend: inProcess(), embeddings });
  onTestFinished(() => memory.close());
  await filled(memory);
  await memory.facts.remember('Lunch is at noon', { scope: 'user' });
  await Promise.all([ask(memory, QUESTION), memory.facts.recall({ query: QUESTION })]);
  expect(server.requests.filter(({ input }) => input[0] === QUESTION)).toHaveLength(1);
});

test('embeddings of a caller send no messages unless `allowsSessions` allows it', async () => {
  const sent: string[] = [];
  const embeddings: Embeddings = {
    model: 'own',
    server: 'this process',
    embed: (texts) => {
      sent.push(...texts);
      return Promise.resolve({ vectors: texts.map(() => [1, 2]) });
    },
  };
  const memory = createMemory({ backend: inProcess(), embeddings });
  await filled(memory);
  await ask(memory, QUESTION);
  await memory.close();
  expect(sent).toEqual([]);
});
