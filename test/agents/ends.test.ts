import { labelOf, textOf } from '@cairn/context/internal';
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { busy, SlowText, transcriptOf } from '../support/model-server.ts';
import type { ModelReply } from '../support/model-server.ts';
import { helper, startAgents } from './start-agents.ts';
import { makeTool, makeToolSet } from './tools-for-tests.ts';

const called: string[] = [];
const note = makeTool('note', (text) => {
  called.push(text);
  return `noted ${text}`;
});
const toolSets = [makeToolSet(note)];
const call = (text: string): ModelReply => ({ toolCalls: [{ name: 'note', input: { text } }] });

describe('the limit of steps', () => {
  test('is stated before the last request, which can call no tool', async () => {
    const { server, agents } = await startAgents(
      [call('a'), { text: 'One is done, one is left.' }, { text: 'More.' }],
      {
        toolSets,
      },
    );
    const result = await agents.run({ agent: { ...helper, maxSteps: 2 }, prompt: 'Go' }).result;
    expect(result).toMatchObject({ finishReason: 'steps', steps: 2, text: 'One is done, one is left.' });
    const [first, second] = server.requests;
    expect(first?.chat.tool_choice).toBe('auto');
    expect(second?.chat.tool_choice).toBe('none');
    expect(second && transcriptOf(second).at(-1)).toBe(
      'user: This is the last of 2 steps: no more tools can be called. Answer now. State what is done and what is left.',
    );
    await agents.run({ agent: helper, prompt: 'Go on' }).result;
    const third = server.requests[2];
    expect(third && transcriptOf(third).slice(-3)).toEqual([
      second && transcriptOf(second).at(-1),
      'assistant: One is done, one is left.',
      'user: Go on',
    ]);
  });

  test('ends a run whose model calls a tool all the same: nothing is called', async () => {
    called.length = 0;
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    let count = 0;
    // The scripted server writes no call where `tool_choice` forbids it.
    const model = new MockLanguageModelV4({
      doStream: async () => {
        count += 1;
        const toolCall = { toolCallId: `c${count}`, toolName: 'note', input: `{"text":"${count}"}` };
        const chunks = [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: `Answer ${count}.` },
          { type: 'text-end', id: '1' },
          { type: 'tool-call', ...toolCall },
          { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage },
        ] as never[];
        return { stream: simulateReadableStream({ chunks }) };
      },
    });
    const { agents, contexts } = await startAgents([], { toolSets, model });
    const result = await agents.run({ agent: helper, prompt: 'Go', maxSteps: 2 }).result;
    expect(result).toMatchObject({ finishReason: 'steps', steps: 2, text: 'Answer 2.' });
    expect(called).toEqual(['1']);
    const last = contexts.getContext('helper').conversationHistory.at(-1);
    expect(last && labelOf(last).ended).toBe('the run reached its limit of 2 steps');
  });

  test('of one step sends no note, and calls no tool whose result is not read', async () => {
    called.length = 0;
    const { server, agents } = await startAgents([call('a'), { text: 'Hi.' }], { toolSets });
    const first = await agents.run({ agent: helper, prompt: 'Go', maxSteps: 1, onFailure: 'drop' }).result;
    const second = await agents.run({ agent: { ...helper, name: 'other' }, prompt: 'Go', maxSteps: 1 }).result;
    expect([first.finishReason, second.finishReason]).toEqual(['steps', 'stop']);
    expect(called).toEqual([]);
    expect(server.requests.map(transcriptOf)).toEqual([['user: Go'], ['user: Go']]);
  });
});

test('a run has 50 steps unless another limit is given', async () => {
  const { server, agents } = await startAgents(() => call('a'), { toolSets });
  const { finishReason, steps } = await agents.run({ agent: helper, prompt: 'Go' }).result;
  expect({ finishReason, steps, requests: server.requests.length }).toEqual({
    finishReason: 'steps',
    steps: 50,
    requests: 50,
  });
});

describe('the limit of tokens', () => {
  test('counts all requests as the provider does; the rest is the largest answer', async () => {
    const { server, agents } = await startAgents([call('a'), call('b'), { text: 'Done.' }], { toolSets });
    const result = await agents.run({ agent: helper, prompt: 'Go', maxTokens: 1_000_000 }).result;
    const limits = server.requests.map(({ chat }) => Number(Reflect.get(chat, 'max_tokens')));
    const { inputTokens, outputTokens } = result.usage;
    expect(limits[0]).toBe(1_000_000);
    expect(limits[1]).toBeLessThan(1_000_000);
    // The last answer has some tokens, too.
    expect(limits[2]).toBeGreaterThan(1_000_000 - inputTokens - outputTokens);
    expect(limits[2]).toBeLessThan(limits[1] ?? 0);
  });

  test('ends the run before the next request: calls of the answer are not made', async () => {
    called.length = 0;
    const { server, agents } = await startAgents([call('a'), { text: 'Done.' }], { toolSets });
    const result = await agents.run({ agent: { ...helper, maxTokens: 20 }, prompt: 'Go' }).result;
    expect(result).toMatchObject({ finishReason: 'tokens', steps: 1, usage: { isComplete: true } });
    expect({ called, requests: server.requests.length }).toEqual({ called: [], requests: 1 });
    expect(JSON.stringify(result.messages)).toContain('Not called: the run reached its limit of 20 tokens.');
  });

  test('is not sent any more when the server rejects it as the largest answer', async () => {
    const message = 'max_tokens is too large: 1000000. This model supports at most 16384 completion tokens';
    const { server, agents } = await startAgents([{ status: 400, message }, call('a'), { text: 'Done.' }], {
      toolSets,
    });
    const result = await agents.run({ agent: helper, prompt: 'Go', maxTokens: 1_000_000 }).result;
    expect(result).toMatchObject({ finishReason: 'stop', steps: 2, text: 'Done.' });
    expect(server.requests.map(({ chat }) => Reflect.get(chat, 'max_tokens') as unknown)).toEqual([
      1_000_000,
      undefined,
      undefined,
    ]);
  });

  test('is kept by an estimate with a server that states no usage', async () => {
    const { agents } = await startAgents([{ ...call('a'), reportsUsage: false }, { text: 'Done.' }], { toolSets });
    const result = await agents.run({ agent: helper, prompt: 'Go', maxTokens: 20 }).result;
    expect(result).toMatchObject({
      finishReason: 'tokens',
      usage: { inputTokens: 0, outputTokens: 0, isComplete: false },
    });
  });
});

test('usage is the sum of all answers, and complete only if each stated its own', async () => {
  const { agents } = await startAgents(
    [call('a'), { text: 'Done.' }, call('a'), { text: 'Done.', reportsUsage: false }],
    {
      toolSets,
    },
  );
  const one = await agents.run({ agent: helper, prompt: 'Go' }).result;
  const other = await agents.run({ agent: { ...helper, name: 'other' }, prompt: 'Go' }).result;
  expect(one.usage).toMatchObject({ isComplete: true });
  expect(other.usage).toMatchObject({ isComplete: false });
  expect(other.usage.inputTokens).toBeGreaterThan(0);
  expect(other.usage.inputTokens).toBeLessThan(one.usage.inputTokens);
});

test.each([
  ['length', 'length', 'the answer reached the largest size that the model can write'],
  ['content_filter', 'content-filter', 'a filter of the provider cut the answer'],
] as const)(
  'an answer with the finish reason %s ends the run, and its calls are not made',
  async (raw, reason, ended) => {
    called.length = 0;
    const answer = { text: 'Part', ...call('a'), finishReason: raw, reportsUsage: false };
    const { agents } = await startAgents([answer], { toolSets });
    const { finishReason, messages, text } = await agents.run({ agent: helper, prompt: 'Go' }).result;
    expect({ finishReason, text, called }).toEqual({ finishReason: reason, text: 'Part', called: [] });
    const last = messages.at(-1);
    expect(last && labelOf(last).ended).toBe(ended);
  },
);

describe('a model that fails', () => {
  test('after content: the turn has what came, and the result has the error', async () => {
    const { agents, contexts } = await startAgents([
      { text: ['The answer ', 'is'], cut: { afterEvents: 3, by: 'close' } },
    ]);
    const run = agents.run({ agent: helper, prompt: 'Go' });
    const types: string[] = [];
    for await (const event of run) types.push(event.type);
    const result = await run.result;
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'MODEL_FAILED' } });
    const history = contexts.getContext('helper').conversationHistory;
    expect(history.map(textOf)).toEqual(['Go', 'The answer is']);
    expect(history.map((message) => labelOf(message).ended)).toEqual([
      undefined,
      expect.stringMatching(/^the model failed: /u),
    ]);
    expect(types.at(-1)).toBe('end');
  });

  test('stores nothing of its turn with onFailure: drop', async () => {
    const { agents, contexts } = await startAgents([
      { text: ['The answer ', 'is'], cut: { afterEvents: 3, by: 'close' } },
    ]);
    // The run is not iterated: it is asked for again, and what arrived is kept when that fails, too.
    const result = await agents.run({ agent: helper, prompt: 'Go', mode: 'shared', onFailure: 'drop' }).result;
    expect(result).toMatchObject({ finishReason: 'error', text: 'The answer is', messages: [] });
    expect(contexts.main.conversationHistory).toEqual([]);
  });

  test('with a key that is rejected: no secret is in the history', async () => {
    const { agents } = await startAgents([{ status: 401, message: 'Incorrect API key provided: sk-12345' }]);
    const result = await agents.run({ agent: helper, prompt: 'Go' }).result;
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'MODEL_DENIED' } });
    expect(JSON.stringify(result.messages)).not.toContain('sk-12345');
  });

  test('for a moment is asked again, and the retry is an event', async () => {
    const { server, agents } = await startAgents([busy(0.01), { text: 'Now.' }]);
    const run = agents.run({ agent: helper, prompt: 'Go' });
    const retries: object[] = [];
    for await (const event of run) if (event.type === 'retry') retries.push(event);
    expect(await run.result).toMatchObject({ finishReason: 'stop', text: 'Now.', steps: 1 });
    expect(retries).toMatchObject([{ run: run.run, attempt: 1, delayMs: 10, reason: expect.stringContaining('429') }]);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  });

  const cut = { text: ['Half ', 'an answer'], cut: { afterEvents: 2, by: 'close' as const } };

  test('in the middle of its answer is asked again while the run is not iterated', async () => {
    const { server, agents } = await startAgents([cut, { text: 'Whole.' }]);
    const run = agents.run({ agent: helper, prompt: 'Go' });
    expect(await run.result).toMatchObject({ finishReason: 'stop', text: 'Whole.' });
    const texts: string[] = [];
    for await (const event of run) if (event.type === 'text') texts.push(event.text);
    expect(texts).toEqual(['Whole.']);
    expect(server.requests).toHaveLength(2);
  });

  test('in the middle of its answer is asked again with partialText: false', async () => {
    const { agents } = await startAgents([cut, { text: ['Wh', 'ole.'] }]);
    const run = agents.run({ agent: helper, prompt: 'Go', partialText: false });
    const texts: string[] = [];
    for await (const event of run) if (event.type === 'text') texts.push(event.text);
    expect(texts).toEqual(['Whole.']);
  });

  test('in the middle of its answer is not asked again when a part of it was an event', async () => {
    const { server, agents } = await startAgents([cut, { text: 'Whole.' }]);
    const run = agents.run({ agent: helper, prompt: 'Go' });
    const texts: string[] = [];
    for await (const event of run) if (event.type === 'text') texts.push(event.text);
    expect(texts).toEqual(['Half ']);
    expect(await run.result).toMatchObject({ finishReason: 'error', text: 'Half ' });
    expect(server.requests).toHaveLength(1);
  });

  test('and never answers is given up after its time limit', async () => {
    const { agents } = await startAgents([{ never: true }], { firstByteTimeoutMs: 50 });
    const result = await agents.run({ agent: helper, prompt: 'Go' }).result;
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'MODEL_UNAVAILABLE' } });
  });

  test('and stops in its answer is given up after its time limit', async () => {
    const text = new SlowText();
    text.send('Half');
    const { agents } = await startAgents([{ text }], { chunkTimeoutMs: 50 });
    const result = await agents.run({ agent: helper, prompt: 'Go' }).result;
    expect(result).toMatchObject({ finishReason: 'error', text: 'Half', error: { code: 'MODEL_UNAVAILABLE' } });
  });
});

test('the time limit of a run ends it, also while a tool runs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const hold = makeTool('hold', (_, signal) => {
    // The tool runs: now the time is up.
    setImmediate(() => vi.advanceTimersByTime(200));
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  });
  const { agents } = await startAgents([{ toolCalls: [{ name: 'hold', input: { text: 'a' } }] }], {
    toolSets: [makeToolSet(hold)],
  });
  const result = await agents.run({ agent: { ...helper, timeout: 0.2 }, prompt: 'Go' }).result;
  expect(result.finishReason).toBe('timeout');
  const last = result.messages.at(-1);
  expect(last && labelOf(last).ended).toBe('the run reached its time limit of 0.2 s');
  expect(JSON.stringify(result.messages)).toContain('Stopped: the run reached its time limit of 0.2 s.');
});

describe('a run that cannot begin', () => {
  test.each([
    ['an unknown agent', { agent: 'helpr' }, 'UNKNOWN_AGENT'],
    ['an empty prompt', { prompt: ' ' }, 'INVALID_INPUT'],
    ['a prompt that is a number', { prompt: 5 as never }, 'INVALID_INPUT'],
    ['a part that messages of users cannot have', { prompt: [{ type: 'x' }] as never }, 'INVALID_INPUT'],
    ['a part without a type', { prompt: [{ text: 'Go' }, null] as never }, 'INVALID_INPUT'],
    ['an invalid limit', { maxSteps: 0 }, 'INVALID_OPTION'],
    ['an invalid time limit', { timeoutMs: 2 ** 31 }, 'INVALID_OPTION'],
    ['a run that does not exist', { continue: 'run_1' }, 'UNKNOWN_RUN'],
    ['a prompt that is larger than the budget', { prompt: 'word '.repeat(30_000) }, 'TOO_LARGE'],
  ])('for %s rejects, sends nothing and stores nothing', async (_, options, code) => {
    const { server, agents, contexts } = await startAgents([]);
    const run = agents.run({ agent: helper, prompt: 'Go', ...options });
    await expect(run.result).rejects.toMatchObject({ code });
    await expect(run[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code });
    expect(server.requests).toEqual([]);
    expect(contexts.getContext('helper').conversationHistory).toEqual([]);
  });

  test('for want of a model states how to configure one', async () => {
    const { agents } = await startAgents([], { model: undefined, baseUrl: undefined });
    await expect(agents.run({ agent: helper, prompt: 'Go' }).result).rejects.toMatchObject({ code: 'NO_MODEL' });
  });

  test('leaves nothing unhandled when its result is not awaited', async () => {
    const { agents } = await startAgents([]);
    const { result } = agents.run({ agent: 'nobody', prompt: 'Go' });
    const settled = Promise.withResolvers<void>();
    // A rejection is reported as unhandled before the next turn of the event loop.
    setImmediate(() => setImmediate(settled.resolve));
    await settled.promise;
    await expect(result).rejects.toThrow('nobody');
  });
});

test.each([
  ['of the definition', {}, 1],
  ['of the run before those of the definition', { maxSteps: 2 }, 2],
])('limits are those %s', async (_, options, steps) => {
  const { agents } = await startAgents([call('a'), { text: 'Done.' }], { toolSets });
  const result = await agents.run({ agent: { ...helper, maxSteps: 1 }, prompt: 'Go', ...options }).result;
  expect(result).toMatchObject({ finishReason: 'steps', steps });
});

describe('an answer without a text', () => {
  test('is stated, and the next request has an answer between the prompts', async () => {
    const { server, agents } = await startAgents([{ text: '' }, { text: 'Here.' }]);
    const result = await agents.run({ agent: helper, prompt: 'Go' }).result;
    const notice = 'the model ended its last answer without a text';
    expect(result).toMatchObject({ finishReason: 'stop', text: '', notices: [notice] });
    await agents.run({ agent: helper, prompt: 'Go on' }).result;
    expect(server.requests[1] && transcriptOf(server.requests[1])).toEqual([
      'user: Go',
      `assistant: (This turn ended early: ${notice})`,
      'user: Go on',
    ]);
  });

  test('is stated after a text and a call, too', async () => {
    const { agents } = await startAgents([{ text: 'I read it.', ...call('a') }, { text: ' ' }], { toolSets });
    const run = agents.run({ agent: helper, prompt: 'Go' });
    const notices: string[] = [];
    for await (const event of run) if (event.type === 'notice') notices.push(event.text);
    expect(notices).toEqual(['the model ended its last answer without a text']);
  });
});

test('a turn that cannot be stored rejects the result', async () => {
  const { agents, contexts } = await startAgents([{ text: 'Done.' }]);
  contexts.appendTurn = () => Promise.reject(new Error('the disk is full'));
  await expect(agents.run({ agent: helper, prompt: 'Go' }).result).rejects.toThrow('the disk is full');
});
