/** Nothing of a forgotten fact is left: neither its text, nor its earlier texts, nor its terms. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { useBackends } from './backends.ts';
import { KEY, kinds, PROJECT } from './facts-harness.ts';

useBackends();

/** Enough facts for their terms to be stored. */
const FACTS = 5000;
/** Words of the forgotten fact, one of each version, one a tag. */
const WORDS = ['zyxquark', 'vwbluefin', 'kappatron', '龘靐齉'];

/** Fills a memory, and recalls from it as two processes do. Returns the id of the fact to forget. */
async function fill(memory: Memory, others: () => Memory): Promise<string> {
  const [first = '', second = '', tag = '', chinese = ''] = WORDS;
  const { fact } = await memory.facts.remember(`the ${first} is here`, { tags: [tag] });
  const rows = Array.from({ length: FACTS }, (_, index) => {
    const id = `fact_${index}`;
    const next = JSON.stringify({
      id,
      text: `fact ${index} of ${index % 7}`,
      shared: true,
      createdAt: 1_703_123_456_789,
    });
    return { id, expected: undefined, next };
  });
  await memory.backend.change(KEY, { rows });
  // The index has the words of the first version.
  for (const query of WORDS) await memory.facts.recall({ query });
  await memory.facts.update(fact.id, { text: `the ${second} is there` });
  await others().facts.recall({ query: second });
  await memory.facts.update(fact.id, { text: `the ${chinese} is elsewhere`, tags: [] });
  await others().facts.recall({ query: chinese });
  return fact.id;
}

/** Returns the forms that a word has inside of base64, which the blocks of an index are: one for each place in a group of 3 bytes. */
function base64Forms(word: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(word)])
      .toString('base64')
      .replace(/=+$/u, '');
    // The characters at the ends also have bits of other bytes.
    return encoded.slice(offset === 0 ? 0 : offset + 1, -1);
  });
}

/** Returns the words that a text has, also as the pairs of characters that an index of Chinese has. */
function wordsIn(text: string): string[] {
  const all = [...WORDS, '龘靐', '靐齉'];
  const lower = text.toLowerCase();
  return all.filter((word) => lower.includes(word) || base64Forms(word).some((form) => text.includes(form)));
}

/** Returns the words of the stored index. */
async function indexedIn(backend: MemoryBackend): Promise<string[]> {
  const terms: string[] = [];
  for (const { key } of await backend.keys('')) for await (const page of backend.terms(key)) terms.push(...page);
  return wordsIn(terms.join('\n'));
}

/** Returns all texts under all keys, and all terms. */
async function contentsOf(backend: MemoryBackend): Promise<string> {
  const texts = await indexedIn(backend);
  for (const { key } of await backend.keys('')) {
    for (let after = 0, hasMore = true; hasMore;) {
      const page = await backend.page(key, { order: 'written', after });
      for (const { id, text, sequence } of page.rows) {
        texts.push(id, text);
        after = sequence;
      }
      ({ hasMore } = page);
    }
  }
  return texts.join('\n');
}

describe.each(kinds)('a forgotten fact in $name', (kind) => {
  test('leaves no word in the store', async () => {
    const { backend } = await kind.open();
    const memory = createMemory({ backend, project: PROJECT });
    onTestFinished(() => memory.close());
    const id = await fill(memory, () => createMemory({ backend, project: PROJECT }));
    expect(wordsIn(await contentsOf(backend)).length).toBeGreaterThanOrEqual(WORDS.length);
    expect((await indexedIn(backend)).length).toBeGreaterThan(0);
    expect(await memory.facts.forget(id)).toMatchObject({ forgotten: true });
    expect(wordsIn(await contentsOf(backend))).toEqual([]);
    expect((await memory.facts.recall({ query: WORDS[0] ?? '' })).facts.filter((fact) => fact.id === id)).toEqual([]);
  });

  test('leaves no word under the old project when it was moved before', async () => {
    const { backend } = await kind.open();
    const memory = createMemory({ backend, project: PROJECT });
    onTestFinished(() => memory.close());
    const id = await fill(memory, () => createMemory({ backend, project: PROJECT }));
    await memory.facts.moveProject(PROJECT, '/moved');
    await memory.facts.recall({ query: WORDS[0] ?? '' });
    expect((await backend.keys('')).map(({ key }) => key).filter((key) => key.includes(PROJECT))).toEqual([]);
    await memory.facts.recall({ query: WORDS[3] ?? '', project: '/moved' });
    expect(await memory.facts.forget(id, { project: '/moved' })).toMatchObject({ forgotten: true });
    expect(wordsIn(await contentsOf(backend))).toEqual([]);
  });
});

test('a forgotten fact leaves no byte in the files of SQLite', async () => {
  const directory = temporaryDirectory();
  const open = (): Memory =>
    createMemory({ backend: sqlite({ path: join(directory, 'memory.db') }), project: PROJECT });
  const memory = open();
  const bytes = (): string =>
    readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('\n');
  const others: Memory[] = [];
  const id = await fill(memory, () => {
    const other = open();
    others.push(other);
    return other;
  });
  for (const other of others) await other.close();
  expect(wordsIn(bytes()).length).toBeGreaterThanOrEqual(WORDS.length);
  expect(await memory.facts.forget(id)).toEqual({ forgotten: true, erased: 'done' });
  expect(wordsIn(bytes())).toEqual([]);
  await memory.close();
  expect(wordsIn(bytes())).toEqual([]);
});
