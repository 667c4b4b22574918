import { codingToolSet } from '@cairn/coding-agent';
import { agentTool } from '@cairn/agents';
import type { AgentEvent, AgentsOptions } from '@cairn/agents';
import { ContextError, ContextManager, openContexts } from '@cairn/context';
import { labelOf, textOf } from '@cairn/context/internal';
import { memory as inProcess } from '@cairn/memory/memory';
import type { AgentDefinition, AgentDefinitions } from '@cairn/context';
import { generateText, isStepCount } from 'ai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemPromptOf, toolNamesOf, transcriptOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelRequest, ModelScript } from '../support/model-server.ts';
import { createTree } from '../support/tree.ts';
import { startAgents } from './start-agents.ts';
import type { StartedAgents } from './start-agents.ts';

/** Makes a definition. Its system prompt names the agent, by which a script knows the agent of a request. */
function define(name: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return { name, description: `Does the work of ${name}.`, systemPrompt: `I am ${name}.`, ...more };
}

function definitionsOf(...agents: readonly AgentDefinition[]): AgentDefinitions {
  return { agents: new Map(agents.map((agent) => [agent.name, agent])), problems: [], replaced: [] };
}

function agentOf(request: ModelRequest): string {
  return /^I am (\S+)\./u.exec(systemPromptOf(request))?.[1] ?? '';
}

type Answer = ModelAnswer | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>);

/** Answers each agent from its own list. */
function scriptOf(answers: Readonly<Record<string, readonly Answer[]>>): ModelScript {
  const counts = new Map<string, number>();
  return async (request) => {
    const agent = agentOf(request);
    const count = counts.get(agent) ?? 0;
    counts.set(agent, count + 1);
    const answer = answers[agent]?.[count];
    if (answer === undefined) throw new Error(`the script has no answer ${count + 1} for ${agent}`);
    return typeof answer === 'function' ? answer(request) : answer;
  };
}

/** An answer that delegates. */
function delegate(...inputs: readonly object[]): ModelAnswer {
  return { toolCalls: inputs.map((input) => ({ name: 'agent', input })) };
}

const all = definitionsOf(define('lead'), define('reviewer'), define('tester'));

function start(
  answers: Readonly<Record<string, readonly Answer[]>>,
  options: Partial<AgentsOptions> = {},
): Promise<StartedAgents> {
  return startAgents(scriptOf(answers), { definitions: all, ...options });
}

/** Returns the requests of one agent. */
function requestsOf({ server }: StartedAgents, agent: string): ModelRequest[] {
  return server.requests.filter((request) => agentOf(request) === agent);
}

/** Returns the result of the last tool call in a request. */
function lastResult(request: ModelRequest | undefined): string {
  const last = request?.chat.messages.findLast(({ role }) => role === 'tool');
  return typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content);
}

describe('the tool agent', () => {
  test('gives a task to another agent, which sees its own history only, and returns its answer', async () => {
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'Review a.ts.' }), { text: 'Reviewed.' }],
      reviewer: [{ text: 'It is fine.' }],
    });
    const { agents, contexts } = started;
    const events: AgentEvent[] = [];
    const run = agents.run({ agent: 'lead', prompt: 'Have a.ts reviewed. CANARY' });
    for await (const event of run) events.push(event);
    const { text, finishReason } = await run.result;
    expect([text, finishReason]).toEqual(['Reviewed.', 'stop']);
    const [review] = requestsOf(started, 'reviewer');
    expect(review && transcriptOf(review)).toEqual(['user: Review a.ts.']);
    expect(review?.body.toString()).not.toContain('CANARY');
    const [nested] = contexts.getContext('reviewer').conversationHistory;
    const id = nested && labelOf(nested).run;
    expect(lastResult(requestsOf(started, 'lead')[1])).toBe(
      `It is fine.\n\n[agent reviewer; to continue: continue "${id}"]`,
    );
    expect(events.map(({ type, depth }) => `${depth} ${type}`)).toEqual([
      '0 start',
      '0 step',
      '0 tool-start',
      '1 start',
      '1 step',
      '1 text',
      '1 end',
      '0 tool-end',
      '0 step',
      '0 text',
      '0 end',
    ]);
    expect(new Set(events.filter(({ depth }) => depth === 1).map((event) => event.run))).toEqual(new Set([id]));
  });

  test('lists the other agents in the order of their names, with the same bytes in each request', async () => {
    const started = await start(
      { lead: [delegate({ name: 'a', prompt: 'Go.' }), { text: 'Done.' }], a: [{ text: 'Yes.' }] },
      {
        definitions: definitionsOf(
          define('lead'),
          define('b', { description: 'Line one.\n\n  Line two.' }),
          define('a'),
        ),
      },
    );
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    const descriptions = requestsOf(started, 'lead').map(({ chat }) => chat.tools?.[0]?.function);
    expect(descriptions[0]?.name).toBe('agent');
    expect(descriptions[0]?.description?.split('\n').slice(2)).toEqual([
      'The agents:',
      '- a: Does the work of a.',
      '- b: Line one. Line two.',
    ]);
    expect(descriptions[1]).toEqual(descriptions[0]);
    const { tools } = await started.agents.prepare({ agent: 'lead' });
    expect(tools[0]?.description).toBe(descriptions[0]?.description);
  });

  test('lists as many of 500 agents as its budget allows, and states how many it leaves out', async () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      define(`agent-${String(index).padStart(3, '0')}`, { description: '说明'.repeat(200) }),
    );
    const started = await start(
      {
        lead: [delegate({ name: 'agent-499', prompt: 'Go.' }, { name: 'agent-49', prompt: 'Go.' }), { text: 'Done.' }],
        'agent-499': [{ text: 'Yes.' }],
      },
      { definitions: definitionsOf(define('lead'), ...many) },
    );
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    const description = started.server.requests[0]?.chat.tools?.[0]?.function.description ?? '';
    expect(description.length).toBeLessThan(9000);
    const named = new Set(description.match(/agent-\d{3}/gu));
    expect(description).toContain(`${500 - named.size} more agents are not listed`);
    const results = requestsOf(started, 'lead')[1]?.chat.messages.filter(({ role }) => role === 'tool');
    expect(results?.[0]?.content).toContain('Yes.');
    expect(results?.[1]?.content).toMatch(/There is no agent "agent-49"\. Nothing was changed\. Did you mean agent-/u);
  });

  test('is in Chinese when the agents are', async () => {
    const started = await start(
      { lead: [delegate({ name: 'nobody', prompt: '去做' }), { text: '好' }] },
      { language: 'zh' },
    );
    await started.agents.run({ agent: 'lead', prompt: '开始' }).result;
    const { description } = started.server.requests[0]?.chat.tools?.[0]?.function ?? {};
    expect(description).toContain('把任务交给另一个 agent');
  });

  test('runs several calls at once', async () => {
    let arrived = 0;
    let open: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    const wait = async (): Promise<ModelAnswer> => {
      arrived += 1;
      if (arrived === 2) open();
      await both;
      return { text: 'Done.' };
    };
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'A' }, { name: 'tester', prompt: 'B' }), { text: 'Both.' }],
      reviewer: [wait],
      tester: [wait],
    });
    expect(await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result).toMatchObject({ text: 'Both.' });
  });

  test('counts the usage of nested runs to the run that called', async () => {
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'A' }), { text: 'Done.' }],
      reviewer: [delegate({ name: 'tester', prompt: 'B' }), { text: 'Yes.' }],
      tester: [{ text: 'Green.' }],
    });
    const ends: AgentEvent[] = [];
    const run = started.agents.run({ agent: 'lead', prompt: 'Go.' });
    for await (const event of run) if (event.type === 'start') ends.push(event);
    expect(ends.map(({ depth }) => depth)).toEqual([0, 1, 2]);
    const { usage } = await run.result;
    const { estimateTokens } = await import('@cairn/tool/prompt');
    const sent = started.server.requests.reduce((sum, { body }) => sum + estimateTokens(body.toString()), 0);
    expect(started.server.requests).toHaveLength(5);
    expect(usage.inputTokens).toBe(sent);
  });
});

describe('the limits of delegation', () => {
  test('an agent at depth 2 is not offered the tool, and its call of it is rejected', async () => {
    const answers = {
      lead: [delegate({ name: 'reviewer', prompt: 'A' }), { text: 'Done.' }],
      reviewer: [delegate({ name: 'tester', prompt: 'B' }), { text: 'Yes.' }],
      tester: [delegate({ name: 'spare', prompt: 'C' }), { text: 'No.' }],
    };
    const definitions = definitionsOf(...all.agents.values(), define('spare'));
    const started = await start(answers, { definitions });
    const { finishReason } = await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    expect(finishReason).toBe('stop');
    const [first, second] = requestsOf(started, 'tester');
    expect(first && toolNamesOf(first)).toEqual([]);
    expect(lastResult(second)).toContain('The agent tester may not call "agent". Nothing was done.');
  });

  test('an agent calls neither itself nor one that waits for it', async () => {
    const started = await start({
      lead: [delegate({ name: 'lead', prompt: 'A' }), delegate({ name: 'reviewer', prompt: 'A' }), { text: 'Done.' }],
      reviewer: [delegate({ name: 'lead', prompt: 'B' }, { name: 'reviewer', prompt: 'C' }), { text: 'Alone then.' }],
    });
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    expect(lastResult(requestsOf(started, 'lead')[1])).toContain('The agent lead is at work already');
    const [first, second] = requestsOf(started, 'reviewer');
    expect(first?.chat.tools?.[0]?.function.description).not.toContain('- lead');
    const results = second?.chat.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toEqual([
      expect.stringContaining('The agent lead is at work already'),
      expect.stringContaining('The agent reviewer is at work already'),
    ]);
    expect(requestsOf(started, 'lead')).toHaveLength(3);
  });

  test('an agent that is alone is not offered the tool', async () => {
    const started = await start({ lead: [{ text: 'Done.' }] }, { definitions: definitionsOf(define('lead')) });
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    expect(started.server.requests.map(toolNamesOf)).toEqual([[]]);
  });

  test('a nested run has its own limit of steps', async () => {
    const list: ModelAnswer = { toolCalls: [{ name: 'ls', input: {} }] };
    const started = await start(
      {
        lead: [delegate({ name: 'reviewer', prompt: 'A' }), { text: 'Done.' }],
        reviewer: [...Array.from({ length: 4 }, () => list), { text: 'Read.' }],
      },
      {
        definitions: definitionsOf(define('lead', { maxSteps: 2 }), define('reviewer', { maxSteps: 6 })),
        toolSets: [codingToolSet],
      },
    );
    const { text, steps } = await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    expect([text, steps, requestsOf(started, 'reviewer').length]).toEqual(['Done.', 2, 5]);
  });

  test.each([
    ['isolated', 'shared'],
    ['handback', 'fork'],
    ['selective', 'selective'],
    ['summarized', 'summarized'],
  ] as const)('a run in the mode %s starts none that sees main, such as one in %s', async (mode, asked) => {
    const started = await start(
      {
        lead: [
          delegate({ name: 'reviewer', prompt: 'A', context_mode: asked }, { name: 'tester', prompt: 'B' }),
          { text: 'Done.' },
        ],
        tester: [{ text: 'Green.' }],
      },
      {
        definitions: definitionsOf(
          define('lead', { sharePatterns: ['nothing'] }),
          define('reviewer'),
          define('tester', { contextMode: 'shared' }),
        ),
      },
    );
    await started.contexts.appendTurn('main', [{ role: 'user', content: 'CANARY of main' }], 'shared');
    await started.agents.run({ agent: 'lead', prompt: 'Go.', mode }).result;
    const results = requestsOf(started, 'lead')[1]?.chat.messages.filter(({ role }) => role === 'tool');
    expect(results?.[0]?.content).toContain('context_mode');
    expect(results?.[1]?.content).toContain('[it ran isolated instead of shared');
    expect(requestsOf(started, 'reviewer')).toEqual([]);
    expect(requestsOf(started, 'tester')[0]?.body.toString()).not.toContain('CANARY');
  });

  test('a run that sees main starts runs in every mode', async () => {
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'A', context_mode: 'fork' }), { text: 'Done.' }],
      reviewer: [{ text: 'Seen.' }],
    });
    await started.contexts.appendTurn('main', [{ role: 'user', content: 'CANARY of main' }], 'shared');
    await started.agents.run({ agent: 'lead', prompt: 'Go.', mode: 'shared' }).result;
    expect(requestsOf(started, 'reviewer')[0]?.body.toString()).toContain('CANARY');
  });
});

describe('the model of a nested run', () => {
  test.each([
    ['that of its caller', {}, {}, 'asked'],
    ['that of its definition', {}, { model: 'own' }, 'own'],
    ['the argument of the first run before the definition of that', { model: 'named' }, {}, 'asked'],
  ] as const)('is %s', async (_, ofLead, ofTester, expected) => {
    const started = await start(
      {
        lead: [delegate({ name: 'reviewer', prompt: 'A' }), { text: 'Done.' }],
        reviewer: [delegate({ name: 'tester', prompt: 'B' }), { text: 'Yes.' }],
        tester: [{ text: 'Green.' }],
      },
      { definitions: definitionsOf(define('lead', ofLead), define('reviewer'), define('tester', ofTester)) },
    );
    await started.agents.run({ agent: 'lead', prompt: 'Go.', model: 'asked' }).result;
    const models = (agent: string): (string | undefined)[] => requestsOf(started, agent).map(({ chat }) => chat.model);
    expect([models('lead'), models('reviewer'), models('tester')]).toEqual([
      ['asked', 'asked'],
      ['asked', 'asked'],
      [expected],
    ]);
  });
});

describe('the tools of a nested run', () => {
  test('are those that every run above it may call; the others are rejected and never executed', async () => {
    const root = createTree({ 'a.txt': 'hello\n' });
    const write: ModelAnswer = { toolCalls: [{ name: 'write', input: { path: 'b.txt', content: 'x' } }] };
    const started = await start(
      {
        lead: [delegate({ name: 'tester', prompt: 'Write b.txt.' }), write, { text: 'Done.' }],
        tester: [
          write,
          { toolCalls: [{ name: 'Write', input: { file_path: 'b.txt', content: 'x' } }] },
          { text: 'No.' },
        ],
      },
      {
        root,
        toolSets: [codingToolSet],
        definitions: definitionsOf(define('lead', { tools: ['Read', 'agent'] }), define('tester')),
      },
    );
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
    expect(requestsOf(started, 'tester').map(toolNamesOf)[0]).toEqual(['read']);
    expect(requestsOf(started, 'tester').slice(1).map(lastResult)).toEqual([
      expect.stringContaining('The agent tester may not call "write". Nothing was done. Use read'),
      expect.stringContaining('The agent tester may not call "Write". Nothing was done. Use read'),
    ]);
    expect(lastResult(requestsOf(started, 'lead')[2])).toContain('The agent lead may not call "write".');
  });

  test('change nothing below a read-only run', async () => {
    const root = createTree({});
    const started = await start(
      {
        lead: [delegate({ name: 'tester', prompt: 'Write b.txt.' }), { text: 'Done.' }],
        tester: [{ toolCalls: [{ name: 'write', input: { path: 'b.txt', content: 'x' } }] }, { text: 'No.' }],
      },
      { root, toolSets: [codingToolSet] },
    );
    await started.agents.run({ agent: 'lead', prompt: 'Go.', readOnly: true }).result;
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
    expect(lastResult(requestsOf(started, 'tester')[1])).toContain('in a read-only run');
  });
});

test.each([
  ['has no text', ''],
  ['is blank', '\n'],
])(
  'a nested run whose last answer %s is reported to its caller as such, with what it wrote before',
  async (_, text) => {
    const first = { text: 'Let me check.', toolCalls: [{ name: 'agent', input: { name: 'nobody', prompt: 'A' } }] };
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'A' }), { text: 'Done.' }],
      reviewer: [first, { text }],
    });
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    expect(lastResult(requestsOf(started, 'lead')[1])).toMatch(
      text === ''
        ? /^\[the agent ended without a text\]\nWhat it wrote last:\nLet me check\.\n/u
        : /^\[the agent ended without a text\]\n\n\[agent reviewer/u,
    );
  },
);

describe('a nested run that fails', () => {
  test.each([
    [
      'the model rejects',
      { status: 400, message: 'bad request' },
      /^The agent reviewer did not finish: .*bad request.*Do the work yourself/su,
    ],
    [
      'the answer is cut',
      { text: 'Half an ans', finishReason: 'length' },
      /cut the answer.*What it wrote last:\nHalf an ans/su,
    ],
  ] as const)('because %s is an error for its caller, which goes on', async (_, answer, expected) => {
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'A' }), { text: 'Then I do it.' }],
      reviewer: [answer],
    });
    const ends: AgentEvent[] = [];
    const run = started.agents.run({ agent: 'lead', prompt: 'Go.' });
    for await (const event of run) if (event.type === 'tool-end') ends.push(event);
    expect(await run.result).toMatchObject({ text: 'Then I do it.', finishReason: 'stop' });
    expect(ends).toMatchObject([{ isError: true }]);
    expect(lastResult(requestsOf(started, 'lead')[1])).toMatch(expected);
  });

  test('is aborted with its caller: both turns are stored, closed', async () => {
    const controller = new AbortController();
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'A' })],
      reviewer: [{ never: true }],
    });
    const run = started.agents.run({ agent: 'lead', prompt: 'Go.', signal: controller.signal });
    for await (const event of run)
      if (event.depth === 1 && event.type === 'step') controller.abort(new Error('enough'));
    expect((await run.result).finishReason).toBe('aborted');
    for (const name of ['lead', 'reviewer']) {
      const last = started.contexts.getContext(name).conversationHistory.at(-1);
      expect(last).toMatchObject({ providerOptions: { cairn: { ended: expect.any(String) } } });
    }
  });

  test('ends with the time limit of its caller', async () => {
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'A' })],
      reviewer: [{ never: true }],
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { result } = started.agents.run({ agent: 'lead', prompt: 'Go.', timeoutMs: 1234 });
    await started.server.arrived(2);
    vi.advanceTimersByTime(1234);
    vi.useRealTimers();
    expect((await result).finishReason).toBe('timeout');
    expect(started.contexts.getContext('reviewer').conversationHistory.at(-1)).toMatchObject({
      providerOptions: { cairn: { ended: expect.any(String) } },
    });
  });

  test('for a missing prompt, an unknown mode and an offset without a run states what to pass', async () => {
    const started = await start({
      lead: [
        delegate(
          { name: 'reviewer' },
          { name: 'reviewer', prompt: 'A', context_mode: 'open' },
          { name: 'reviewer', prompt: 'A', offset: 3 },
          { name: 'reviewer', continue: 'run_1', offset: 3 },
          { prompt: 'A' },
        ),
        { text: 'Done.' },
      ],
    });
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    const results = requestsOf(started, 'lead')[1]?.chat.messages.filter(({ role }) => role === 'tool');
    expect(results?.map(({ content }) => content)).toEqual([
      expect.stringContaining('prompt is missing'),
      expect.stringContaining('invalid parameter context_mode'),
      expect.stringContaining('offset reads an earlier answer'),
      expect.stringContaining('There is no run "run_1" of the agent reviewer in this session'),
      expect.stringContaining('missing parameter name'),
    ]);
    expect(requestsOf(started, 'reviewer')).toEqual([]);
  });

  test('because its turn cannot be stored does not claim that nothing was changed', async () => {
    const root = createTree({});
    const contexts = new ContextManager();
    const started = await start(
      {
        lead: [delegate({ name: 'reviewer', prompt: 'Write b.txt.' }), { text: 'I see.' }],
        reviewer: [{ toolCalls: [{ name: 'write', input: { path: 'b.txt', content: 'x' } }] }, { text: 'Written.' }],
      },
      { root, contexts, toolSets: [codingToolSet] },
    );
    const append = contexts.appendTurn.bind(contexts);
    contexts.appendTurn = async (name, ...rest) => {
      if (name === 'reviewer') throw new ContextError('TOO_LARGE', ['The message is too large', 'Make it smaller.']);
      return append(name, ...rest);
    };
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    expect(existsSync(join(root, 'b.txt'))).toBe(true);
    expect(lastResult(requestsOf(started, 'lead')[1])).toBe('The message is too large. Make it smaller.');
  });

  test('because its prompt is too long is an error for its caller', async () => {
    const started = await start({
      lead: [delegate({ name: 'reviewer', prompt: 'long '.repeat(50_000) }), { text: 'Shorter then.' }],
    });
    expect(await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result).toMatchObject({ text: 'Shorter then.' });
    expect(lastResult(requestsOf(started, 'lead')[1])).toMatch(/Nothing was changed\./u);
    expect(requestsOf(started, 'reviewer')).toEqual([]);
  });
});

describe('an answer', () => {
  const long = `${'a'.repeat(11_999)}😀${'b'.repeat(15_000)}END`;
  const next = (request: ModelRequest): object => {
    const json = /the rest: agent (\{.*\})\]/u.exec(lastResult(request))?.[1] ?? '{}';
    return JSON.parse(json) as object;
  };

  test('beyond the budget is read in parts, without another run', async () => {
    const parts: string[] = [];
    const note = (request: ModelRequest): void => void parts.push(lastResult(request));
    const started = await start({
      lead: [
        delegate({ name: 'reviewer', prompt: 'A' }),
        (request) => (note(request), delegate(next(request))),
        (request) => (note(request), delegate(next(request))),
        (request) => (note(request), { text: 'Done.' }),
      ],
      reviewer: [{ text: long }],
    });
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    const texts = parts.map((part) =>
      part.replace(/\n\[characters [\s\S]*$/u, '').replace(/\n\n\[agent [^\]]*\]$/u, ''),
    );
    expect(texts.join('')).toBe(long);
    expect(parts.every(({ length }) => length < 12_300)).toBe(true);
    expect(parts[0]).toContain(`[characters 1 to 11999 of ${long.length}; the rest: agent {"name":"reviewer",`);
    expect(requestsOf(started, 'reviewer')).toHaveLength(1);
  });

  test('in the main conversation is not read by a run that does not see it', async () => {
    const started = await start({
      reviewer: [{ text: 'CANARY' }],
      lead: [
        (request) => delegate({ name: 'reviewer', continue: /run_\S+/u.exec(transcriptOf(request)[0] ?? '')?.[0] }),
        { text: 'Done.' },
      ],
    });
    const { run } = await started.agents.run({ agent: 'reviewer', prompt: 'A', mode: 'shared' }).result;
    await started.agents.run({ agent: 'lead', prompt: `Read ${run}` }).result;
    expect(lastResult(requestsOf(started, 'lead')[1])).toContain(`There is no run "${run}"`);
  });

  test('is continued by its id, by the same agent in the same session only', async () => {
    const idOf = (request: ModelRequest): string => /continue "(run_[^"]+)"/u.exec(lastResult(request))?.[1] ?? '';
    const started = await start({
      lead: [
        delegate({ name: 'reviewer', prompt: 'A' }),
        (request) =>
          delegate(
            { name: 'reviewer', prompt: 'B', continue: idOf(request) },
            { name: 'tester', prompt: 'B', continue: idOf(request) },
            { name: 'tester', continue: idOf(request) },
          ),
        { text: 'Done.' },
      ],
      reviewer: [{ text: 'Another.' }, { text: 'One.' }, { text: 'Two.' }],
    });
    await started.agents.run({ agent: 'reviewer', prompt: 'Something else.' }).result;
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    const results = requestsOf(started, 'lead')
      .at(-1)
      ?.chat.messages.filter(({ role }) => role === 'tool');
    expect(results?.slice(1).map(({ content }) => content)).toEqual([
      expect.stringContaining('Two.'),
      expect.stringContaining('has no run'),
      expect.stringContaining('There is no run'),
    ]);
    expect(requestsOf(started, 'tester')).toEqual([]);
    // The continued run sees its own chain, and not the other run of the same agent.
    const continued = requestsOf(started, 'reviewer').at(-1);
    expect(continued && transcriptOf(continued)).toEqual(['user: A', 'assistant: One.', 'user: B']);
  });
});

describe('a session', () => {
  const script = (): Readonly<Record<string, readonly Answer[]>> => ({
    lead: [
      (request) =>
        delegate({ name: 'reviewer', continue: /run_\S+/u.exec(transcriptOf(request).at(-1) ?? '')?.[0], prompt: 'B' }),
      { text: 'Done.' },
    ],
    reviewer: [{ text: 'One.' }, { text: 'Two.' }],
  });

  test('that is continued in another process continues its runs; another session does not know them', async () => {
    const store = inProcess();
    const contexts = await openContexts({ store, session: 'kept' });
    const first = await start({ reviewer: [{ text: 'One.' }] }, { contexts });
    const { run } = await first.agents.run({ agent: 'reviewer', prompt: 'A' }).result;

    const again = await start(
      { ...script(), reviewer: [{ text: 'Two.' }] },
      {
        contexts: await openContexts({ store, session: 'kept' }),
      },
    );
    await again.agents.run({ agent: 'lead', prompt: `Continue ${run}` }).result;
    expect(requestsOf(again, 'reviewer').map(transcriptOf)).toEqual([['user: A', 'assistant: One.', 'user: B']]);

    const other = await start(script(), { contexts: await openContexts({ store, session: 'other' }) });
    await other.agents.run({ agent: 'lead', prompt: `Continue ${run}` }).result;
    expect(requestsOf(other, 'reviewer')).toEqual([]);
    expect(lastResult(requestsOf(other, 'lead')[1])).toContain('has no run');
  });

  test('keeps the turns of runs of one agent that work at once, whole and in sequence', async () => {
    const prompts = Array.from({ length: 20 }, (_, index) => `Task ${index}.`);
    const started = await start({
      lead: [delegate(...prompts.map((prompt) => ({ name: 'reviewer', prompt }))), { text: 'Done.' }],
      reviewer: prompts.map(() => (request: ModelRequest) => ({ text: `Did ${transcriptOf(request).at(-1)}` })),
    });
    await started.agents.run({ agent: 'lead', prompt: 'Go.' }).result;
    const texts = started.contexts.getContext('reviewer').conversationHistory.map(textOf);
    const turns = Array.from({ length: texts.length / 2 }, (_, index) => texts.slice(2 * index, 2 * index + 2));
    expect(turns.map(([, answer]) => answer)).toEqual(turns.map(([prompt]) => `Did user: ${prompt}`));
    expect(turns.map(([prompt = '']) => prompt).toSorted()).toEqual(prompts.toSorted());
  });
});

test('agentTool lets any program of the AI SDK run agents', async () => {
  const started = await start({
    '': [delegate({ name: 'tester', prompt: 'Test it.' }, { name: 'reviewer', prompt: 'A' }), { text: 'All green.' }],
    tester: [{ text: 'Green.' }],
  });
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const model = createOpenAICompatible({ name: 'scripted', baseURL: started.server.url })('scripted');
  const events: AgentEvent[] = [];
  const { text } = await generateText({
    model,
    prompt: 'Have it tested.',
    tools: { agent: agentTool(started.agents, { only: ['tester'], onEvent: (event) => events.push(event) }) },
    stopWhen: isStepCount(3),
  });
  expect(text).toBe('All green.');
  expect(events.map(({ type }) => type)).toEqual(['start', 'step', 'text', 'end']);
  const results = started.server.requests.at(-1)?.chat.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ content }) => content)).toEqual([
    expect.stringMatching(/^Green\.\n\n\[agent tester; to continue: continue "run_/u),
    expect.stringContaining('There is no agent \\"reviewer\\"'.replaceAll('\\', '')),
  ]);
  expect(() => agentTool(started.agents, { only: ['nobody'] })).toThrow('There is no agent "nobody"');
});

test('agentTool with `only` reaches no other agent, through none of those that it starts', async () => {
  const started = await start({
    lead: [
      delegate({ name: 'reviewer', prompt: 'Check.' }, { name: 'tester', prompt: 'Test.' }),
      { text: 'Lead is done.' },
    ],
    tester: [delegate({ name: 'reviewer', prompt: 'Check.' }), { text: 'Tester is done.' }],
    reviewer: [{ text: 'It was reached.' }],
  });
  const tool = agentTool(started.agents, { only: ['lead', 'tester'] });
  const result = await tool.execute({ name: 'lead', prompt: 'Go.' }, { toolCallId: 'call_1' });
  expect(result.isError).toBe(false);
  expect(requestsOf(started, 'reviewer')).toEqual([]);
  const [first, second] = requestsOf(started, 'lead');
  const offered = first?.chat.tools?.[0]?.function.description;
  expect(offered).toContain('- tester:');
  expect(offered).not.toContain('reviewer');
  const results = second?.chat.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
  expect(results).toEqual([
    expect.stringContaining('There is no agent "reviewer"'),
    expect.stringContaining('Tester is done.'),
  ]);
  // The tester could start only the lead, which waits for it.
  expect(toolNamesOf(requestsOf(started, 'tester')[0] as ModelRequest)).toEqual([]);
});
