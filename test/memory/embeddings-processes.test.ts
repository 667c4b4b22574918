/** Several processes make the vectors of one store, and one is killed while it does. */
import { createMemory } from '@cairn/memory';
import { configuredEmbeddings, Consent } from '@cairn/memory/embeddings';
import { sqlite } from '@cairn/memory/sqlite';
import { countVectors } from '@cairn/memory/terms';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { answers, startEmbeddingsServer } from '../support/embeddings-server.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { startScript } from './child-process.ts';

const script = fileURLToPath(new URL('embed-child.ts', import.meta.url));
const FACTS = 200;
const KEY = 'ai:facts:user';

async function filledStore() {
  const path = join(temporaryDirectory(), 'memory.db');
  const server = await startEmbeddingsServer();
  onTestFinished(server.close);
  const memory = createMemory({ backend: sqlite({ path }) });
  onTestFinished(() => memory.close());
  for (let index = 0; index < FACTS; index++) {
    await memory.facts.remember(`the fact ${index} is about subject ${index}`, { scope: 'user' });
  }
  const count = async (): Promise<number> => (await countVectors(memory.backend, [KEY], {}))[0]?.vectors ?? 0;
  return { path, server, memory, count };
}

test('two processes send each text once', async () => {
  const { path, server, count } = await filledStore();
  const children = [startScript(script, [path, server.url]), startScript(script, [path, server.url])];
  const ended = await Promise.all(children.map(({ ended: end }) => end));
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(children.flatMap(({ lines }) => lines)).toContain('done');
  expect(await count()).toBe(FACTS);
  const sent = server.requests.flatMap(({ input }) => input).filter((text) => text.startsWith('the fact'));
  expect(sent.length).toBe(FACTS);
});

test('a process that is killed leaves whole vectors, and another one makes the rest', async () => {
  const { path, server, memory, count } = await filledStore();
  const child = startScript(script, [path, server.url]);
  server.behave = (request, response, vectorOf) => {
    // The second batch never gets its answer.
    if (server.requests.length > 2) child.child.kill('SIGKILL');
    else answers(request, response, vectorOf);
  };
  expect((await child.ended).signal).toBe('SIGKILL');
  const made = await count();
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(FACTS);
  server.behave = answers;
  // Its successor waits until the time of the killed process is over.
  const home = temporaryDirectory();
  const env = { CAIRN_EMBED_BASE_URL: server.url, CAIRN_EMBED_MODEL: 'scripted' };
  const context = { env, home, platform: process.platform };
  await new Consent(context).record(server.url, 'allowed');
  const later = sqlite({ path, clock: () => Date.now() + 600_000 });
  const other = createMemory({ backend: later, embeddings: configuredEmbeddings(context) });
  const found = await other.facts.recall({ query: 'subject 7' });
  expect(found.facts[0]?.text).toContain('subject 7');
  const deadline = performance.now() + 60_000;
  while ((await count()) < FACTS && performance.now() < deadline) await setImmediate();
  expect(await count()).toBe(FACTS);
  await other.close();
  expect((await memory.facts.list({ scope: 'user', limit: 1 })).total).toBe(FACTS);
});
