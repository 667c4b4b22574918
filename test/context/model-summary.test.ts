/** A summary by a model: once each time that more is folded, kept with its history, and never in the way of a run. */
import { createView, openContexts, summarizeByModel } from '@cairn/context';
import { foldedCount } from '@cairn/context/internal';
import type { ModelSummary, SummaryStore, UnifiedMessage } from '@cairn/context';
import { memory } from '@cairn/memory/memory';
import { expect, test } from 'vitest';

const conversation = (count: number): UnifiedMessage[] =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `Fact ${index}: the port of service ${index} is ${5000 + index}.`,
  }));

function storeOf(): SummaryStore & { kept: ModelSummary | undefined } {
  return {
    kept: undefined,
    readSummary() {
      return Promise.resolve(this.kept);
    },
    writeSummary(summary) {
      this.kept = summary;
      return Promise.resolve();
    },
  };
}

test('a conversation that is not folded needs no request', async () => {
  const askModel = (): Promise<string> => Promise.reject(new Error('not expected'));
  expect(await summarizeByModel(conversation(20), { askModel })).toEqual({});
});

test('the model is asked once each time that more is folded, about the folded messages', async () => {
  const prompts: string[] = [];
  const askModel = (prompt: string): Promise<string> => {
    prompts.push(prompt);
    return Promise.resolve(` A summary, number ${prompts.length}. `);
  };
  const store = storeOf();
  for (let count = 1; count <= 61; count++) {
    const main = conversation(count);
    const { summary, notice } = await summarizeByModel(main, { askModel, store, summarizeAfter: 20 });
    expect(notice).toBeUndefined();
    const view = createView({ mode: 'summarized', main, own: [], summary });
    const folded = foldedCount(count, 20);
    expect(view.details.summary).toEqual(folded === 0 ? undefined : { messages: folded, by: 'model' });
    expect(JSON.stringify(view.messages).includes(`A summary, number ${prompts.length}.`)).toBe(folded > 0);
  }
  expect(prompts).toHaveLength(3);
  expect(prompts[0]).toContain('at most 1500 characters');
  expect(prompts[0]).toContain('user: Fact 0: the port of service 0 is 5000.');
  expect(prompts[0]).toContain('Fact 9:');
  expect(prompts[0]).not.toContain('Fact 10:');
  // From the originals, not from the summary before.
  expect(prompts[2]).toContain('Fact 0:');
  expect(prompts[2]).not.toContain('A summary');
});

test.each([
  ['fails', () => Promise.reject(new Error('the server is busy')), 'the server is busy'],
  ['answers nothing', () => Promise.resolve(' '), 'its answer is empty'],
])('when the model %s, sentences are shown, which is reported', async (_name, askModel, reason) => {
  const main = conversation(30);
  const result = await summarizeByModel(main, { askModel, store: storeOf() });
  expect(result).toEqual({
    notice: `The model did not summarize the main conversation (${reason}); sentences of it are shown instead.`,
  });
  const view = createView({ mode: 'summarized', main, own: [], summary: result.summary });
  expect(view.details.summary).toEqual({ messages: 10, by: 'sentences' });
  expect(JSON.stringify(view.messages)).toContain('the port of service 3 is 5003.');
});

test('a summary that is too long is cut after a sentence, within 1,500 characters', async () => {
  const { summary } = await summarizeByModel(conversation(30), {
    askModel: () => Promise.resolve('Ein Satz 😀. '.repeat(300)),
  });
  expect(summary?.text.length).toBeLessThanOrEqual(1500);
  expect(summary?.text).toMatch(/😀\. …$/u);
  const words = await summarizeByModel(conversation(30), { askModel: () => Promise.resolve('😀'.repeat(3000)) });
  expect(words.summary?.text.length).toBeLessThanOrEqual(1500);
  expect(Buffer.from(words.summary?.text ?? '').toString()).toBe(words.summary?.text);
});

test('a store that fails loses the summary for later runs only, which is reported', async () => {
  const store: SummaryStore = {
    readSummary: () => Promise.reject(new Error('unreadable')),
    writeSummary: () => Promise.reject(new Error('the disk is full')),
  };
  const { summary, notice } = await summarizeByModel(conversation(30), {
    askModel: () => Promise.resolve('Short.'),
    store,
  });
  expect(summary).toEqual({ text: 'Short.', messages: 10 });
  expect(notice).toBe('The summary of the main conversation was not stored (the disk is full); it will be made again.');
});

test('an abort rejects: the model did not fail', async () => {
  const controller = new AbortController();
  const askModel = (): Promise<string> => {
    controller.abort(new Error('stopped'));
    return Promise.reject(new Error('aborted'));
  };
  await expect(summarizeByModel(conversation(30), { askModel, signal: controller.signal })).rejects.toThrow('stopped');
});

test('a long conversation is given to the model as its sentences', async () => {
  const main = conversation(3000);
  let asked = '';
  await summarizeByModel(main, {
    askModel: (prompt) => {
      asked = prompt;
      return Promise.resolve('Short.');
    },
  });
  expect(asked.length).toBeLessThan(70_000);
});

test('the manager keeps it with the history, and removes it with it', async () => {
  const contexts = await openContexts({ store: memory() });
  await contexts.appendTurn('agent', conversation(30), 'shared');
  const store: SummaryStore = {
    readSummary: () => contexts.readSummary('agent', 'shared'),
    writeSummary: (summary) => contexts.writeSummary('agent', summary, 'shared'),
  };
  let asked = 0;
  const askModel = (): Promise<string> => {
    asked += 1;
    return Promise.resolve('Short.');
  };
  const main = (): readonly UnifiedMessage[] => contexts.getContext('agent', 'shared').conversationHistory;
  await summarizeByModel(main(), { askModel, store });
  expect(await summarizeByModel(main(), { askModel, store })).toEqual({ summary: { text: 'Short.', messages: 10 } });
  expect(asked).toBe(1);
  await contexts.clearHistory('agent', 'shared');
  expect(await store.readSummary()).toBeUndefined();
  await contexts.close();
});
