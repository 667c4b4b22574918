import { labelOf, textOf } from '@cairn/context/internal';
import type { UnifiedMessage } from '@cairn/context';
import type { AgentEvent, AgentRun } from '@cairn/agents';
import type { ToolSet } from '@cairn/tool';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SlowText, transcriptOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelServer } from '../support/model-server.ts';
import { helper, startAgents } from './start-agents.ts';
import { makeTool, makeToolSet } from './tools-for-tests.ts';

/** Settles with the first event of a type. */
async function eventOf(run: AgentRun, type: AgentEvent['type']): Promise<AgentEvent> {
  for await (const event of run) if (event.type === type) return event;
  throw new Error(`the run has no event ${type}`);
}

/** The ids of calls without a result, and of results without a call. */
function orphans(messages: readonly UnifiedMessage[]): string[] {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content as { type: string }[])));
  const ids = (type: string): string[] =>
    parts.flatMap((part) => (part.type === type ? [(part as unknown as { toolCallId: string }).toolCallId] : []));
  const [calls, results] = [ids('tool-call'), ids('tool-result')];
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))];
}

interface Moment {
  readonly name: string;
  readonly answer: () => ModelAnswer;
  /** Waits for the moment. */
  readonly wait: (run: AgentRun, server: ModelServer) => Promise<unknown>;
  readonly transcript: readonly unknown[];
}

const ended = '(This turn ended early: the run was aborted (the user pressed Escape))';

function slowText(): SlowText {
  const slow = new SlowText();
  slow.send('I begin');
  return slow;
}

const moments: readonly Moment[] = [
  {
    name: 'before the first byte',
    answer: () => ({ never: true }),
    wait: (_, server) => server.arrived(1),
    transcript: ['user: Go', `assistant: ${ended}`],
  },
  {
    name: 'in the text',
    answer: () => ({ text: slowText() }),
    wait: (run) => eventOf(run, 'text'),
    transcript: ['user: Go', `assistant: I begin\n\n${ended}`],
  },
  {
    name: 'while tools run',
    answer: () => ({
      text: 'I call.',
      toolCalls: [
        { name: 'wait', input: { text: 'a' } },
        { name: 'quick', input: { text: 'b' } },
      ],
    }),
    wait: (run) => eventOf(run, 'tool-end'),
    transcript: [
      'user: Go',
      'assistant: I call. call_1_1=wait({"text":"a"}) call_1_2=quick({"text":"b"})',
      'tool call_1_1: Stopped: the run was aborted (the user pressed Escape). Check what the call changed before you repeat it.',
      'tool call_1_2: quick b',
      `assistant: ${ended}`,
    ],
  },
];

const tools = makeToolSet(
  makeTool('wait', async (_, signal) => {
    await once(signal ?? new AbortController().signal, 'abort');
    throw signal?.reason;
  }),
  makeTool('quick', (text) => `quick ${text}`),
);

describe.each(moments)('an abort $name', ({ answer, wait, transcript }) => {
  test('closes the turn, with the reason, and the next run sends it', async () => {
    const { server, agents, contexts } = await startAgents([answer(), { text: 'Next.' }], { toolSets: [tools] });
    const abort = new AbortController();
    const run = agents.run({ agent: helper, prompt: 'Go', signal: abort.signal });
    await wait(run, server);
    abort.abort(new Error('the user pressed Escape'));
    const result = await run.result;
    expect(result).toMatchObject({ finishReason: 'aborted', run: run.run });
    expect(orphans(result.messages)).toEqual([]);
    const last = result.messages.at(-1);
    expect(last && labelOf(last).ended).toBe('the run was aborted (the user pressed Escape)');
    expect(contexts.getContext('helper').conversationHistory).toEqual(result.messages);
    await agents.run({ agent: helper, prompt: 'And now?' }).result;
    const next = server.requests[1];
    expect(next && transcriptOf(next)).toEqual([...transcript, 'user: And now?']);
    expect(server.refusals).toEqual([]);
  });

  test('leaves nothing in the history with onFailure: drop', async () => {
    const { server, agents, contexts } = await startAgents([answer()], { toolSets: [tools] });
    const abort = new AbortController();
    const run = agents.run({ agent: helper, prompt: 'Go', signal: abort.signal, onFailure: 'drop' });
    await wait(run, server);
    abort.abort();
    expect(await run.result).toMatchObject({ finishReason: 'aborted', messages: [] });
    expect(contexts.getContext('helper').conversationHistory).toEqual([]);
  });
});

test('an abort in the arguments of a call drops the call', async () => {
  const chunk = (delta: object): string => `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta }] })}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: 'I write.' }));
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'quick', arguments: '{"text": "a' } };
    response.write(chunk({ tool_calls: [call] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  const { agents } = await startAgents([], {
    toolSets: [tools],
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  });
  const abort = new AbortController();
  const run = agents.run({ agent: helper, prompt: 'Go', signal: abort.signal });
  await eventOf(run, 'text');
  abort.abort();
  const { messages, finishReason } = await run.result;
  expect(finishReason).toBe('aborted');
  expect(messages.map(textOf)).toEqual(['Go', 'I write.']);
  expect(orphans(messages)).toEqual([]);
  server.close();
});

test('an abort between two steps keeps the results of the first one', async () => {
  const abort = new AbortController();
  const stop = makeTool('stop', () => {
    abort.abort();
    return 'stopped';
  });
  const { server, agents } = await startAgents([{ toolCalls: [{ name: 'stop', input: { text: 'a' } }] }], {
    toolSets: [makeToolSet(stop)],
  });
  const { messages, finishReason, steps } = await agents.run({ agent: helper, prompt: 'Go', signal: abort.signal })
    .result;
  expect({ finishReason, steps, requests: server.requests.length }).toEqual({
    finishReason: 'aborted',
    steps: 1,
    requests: 1,
  });
  expect(JSON.stringify(messages)).toContain('"value":"stopped"');
  expect(orphans(messages)).toEqual([]);
});

test('a run whose signal is aborted already sends nothing', async () => {
  const { server, agents } = await startAgents([]);
  const { finishReason, steps } = await agents.run({ agent: helper, prompt: 'Go', signal: AbortSignal.abort() }).result;
  expect({ finishReason, steps, requests: server.requests }).toEqual({
    finishReason: 'aborted',
    steps: 0,
    requests: [],
  });
});

test('a tool that ignores the abort does not delay the end for long, and its outcome is unknown', async () => {
  const held = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const hold = (): Promise<string> => {
    begun.resolve();
    return held.promise;
  };
  const { agents } = await startAgents([{ toolCalls: [{ name: 'hold', input: { text: 'a' } }] }], {
    toolSets: [makeToolSet(makeTool('hold', hold))],
  });
  const abort = new AbortController();
  const run = agents.run({ agent: helper, prompt: 'Go', signal: abort.signal });
  await begun.promise;
  abort.abort();
  const { messages } = await run.result;
  expect(JSON.stringify(messages)).toContain('Outcome unknown: the run was aborted before the call ended.');
  held.resolve('late');
});

test('a set of tools that does not open ends with the time limit or the abort of the run, and is closed when it opens', async () => {
  const opened = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const slow: ToolSet = {
    name: 'slow',
    open: async ({ signal }) => {
      signals.push(signal);
      await opened.promise;
      return { tools: {} };
    },
  };
  const { server, agents, contexts } = await startAgents([], { toolSets: [slow] });
  const late = agents.run({ agent: helper, prompt: 'Go', timeoutMs: 1 });
  const aborted = agents.run({ agent: helper, prompt: 'Go', signal: AbortSignal.abort() });
  const nothing = { steps: 0, messages: [], notices: [expect.stringContaining('Nothing was sent or stored.')] };
  expect(await late.result).toMatchObject({ finishReason: 'timeout', ...nothing });
  expect(await aborted.result).toMatchObject({ finishReason: 'aborted', ...nothing });
  const closed = signals.map(async (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)));
  opened.resolve();
  await Promise.all(closed);
  expect([server.requests, contexts.getContext('helper').conversationHistory]).toEqual([[], []]);
});

test('close aborts the runs that work and waits for their turns', async () => {
  const { server, agents, contexts } = await startAgents([{ never: true }]);
  const { result } = agents.run({ agent: helper, prompt: 'Go' });
  await server.arrived(1);
  await agents.close();
  expect(await result).toMatchObject({ finishReason: 'aborted' });
  const [prompt] = contexts.getContext('helper').conversationHistory;
  expect(prompt && labelOf(prompt).ended).toBe('the run was aborted (the agents were closed)');
  await expect(agents.run({ agent: helper, prompt: 'Go' }).result).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});
