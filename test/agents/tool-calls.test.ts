import type { AgentEvent } from '@cairn/agents';
import { observeCalls } from '@cairn/tool';
import type { ToolDefinition, ToolSet } from '@cairn/tool';
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, onTestFinished, test } from 'vitest';
import { transcriptOf } from '../support/model-server.ts';
import type { ModelScript } from '../support/model-server.ts';
import { helper, startAgents } from './start-agents.ts';
import { makeTool, makeToolSet } from './tools-for-tests.ts';

const done = { text: 'Done.' };

/** Runs one prompt and returns the results of the calls of its first step, as the second request has them. */
async function resultsOf(
  script: ModelScript,
  tools: readonly ToolDefinition[],
  language: 'en' | 'zh' = 'en',
): Promise<string[]> {
  const { server, agents } = await startAgents(script, { toolSets: [makeToolSet(...tools)], language });
  await agents.run({ agent: helper, prompt: 'Go' }).result;
  expect(server.refusals).toEqual([]);
  const second = server.requests[1];
  if (second === undefined) throw new Error('there is no second request');
  return transcriptOf(second).filter((line) => line.startsWith('tool '));
}

test('calls of one step run at once, and their results are in the order of the calls', async () => {
  const both = Promise.withResolvers<void>();
  let started = 0;
  const meet = makeTool('meet', async (text) => {
    started += 1;
    if (started === 2) both.resolve();
    await both.promise;
    return text;
  });
  const toolCalls = ['a', 'b'].map((text) => ({ name: 'meet', input: { text } }));
  expect(await resultsOf([{ toolCalls }, done], [meet])).toEqual(['tool call_1_1: a', 'tool call_1_2: b']);
});

test('invalid calls go back to the model as errors that state what to do, next to the valid one', async () => {
  const echo = makeTool('echo', (text) => `echo ${text}`);
  const toolCalls = [
    { name: 'echo', input: '{"text": "a' },
    { name: 'echo', input: { words: 'a' } },
    { name: 'write_poem', input: { text: 'a' } },
    { name: 'echo', input: { text: 'b' } },
  ];
  expect(await resultsOf([{ toolCalls }, done], [echo])).toEqual([
    expect.stringMatching(
      /^tool call_1_1: echo: the arguments are not valid JSON \(.+\)\. Nothing was done\. Call it again/u,
    ),
    'tool call_1_2: echo: missing parameter text; unknown parameter words (parameters: text). Nothing was changed. Call it again with these parameters.',
    expect.stringMatching(/^tool call_1_3: There is no tool "write_poem"\. Nothing was done\. Use echo/u),
    'tool call_1_4: echo b',
  ]);
});

test('a tool that throws is an error for the model, and the run goes on', async () => {
  const crash = makeTool('crash', () => {
    throw new TypeError('undefined is not a function');
  });
  const script = [{ toolCalls: [{ name: 'crash', input: { text: 'a' } }] }, done];
  expect(await resultsOf(script, [crash])).toEqual([
    'tool call_1_1: crash failed unexpectedly: undefined is not a function. Check what it changed before you repeat it.',
  ]);
  expect(await resultsOf(script, [crash], 'zh')).toEqual([
    'tool call_1_1: crash 意外失败：undefined is not a function。重试之前，请先检查它改变了什么。',
  ]);
});

test('a tool that throws what has no text is an error for the model', async () => {
  const crash = makeTool('crash', () => {
    throw Object.create(null);
  });
  const script = [{ toolCalls: [{ name: 'crash', input: { text: 'a' } }] }, done];
  expect(await resultsOf(script, [crash])).toEqual([expect.stringContaining('crash failed unexpectedly')]);
});

test('a name that servers reject is sent with other characters, and does not end the run or the next one', async () => {
  const names = ['functions.read', 'read the file', '读取', 'x'.repeat(100)];
  const { server, agents } = await startAgents([
    { toolCalls: names.map((name) => ({ name, input: {} })) },
    { text: 'I go without.' },
    { text: 'Again.' },
  ]);
  expect(await agents.run({ agent: helper, prompt: 'Go' }).result).toMatchObject({ text: 'I go without.' });
  expect(await agents.run({ agent: helper, prompt: 'Go on' }).result).toMatchObject({ text: 'Again.' });
  expect(server.refusals).toEqual([]);
  const results = server.requests[2] && transcriptOf(server.requests[2]).filter((line) => line.startsWith('tool '));
  // The model reads the name that it wrote.
  for (const [index, name] of names.entries()) {
    expect(results?.[index]).toContain(`There is no tool ${JSON.stringify(name)}. Nothing was done.`);
  }
});

test('a result that no message can hold is an error that states its size', async () => {
  const flood = makeTool('flood', (text) => text.repeat(17 * 1024 * 1024));
  const script = [{ toolCalls: [{ name: 'flood', input: { text: 'a' } }] }, done];
  expect(await resultsOf(script, [flood])).toEqual([
    expect.stringMatching(
      /^tool call_1_1: flood was called, but its result of 17\.0 MB is not shown: at most 16\.0 MB fit/u,
    ),
  ]);
});

describe('a message that no history can hold keeps what ran, and states what is cut', () => {
  const MIB = 1024 * 1024;
  const call = { name: 'echo', input: { text: 'a' } };

  test('an image of 21 MiB (28 in base64) that the model made', async () => {
    const ran: string[] = [];
    const echo = makeTool('echo', (text) => ran.push(text).toString());
    const parts = (...some: readonly object[]): object => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          ...some,
          {
            type: 'finish',
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: { inputTokens: {}, outputTokens: {} },
          },
        ],
      }),
    });
    const answers = [
      parts({ type: 'tool-call', toolCallId: 'c1', toolName: 'echo', input: '{"text":"a"}' }),
      parts(
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array(21 * MIB) } },
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Painted.' },
        { type: 'text-end', id: 't' },
      ),
    ];
    const model = new MockLanguageModelV4({ doStream: async () => answers.shift() as never });
    const { agents, contexts } = await startAgents([], { model, toolSets: [makeToolSet(echo)] });
    const result = await agents.run({ agent: helper, prompt: 'Paint' }).result;
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Painted.' });
    expect(result.notices).toEqual([
      'Not kept whole in the history, because no message can hold it: image/png, 28.0 MB',
    ]);
    expect(ran).toEqual(['a']);
    const { conversationHistory } = contexts.getContext('helper');
    expect(conversationHistory).toEqual(result.messages);
    expect(conversationHistory.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(conversationHistory.at(-1)).toMatchObject({
      content: [
        {
          type: 'text',
          text: 'image/png: [Not kept whole: it had 28.0 MB, and a message of this conversation has at most 20.0 MB.]',
        },
        { type: 'text', text: 'Painted.' },
      ],
    });
  });

  test('arguments that are nested too deeply', async () => {
    const ran: string[] = [];
    const echo = makeTool('echo', (text) => ran.push(text).toString());
    const deep = `{"text":"b","more":${'['.repeat(600)}${']'.repeat(600)}}`;
    const script = [{ toolCalls: [call, { name: 'echo', input: deep }] }, done, done];
    const { server, agents, contexts } = await startAgents(script, { toolSets: [makeToolSet(echo)] });
    const result = await agents.run({ agent: helper, prompt: 'Go' }).result;
    expect(result).toMatchObject({ text: 'Done.', notices: [expect.stringContaining('call of echo')] });
    expect(ran).toEqual(['a']);
    expect(contexts.getContext('helper').conversationHistory).toHaveLength(4);
    await agents.run({ agent: helper, prompt: 'And now?' }).result;
    expect(server.refusals).toEqual([]);
    const lines = server.requests[2] ? transcriptOf(server.requests[2]) : [];
    expect(lines[1]).toContain(
      'call_1_2=echo({"note":"[Not kept whole: it has a form that this conversation cannot keep.]"})',
    );
  });
});

test('reasoning is an event, and is kept with the call that it led to', async () => {
  const echo = makeTool('echo', (text) => `echo ${text}`);
  const call = { name: 'echo', input: { text: 'a' } };
  const script = [{ reasoning: 'I should echo.', toolCalls: [call] }, done, done];
  const { server, agents, contexts } = await startAgents(script, { toolSets: [makeToolSet(echo)] });
  const run = agents.run({ agent: helper, prompt: 'Go' });
  const texts: string[] = [];
  for await (const event of run) if (event.type === 'reasoning') texts.push(event.text);
  await agents.run({ agent: helper, prompt: 'And now?' }).result;
  expect(texts.join('')).toBe('I should echo.');
  expect(server.refusals).toEqual([]);
  expect(JSON.stringify(contexts.getContext('helper').conversationHistory)).toContain('I should echo.');
  const [, second, third] = server.requests.map(({ body }) => body.toString());
  const upTo = (body = ''): string => body.slice(body.indexOf('"role":"user"'), body.indexOf('"role":"tool"'));
  expect(upTo(third)).toBe(upTo(second));
});

test('thoughts in the text are events, and neither kept nor sent again', async () => {
  const echo = makeTool('echo', (text) => `echo ${text}`);
  const call = { name: 'echo', input: { text: 'a' } };
  const script = [
    { text: '<think>I should echo.</think>\n', toolCalls: [call] },
    { text: '<think>\nGood.\n</think>\n\nDone.' },
    { text: '<think>I have nothing' },
    done,
  ];
  const { server, agents, contexts } = await startAgents(script, { toolSets: [makeToolSet(echo)] });
  const run = agents.run({ agent: helper, prompt: 'Go' });
  const thoughts: string[] = [];
  for await (const event of run) if (event.type === 'reasoning') thoughts.push(event.text);
  expect(thoughts.join('')).toBe('I should echo.\nGood.\n');
  expect(await run.result).toMatchObject({ text: 'Done.', finishReason: 'stop' });
  expect(await agents.run({ agent: helper, prompt: 'More?' }).result).toMatchObject({
    text: '',
    notices: ['the model ended its last answer without a text'],
  });
  await agents.run({ agent: helper, prompt: 'And now?' }).result;
  expect(server.refusals).toEqual([]);
  const kept = JSON.stringify(contexts.getContext('helper').conversationHistory);
  for (const words of ['I should', 'Good.', 'nothing', 'think>', 'reasoning']) {
    expect(kept).not.toContain(words);
    expect(server.requests.at(-1)?.body.toString()).not.toContain(words);
  }
});

test('events show each call with its input, its result and whether it failed', async () => {
  const echo = makeTool('echo', (text) => `echo ${text}`);
  const toolCalls = [
    { name: 'echo', input: { text: 'a' } },
    { name: 'echo', input: '[' },
  ];
  const { agents } = await startAgents([{ toolCalls }, done], { toolSets: [makeToolSet(echo)] });
  const run = agents.run({ agent: helper, prompt: 'Go' });
  const events: AgentEvent[] = [];
  for await (const event of run) if (event.type.startsWith('tool-')) events.push(event);
  const place = { run: run.run, depth: 0 };
  expect(events).toMatchObject([
    { ...place, type: 'tool-start', id: 'call_1_1', name: 'echo', input: { text: 'a' } },
    { ...place, type: 'tool-start', id: 'call_1_2', name: 'echo', input: '[' },
    { ...place, type: 'tool-end', isError: true },
    { ...place, type: 'tool-end', isError: false, output: 'echo a' },
  ]);
  const again: AgentEvent[] = [];
  for await (const event of run) again.push(event);
  expect(again.filter(({ type }) => type.startsWith('tool-'))).toEqual(events);
});

test('a server that uses the ids of calls again gets each id once', async () => {
  const echo = makeTool('echo', (text) => `echo ${text}`);
  const call = (text: string): object => ({ toolCalls: [{ id: 'call_0', name: 'echo', input: { text } }] });
  const { server, agents } = await startAgents([call('a'), call('b'), done, call('c'), done], {
    toolSets: [makeToolSet(echo)],
  });
  await agents.run({ agent: helper, prompt: 'One' }).result;
  await agents.run({ agent: helper, prompt: 'Two' }).result;
  expect(server.refusals).toEqual([]);
  const last = server.requests[4];
  expect(last && transcriptOf(last)).toEqual([
    'user: One',
    'assistant: call_0=echo({"text":"a"})',
    'tool call_0: echo a',
    'assistant: call_0_2=echo({"text":"b"})',
    'tool call_0_2: echo b',
    'assistant: Done.',
    'user: Two',
    'assistant: call_0_3=echo({"text":"c"})',
    'tool call_0_3: echo c',
  ]);
});

test('observers of calls see the calls of agents', async () => {
  const seen: string[] = [];
  onTestFinished(observeCalls(({ kind, call }) => seen.push(`${kind} ${call.name}`)));
  const echo = makeTool('echo', (text) => `echo ${text}`);
  await resultsOf([{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, done], [echo]);
  expect(seen).toEqual(['call-start echo', 'call-end echo']);
});

test('the session of the tools ends with each run, also with one that cannot begin, and with prepare', async () => {
  const signals: AbortSignal[] = [];
  const set: ToolSet = {
    ...makeToolSet(),
    open: ({ signal }) => {
      signals.push(signal);
      return { tools: {} };
    },
  };
  const { agents } = await startAgents([done], { toolSets: [set], maxContextTokens: 100 });
  await agents.run({ agent: helper, prompt: 'Go' }).result;
  await expect(agents.run({ agent: helper, prompt: 'word '.repeat(500) }).result).rejects.toThrow('budget');
  await agents.prepare({ agent: helper });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});

test('close closes the tool sets', async () => {
  const closed: string[] = [];
  const set = { ...makeToolSet(), close: async () => void closed.push('test') };
  const { agents } = await startAgents([done], { toolSets: [set] });
  await agents.run({ agent: helper, prompt: 'Go' }).result;
  await Promise.all([agents.close(), agents.close()]);
  expect(closed).toEqual(['test']);
});
