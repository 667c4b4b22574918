/** Words that mean the same, in searches of assets, facts and messages: Cairn's, the user's and the team's. */
import { createKnowledge } from '@cairn/knowledge';
import type { AssetDraft, Knowledge, KnowledgeOptions } from '@cairn/knowledge';
import { createMemory, type Memory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { glossaryFiles } from '@cairn/memory/terms';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

function openKnowledge(options: KnowledgeOptions = {}): Knowledge {
  const knowledge = createKnowledge({ directory: temporaryDirectory(), env: {}, ...options });
  onTestFinished(() => knowledge.close());
  return knowledge;
}

function openMemory(paths: readonly string[] = []): Memory {
  const memory = createMemory({
    backend: inProcess(),
    project: 'test',
    glossary: glossaryFiles({ paths, onProblems: () => undefined }),
  });
  onTestFinished(() => memory.close());
  return memory;
}

function draft(name: string, body: string, fields: Partial<AssetDraft> = {}): AssetDraft {
  return { name, productLine: 'general', type: 'reference', title: name, body, ...fields };
}

async function assetsFor(knowledge: Knowledge, query: string): Promise<string[]> {
  return (await knowledge.layers.search({ query })).results.map(({ name }) => name);
}

/** Texts in one language, with a question in the other one. */
const pairs: readonly (readonly [query: string, text: string])[] = [
  ['上线失败了怎么回滚', 'After a failed release, roll back with the previous tag.'],
  ['how do I roll back a failed deploy', '发布失败之后，用上一个标签回滚。'],
  ['网关请求超时', 'The gateway gives up when a request timed out after 30 seconds.'],
  ['the gateway timeout', '网关的请求在三十秒之后超时。'],
  ['谁负责数据库备份', 'Dana is the owner of database backups.'],
  ['the person in charge of database backups', '数据库备份由小王负责。'],
];
const others = ['The login page has a dark theme.', '周报每周五之前写好。', 'The printer is on the second floor.'];

describe('across languages', () => {
  test.each(pairs)('%s finds the asset: %s', async (query, text) => {
    const knowledge = openKnowledge();
    for (const [index, body] of [text, ...others].entries()) await knowledge.store.add(draft(`a${index}`, body));
    expect((await assetsFor(knowledge, query))[0]).toBe('a0');
  });

  test.each(pairs)('%s finds the fact and the message: %s', async (query, text) => {
    const memory = openMemory();
    for (const one of [text, ...others]) {
      await memory.facts.remember(one);
      await memory.messages.add({ stream: 'chat', group: 'one' }, { role: 'user', content: one });
    }
    expect((await memory.facts.recall({ query })).facts[0]?.text).toBe(text);
    expect((await memory.recall({ stream: 'chat', query })).contexts[0]).toMatchObject({ content: text });
  });
});

/** Words that no glossary of Cairn has. */
const words = draft('words', 'Our words.\n\n```glossary\nzorblat, quuxify, 折光\n```\n', { type: 'glossary' });

describe('the glossary assets of the team', () => {
  test('relate words as soon as they are stored, and no longer when they are deprecated or removed', async () => {
    const knowledge = openKnowledge();
    await knowledge.store.add(draft('a0', 'The zorblat runs at night.'));
    for (const [index, body] of others.entries()) await knowledge.store.add(draft(`b${index}`, body));
    expect(await assetsFor(knowledge, '折光')).toEqual([]);
    const { id } = await knowledge.store.add(words);
    expect(await assetsFor(knowledge, '折光')).toContain('a0');
    await knowledge.store.change(id, { fields: { status: 'deprecated' } });
    expect(await assetsFor(knowledge, '折光')).toEqual([]);
    await knowledge.store.change(id, { fields: { status: 'active' } });
    expect(await assetsFor(knowledge, 'quuxify')).toContain('a0');
    await knowledge.store.change(id, { body: 'Our words.\n' });
    expect(await assetsFor(knowledge, 'quuxify')).toEqual([]);
  });

  test('are read by a new process from the saved index', async () => {
    const directory = temporaryDirectory();
    const before = createKnowledge({ directory, env: {} });
    await before.store.add(words);
    await before.store.add(draft('a0', 'The zorblat runs at night.'));
    await before.close();
    expect(await assetsFor(openKnowledge({ directory }), 'quuxify')).toContain('a0');
  });

  test('are in a file, for searches of the memory, until they are removed', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'glossary.txt');
    const memory = openMemory([path]);
    await memory.facts.remember('The zorblat runs at night.');
    const knowledge = createKnowledge({ directory, env: {} });
    await knowledge.store.add(draft('a0', 'Something else.'));
    await knowledge.index.flush();
    expect(existsSync(path)).toBe(false);
    const { id } = await knowledge.store.add(words);
    await knowledge.index.flush();
    expect(readFileSync(path, 'utf8')).toBe('# general/words\nzorblat, quuxify, 折光\n');
    expect((await memory.facts.recall({ query: '折光' })).facts).toHaveLength(1);
    await knowledge.store.remove(id);
    await knowledge.close();
    expect(readFileSync(path, 'utf8')).toBe('');
    expect((await memory.facts.recall({ query: '折光' })).facts).toEqual([]);
  });
});

describe("the user's file", () => {
  test('relates words in searches of facts, messages and assets, and good lines are used next to bad ones', async () => {
    const path = join(temporaryDirectory(), 'glossary.txt');
    const lines: (number | undefined)[] = [];
    const glossary = glossaryFiles({
      paths: [path],
      onProblems: (problems) => lines.push(...problems.map(({ lineNumber }) => lineNumber)),
    });
    const memory = createMemory({ backend: inProcess(), project: 'test', glossary });
    onTestFinished(() => memory.close());
    const knowledge = openKnowledge({ glossary });
    await memory.facts.remember('The zorblat runs at night.');
    await memory.messages.add(
      { stream: 'chat', group: 'one' },
      { role: 'user', content: 'The zorblat runs at night.' },
    );
    await knowledge.store.add(draft('a0', 'The zorblat runs at night.'));
    const found = async (): Promise<number[]> => {
      const { facts } = await memory.facts.recall({ query: '折光' });
      const { contexts } = await memory.recall({ stream: 'chat', query: '折光' });
      return [facts.length, contexts.length, (await assetsFor(knowledge, '折光')).length];
    };
    expect(await found()).toEqual([0, 0, 0]);
    writeFileSync(path, 'alone\nzorblat, 折光\n.*, (\n');
    expect(await found()).toEqual([1, 1, 1]);
    expect(lines).toEqual([1, 3]);
    writeFileSync(path, Buffer.of(0xff, 0xfe, 0, 1));
    expect(await found()).toEqual([0, 0, 0]);
  });
});

test('a document with the word itself is before one with a related word', async () => {
  const memory = openMemory();
  const texts = ['The zone timeout is 30.', 'The zone 超时 is 30.', ...others];
  for (const text of texts.toReversed()) await memory.facts.remember(text);
  for (const [query, first] of [
    ['timeout', texts[0]],
    ['超时', texts[1]],
  ] as const) {
    const { facts } = await memory.facts.recall({ query });
    expect(facts.map(({ text }) => text)).toEqual([first, texts[first === texts[0] ? 1 : 0]]);
    expect(facts[1]?.score).toBeLessThanOrEqual((facts[0]?.score ?? 0) / 2);
  }
});
