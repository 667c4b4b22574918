import { ContextManager } from '@cairn/context';
import { labelOf } from '@cairn/context/internal';
import { describe, expect, test } from 'vitest';
import { transcriptOf } from '../support/model-server.ts';
import { helper, startAgents } from './start-agents.ts';

const agent = { ...helper, contextMode: 'summarized' as const, summarizeAfter: 10 };

/** A main session of 30 messages: the older half of them is folded. */
async function longMain(): Promise<ContextManager> {
  const contexts = new ContextManager();
  for (let count = 0; count < 15; count++) {
    await contexts.appendTurn(
      'main',
      [
        { role: 'user', content: `The port of service ${count} is ${8000 + count}.` },
        { role: 'assistant', content: `Noted, service ${count}.` },
      ],
      'shared',
    );
  }
  return contexts;
}

const written = { text: 'Services use ports from 8000.' };

describe('a summarizer', () => {
  test('is the model of the run: it writes each summary once, and its tokens count', async () => {
    const contexts = await longMain();
    const { server, agents } = await startAgents([written, { text: 'One.' }, { text: 'Two.' }], {
      contexts,
      summarizer: 'model',
    });
    const before = await agents.prepare({ agent });
    expect(before.notices.join('\n')).toContain('The run will let the model summarize the main conversation again');
    const first = await agents.run({ agent, prompt: 'Go' }).result;
    const second = await agents.run({ agent, prompt: 'Again' }).result;
    const [asked, one, two] = server.requests.map((request) => transcriptOf(request).join('\n'));
    expect(asked).toMatch(/^user: Summarize the conversation below[^]*The port of service 0 is 8000\./u);
    expect(one).toContain('Services use ports from 8000.');
    expect(two).toContain('Services use ports from 8000.');
    expect(one).not.toContain('The port of service 0 is 8000.');
    expect([first.steps, second.steps]).toEqual([1, 1]);
    expect(first.usage.outputTokens).toBeGreaterThan(second.usage.outputTokens);
    const prepared = await agents.prepare({ agent });
    expect(prepared.notices.join('\n')).not.toContain('The run will let');
    expect(JSON.stringify(prepared.messages[0])).toContain('Services use ports from 8000.');
    expect(server.requests).toHaveLength(3);
    // The messages that are summarized stay in the history.
    expect(contexts.main.conversationHistory).toHaveLength(30);
    expect(contexts.main.conversationHistory[0]).toMatchObject({ content: 'The port of service 0 is 8000.' });
  });

  test('may be a function', async () => {
    const { server, agents } = await startAgents([{ text: 'One.' }], {
      contexts: await longMain(),
      summarizer: async (prompt) => `${prompt.length > 100 ? 'long' : 'short'} summary`,
    });
    await agents.run({ agent, prompt: 'Go' }).result;
    expect(server.requests.map((request) => transcriptOf(request).join('\n'))).toEqual([
      expect.stringContaining('long summary'),
    ]);
  });

  test('that fails gives way to sentences of the conversation, and a notice states it', async () => {
    const { server, agents } = await startAgents([{ status: 400, message: 'no' }, { text: 'One.' }], {
      contexts: await longMain(),
      summarizer: 'model',
    });
    const { notices, finishReason } = await agents.run({ agent, prompt: 'Go' }).result;
    expect(finishReason).toBe('stop');
    expect(notices.join('\n')).toContain('did not summarize the main conversation');
    expect(server.requests[1] && transcriptOf(server.requests[1]).join('\n')).toContain(
      'The port of service 0 is 8000.',
    );
  });

  test('can be aborted: the turn is closed with the reason', async () => {
    const { server, agents } = await startAgents([{ never: true }], {
      contexts: await longMain(),
      summarizer: 'model',
    });
    const abort = new AbortController();
    const { result } = agents.run({ agent, prompt: 'Go', signal: abort.signal });
    await server.arrived(1);
    abort.abort();
    const { finishReason, messages, steps } = await result;
    expect({ finishReason, steps }).toEqual({ finishReason: 'aborted', steps: 0 });
    expect(messages.map((message) => labelOf(message).ended)).toEqual(['the run was aborted']);
  });
});

test('without a summarizer the summary has sentences of the conversation, and no request is made for it', async () => {
  const { server, agents } = await startAgents([{ text: 'One.' }], { contexts: await longMain() });
  await agents.run({ agent, prompt: 'Go' }).result;
  expect(server.requests.map((request) => transcriptOf(request).join('\n'))).toEqual([
    expect.stringContaining('The port of service 0 is 8000.'),
  ]);
});
