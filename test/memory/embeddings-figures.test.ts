/** How often is a fact found whose words a question does not have, and how often is a question without an answer answered? */
import { createMemory } from '@cairn/memory';
import { serverEmbeddings } from '@cairn/memory/embeddings';
import { memory as inProcess } from '@cairn/memory/memory';
import { factSources } from '@cairn/memory/internal';
import { Meaning } from '@cairn/memory/terms';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddingsServer, vectorsOf } from '../support/embeddings-server.ts';

const CONCEPTS = 120;
const FACTS = 200;
const QUESTIONS = 100;
const SYLLABLES = ['ba', 'ko', 'mi', 'ru', 'ta', 've', 'zo', 'lu', 'ni', 'pe', 'da', 'gu'];

/** Returns a word that no glossary and no other concept has. */
function wordOf(concept: number, language: string): string {
  const [first, second, third] = [concept % 12, Math.floor(concept / 12) % 12, (concept * 7 + 3) % 12];
  return `${language}${[first, second, third].map((one) => SYLLABLES[one]).join('')}`;
}

/** Returns concepts that a number decides, each once. */
function conceptsOf(seed: number, count: number): number[] {
  const found = new Set<number>();
  for (let state = seed; found.size < count;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    found.add((state >>> 8) % CONCEPTS);
  }
  return [...found];
}

test('questions in other words find their fact first, and those without an answer stay unanswered', async () => {
  const synonyms = Array.from({ length: CONCEPTS }, (_, concept) => [wordOf(concept, 'qua'), wordOf(concept, 'fle')]);
  const server = await startEmbeddingsServer(vectorsOf({ synonyms }));
  onTestFinished(server.close);
  const embeddings = serverEmbeddings({
    model: 'scripted',
    url: server.url,
    server: server.url,
    query: {},
    key: undefined,
  });
  const memory = createMemory({ backend: inProcess(), embeddings });
  onTestFinished(() => memory.close());
  const facts = Array.from({ length: FACTS }, (_, index) => conceptsOf(index + 1, 5));
  const textOf = (concepts: readonly number[], language: string): string =>
    concepts.map((concept) => wordOf(concept, language)).join(' ');
  const writer = createMemory({ backend: memory.backend });
  for (const concepts of facts) await writer.facts.remember(textOf(concepts, 'qua'), { scope: 'user' });
  await new Meaning(memory.backend, embeddings).makeAll(await factSources(memory.backend, {}), {});
  let first = 0;
  let answered = 0;
  let falseAnswers = 0;
  for (let index = 0; index < QUESTIONS; index++) {
    const concepts = facts[index * 2] ?? [];
    const { facts: found } = await memory.facts.recall({
      query: textOf(concepts.slice(0, 4), 'fle'),
      onNotice: () => {},
    });
    if (found[0]?.text === textOf(concepts, 'qua')) first += 1;
    if (found[0]?.text === textOf(concepts, 'qua') && found[0].isSimilar === undefined) answered += 1;
    // Few facts have two of these subjects.
    const other = textOf(conceptsOf(10_000 + index, 4), 'fle');
    const { facts: wrong } = await memory.facts.recall({ query: other, onNotice: () => undefined });
    if (wrong.some(({ isSimilar }) => isSimilar === undefined)) falseAnswers += 1;
  }
  expect(first).toBeGreaterThanOrEqual(0.9 * QUESTIONS);
  expect(answered).toBeGreaterThanOrEqual(0.9 * QUESTIONS);
  expect(falseAnswers).toBeLessThanOrEqual(0.1 * QUESTIONS);
});
