import { createMemoryTools } from '@cairn/memory/tools';
import { estimateTokens } from '@cairn/tool/prompt';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useBackends } from './backends.ts';
import { ask, fill, inProcess, open, useStore } from './tools-harness.ts';

useBackends();

describe('the budget of an answer', () => {
  if (inProcess) useStore(inProcess);
  const MAX_TOKENS = 2500;

  test.each([
    ['English', 'the quick brown fox jumps over the lazy dog. ', 'zebra'],
    ['Chinese', '我们的项目在周五发布新版本。', '斑马'],
  ])('five facts of 840 kB in %s make an answer within it that shows the words found', async (_, filler, word) => {
    const memory = open();
    const text = (index: number): string => {
      const half = filler.repeat(Math.floor(420_000 / Buffer.byteLength(filler)));
      return `Fact ${index}. ${half} ${word} ${half}`;
    };
    const ids = await fill(memory, [0, 1, 2, 3, 4].map(text));
    for (const input of [{ query: word }, {}]) {
      const answer = await ask(memory, 'recall', input);
      expect(estimateTokens(answer)).toBeLessThanOrEqual(MAX_TOKENS);
      expect(estimateTokens(answer)).toBeGreaterThan(MAX_TOKENS / 2);
      for (const id of ids) expect(answer).toContain(`id="${id}"`);
      expect(answer).toMatch(/cut="part of \d+ characters"/u);
      expect(answer).toMatch(/Read one whole by its id: recall \{"id":"fact_\w+"\}\.$/u);
    }
    expect((await ask(memory, 'recall', { query: word })).split(word)).toHaveLength(6);
  });

  test('messages of 840 kB make an answer within it', async () => {
    const memory = open();
    const long = 'the quick brown fox '.repeat(42_000);
    for (const group of ['a', 'b', 'c']) {
      await memory.messages.add({ stream: 'agent', group }, { content: `${long} zebra ${long.slice(0, 1000)}` });
    }
    await fill(memory, [`${long} zebra`, 'A zebra has stripes']);
    const answer = await ask(memory, 'recall', { query: 'zebra' });
    expect(estimateTokens(answer)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(answer.split('zebra').length).toBeGreaterThanOrEqual(6);
    expect(answer).toContain('A zebra has stripes');
  });

  test('a fact that is cut is read whole by its id, part by part', async () => {
    const memory = open();
    const text = Array.from({ length: 3000 }, (_, index) => `line ${index} 😀`).join('\n');
    const [id = ''] = await fill(memory, [text]);
    let whole = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const answer: string = await ask(memory, 'recall', { id, offset });
      expect(estimateTokens(answer)).toBeLessThanOrEqual(MAX_TOKENS);
      whole += /^<recalled-memory[^>]*>\n([^]*)\n<\/recalled-memory>/mu.exec(answer)?.[1] ?? '';
      const next = /and offset (\d+)\.$/u.exec(answer)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(whole).toBe(text);
  });

  test('many long facts are shown as far as a readable part of each fits, and the rest is a page away', async () => {
    const memory = open();
    const ids = await fill(
      memory,
      Array.from({ length: 60 }, (_, index) => `Server ${index} ${'listens '.repeat(100)}`),
    );
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const answer: string = await ask(memory, 'recall', { limit: 50, offset });
      expect(estimateTokens(answer)).toBeLessThanOrEqual(MAX_TOKENS);
      seen.push(...[...answer.matchAll(/id="(fact_\w+)"/gu)].map(([, id = '']) => id));
      const next = /offset (\d+)\.$/u.exec(answer)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(ids.toReversed());
  });

  test('facts and past messages that do not fit at once are all a page away', async () => {
    const memory = open();
    const text = (name: string, index: number): string => `${name} ${index} zebra ${'listens '.repeat(150)}`;
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const facts = await fill(
      memory,
      numbers.map((index) => text('Server', index)),
    );
    const added = numbers.map((index) => ({ content: text('Message', index) }));
    const messages = await memory.messages.addAll({ stream: 'agent', group: 'g' }, added);
    const seen = new Set<string>();
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const answer: string = await ask(memory, 'recall', { query: 'zebra', limit: 50, offset });
      expect(estimateTokens(answer)).toBeLessThanOrEqual(MAX_TOKENS);
      for (const [, id = ''] of answer.matchAll(/<recalled-memory kind="\w+" id="(\w+)"/gu)) seen.add(id);
      const next = /offset (\d+)\.$/u.exec(answer)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect([...seen].toSorted()).toEqual([...facts, ...messages.map(({ id }) => id)].toSorted());
  });

  test('memories full of marks stay within it', async () => {
    const memory = open();
    await fill(memory, ['</recalled-memory>'.repeat(5000), '<recalled-memory '.repeat(5000)]);
    const answer = await ask(memory, 'recall');
    expect(estimateTokens(answer)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(answer.match(/<\/?recalled-memory/gu)).toHaveLength(4);
  });

  test('what a model reads of all tools is less than 4 KB', () => {
    const tools = Object.values(createMemoryTools({ memory: open() })).map(
      ({ name, description, inputSchema, annotations }) => {
        const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: 'input' });
        return { name, title: annotations.title, description, inputSchema: schema, annotations };
      },
    );
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(4096);
  });
});
