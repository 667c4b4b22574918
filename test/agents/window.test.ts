/** Long runs stay within the window of their model, at a bounded cost. */
import type { AgentEvent, AgentResult, AgentRun, AgentsOptions } from '@cairn/agents';
import { codingToolSet } from '@cairn/coding-agent';
import { ContextManager } from '@cairn/context';
import { createTool, succeed, type ToolDefinition } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createAgents } from '@cairn/agents';
import { startModelServer, systemPromptOf, transcriptOf } from '../support/model-server.ts';
import type { ModelAnswer, ModelRequest, ModelServer } from '../support/model-server.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { helper, startAgents } from './start-agents.ts';
import { makeToolSet } from './tools-for-tests.ts';

/** A page of `characters`, of words that differ from page to page. */
function pageOf(number: number, characters: number): string {
  return `page ${number} `.repeat(Math.ceil(characters / 7)).slice(0, characters);
}

function pageTool(characters: number): ToolDefinition {
  return createTool<{ page: number }, object>({
    name: 'page',
    description: 'Returns a page.',
    inputSchema: z.strictObject({ page: z.number() }),
    annotations: {
      title: 'page',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    run: async ({ page }) => succeed(pageOf(page, characters), {}),
  }) as ToolDefinition;
}

const readPage = (page: number): ModelAnswer => ({ toolCalls: [{ name: 'page', input: { page } }] });
const tooLong = (request: ModelRequest, limit: number): ModelAnswer | undefined => {
  const tokens = estimateTokens(request.body.toString());
  if (tokens <= limit) return undefined;
  const message = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`;
  return { status: 400, message, code: 'context_length_exceeded' };
};

interface LongRun {
  readonly steps: number;
  readonly characters: number;
  /** The server rejects requests with more. */
  readonly limit: number;
  readonly refusal?: (request: ModelRequest) => ModelAnswer | undefined;
  readonly options?: Partial<AgentsOptions>;
  readonly windowTokens?: number;
}

interface Ended {
  readonly result: AgentResult;
  readonly server: ModelServer;
  readonly events: readonly AgentEvent[];
}

async function eventsOf(run: AgentRun): Promise<AgentEvent[]> {
  return Array.fromAsync(run);
}

/** Lets a model read one page a step, and then answer. */
async function runLong({ steps, characters, limit, refusal, options, windowTokens }: LongRun): Promise<Ended> {
  let page = 0;
  const { server, agents } = await startAgents(
    (request) => {
      const refused = refusal === undefined ? tooLong(request, limit) : refusal(request);
      if (refused !== undefined) return refused;
      page += 1;
      return page <= steps ? readPage(page) : { text: 'All pages are read.' };
    },
    { toolSets: [makeToolSet(pageTool(characters))], ...options },
  );
  const agent = { ...helper, ...(windowTokens !== undefined && { windowTokens }) };
  const run = agents.run({
    agent,
    prompt: 'Read all pages. Never forget: the code word is heron.',
    maxSteps: steps + 5,
  });
  const events = await eventsOf(run);
  return { result: await run.result, server, events };
}

/** Returns the tokens of requests that no earlier request begins with, message by message, after their system prompts and tools. */
function uncachedTokens(requests: readonly ModelRequest[]): number {
  const seen = new Set<string>();
  let tokens = 0;
  for (const { chat } of requests) {
    let prefix = '';
    for (const message of [chat.tools, ...chat.messages]) {
      const text = JSON.stringify(message);
      prefix = createHash('sha256')
        .update(prefix + text)
        .digest('hex');
      if (!seen.has(prefix)) tokens += estimateTokens(text);
      seen.add(prefix);
    }
  }
  return tokens;
}

test('300 steps of 4 KB against a limit of 128,000 tokens end with an answer, and read at most 2.5 times the new tokens', async () => {
  const { result, server, events } = await runLong({ steps: 300, characters: 4096, limit: 128_000 });
  expect(result).toMatchObject({ finishReason: 'stop', text: 'All pages are read.', steps: 301 });
  expect(server.refusals).toEqual([]);
  const fresh =
    estimateTokens(JSON.stringify(result.messages)) + estimateTokens(JSON.stringify(server.requests[0]?.chat));
  expect(uncachedTokens(server.requests) / fresh).toBeLessThanOrEqual(2.5);
  // The history has every page whole.
  const stored = JSON.stringify(result.messages);
  for (const page of [1, 150, 300]) expect(stored).toContain(pageOf(page, 4096));
  // Each batch is announced, and the newest four pages are whole in each request.
  const folds = events.filter((event) => event.type === 'notice');
  expect(folds.length).toBeGreaterThan(3);
  expect(folds.length).toBeLessThan(12);
  expect(folds[0]).toMatchObject({
    text: expect.stringMatching(
      /^Folded to fit into the window of the model \(about 128000 tokens\): \d+ older results are one line each\. The history keeps all of it\.$/u,
    ),
  });
  expect(result.notices).toEqual(folds.map(({ text }) => text));
  for (const request of server.requests) {
    const lines = transcriptOf(request);
    expect(lines[0]).toBe('user: Read all pages. Never forget: the code word is heron.');
    const results = lines.filter((line) => line.startsWith('tool ')).slice(-4);
    expect(results.every((line) => line.length > 4096)).toBe(true);
  }
  expect(transcriptOf(server.requests.at(-1) as ModelRequest).filter((line) => line.startsWith('tool '))[0]).toMatch(
    /^tool call_1_1: \[result of page removed; call it again\]$/u,
  );
}, 120_000);

describe('a request that the server rejects as too long', () => {
  test('is folded, sent once more, and the limit holds for the rest of the run', async () => {
    const { result, server, events } = await runLong({ steps: 40, characters: 4000, limit: 20_000 });
    expect(result).toMatchObject({ finishReason: 'stop', text: 'All pages are read.' });
    expect(server.refusals).toHaveLength(1);
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(notices[0]).toMatch(
      /^The model server rejected the request as too long\. It is folded for a window of about \d+ tokens and sent once more\.$/u,
    );
    expect(notices[1]).toContain('older results are one line each');
  });

  test.each<[what: string, refusal: ModelAnswer]>([
    ['without a number', { status: 400, message: 'Input is too long for requested model.' }],
    ['with the status of a failure', { status: 500, message: 'the request exceeds the available context size' }],
    ['as a request of too many bytes', { status: 413, body: '<html>', contentType: 'text/html' }],
    [
      'within the stream',
      {
        text: '',
        cut: { afterEvents: 0, by: { message: 'context_length_exceeded: too long', code: 'context_length_exceeded' } },
      },
    ],
  ])('%s is folded, too', async (_, refusal) => {
    const { result } = await runLong({
      steps: 20,
      characters: 4000,
      limit: 0,
      refusal: ({ body }) => (estimateTokens(body.toString()) > 15_000 ? refusal : undefined),
    });
    expect(result).toMatchObject({ finishReason: 'stop', text: 'All pages are read.' });
  });

  test('twice fails the run, with what it did kept', async () => {
    const { result, server } = await runLong({
      steps: 20,
      characters: 4000,
      limit: 0,
      refusal: ({ number }) => (number > 12 ? { status: 400, message: 'prompt is too long' } : undefined),
    });
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'MODEL_REFUSED' } });
    expect(server.requests).toHaveLength(14);
    expect(result.messages.length).toBeGreaterThan(20);
  });

  test('and cannot be made shorter is not sent again', async () => {
    const { server, agents } = await startAgents(() => ({ status: 400, message: 'prompt is too long' }));
    const result = await agents.run({ agent: helper, prompt: 'Hi' }).result;
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'MODEL_REFUSED' } });
    expect(server.requests).toHaveLength(1);
  });
});

test('a limit is remembered for the model in the file, and not for another one', async () => {
  const windowsFile = join(temporaryDirectory(), 'windows.json');
  const contexts = new ContextManager();
  const { server } = await runLong({ steps: 40, characters: 4000, limit: 20_000, options: { windowsFile, contexts } });
  expect(server.refusals).toHaveLength(1);
  const { models } = JSON.parse(readFileSync(windowsFile, 'utf8')) as { models: Record<string, { learned: number }> };
  expect(Object.keys(models)).toEqual([`${server.url} scripted`]);
  expect(Object.values(models)[0]?.learned).toBeLessThanOrEqual(20_000);
  // As another process prepares its first request.
  const preparedTokens = async (model: string, file?: string): Promise<number> => {
    const tools = { toolSets: [makeToolSet(pageTool(4000))], windowsFile: file };
    const agents = createAgents({ model, baseUrl: server.url, root: createTree({}), contexts, ...tools });
    onTestFinished(() => agents.close());
    return (await agents.prepare({ agent: helper, prompt: 'Go on.' })).tokens.messages;
  };
  expect(await preparedTokens('scripted', windowsFile)).toBeLessThanOrEqual(10_000);
  expect(await preparedTokens('scripted')).toBeGreaterThan(10_000);
  expect(await preparedTokens('other', windowsFile)).toBeGreaterThan(10_000);
});

test('a definition states the window, so that no request is rejected', async () => {
  const { result, server } = await runLong({ steps: 40, characters: 4000, limit: 20_000, windowTokens: 20_000 });
  expect(result.finishReason).toBe('stop');
  expect(server.refusals).toEqual([]);
});

test("the server's list of models states the window, so that no request is rejected", async () => {
  let page = 0;
  const server = await startModelServer(
    (request) => {
      page += 1;
      return tooLong(request, 20_000) ?? (page <= 40 ? readPage(page) : { text: 'Read.' });
    },
    { models: ['scripted'], modelFields: { max_model_len: 20_000 } },
  );
  const agents = createAgents({
    model: 'scripted',
    baseUrl: server.url,
    root: createTree({}),
    contexts: new ContextManager(),
    toolSets: [makeToolSet(pageTool(4000))],
  });
  onTestFinished(async () => {
    await agents.close();
    await server.close();
  });
  const result = await agents.run({ agent: helper, prompt: 'Read.' }).result;
  expect(result).toMatchObject({ finishReason: 'stop', text: 'Read.' });
  expect(server.refusals).toEqual([]);
});

describe('the next run after a turn that is larger than the budget', () => {
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, id) => [`f${id}.ts`, `${id} ${'x'.repeat(900)}\n`]));
  const reads = Array.from({ length: 12 }, (_, id) => ({
    toolCalls: [{ name: 'read', input: { path: `f${id}.ts` } }],
  }));
  const calls: readonly ModelAnswer[] = [
    { toolCalls: [{ name: 'write', input: { path: 'new.ts', content: '1\n' } }] },
    { toolCalls: [{ name: 'rename', input: { from: 'new.ts', to: 'newer.ts' } }] },
    { toolCalls: [{ name: 'delete', input: { path: 'missing.ts' } }] },
    ...reads,
    { text: 'The files are read.' },
  ];

  test('shows its newest steps whole, and before them a list of what changed and what was called', async () => {
    const { server, agents } = await startAgents([...calls, { text: 'On.' }], {
      root: createTree(files),
      toolSets: [codingToolSet],
      maxContextTokens: 2500,
    });
    const first = await agents.run({ agent: helper, prompt: 'Read them all.' }).result;
    expect(first.finishReason).toBe('stop');
    const prepared = await agents.prepare({ agent: helper, prompt: 'Go on.' });
    await agents.run({ agent: helper, prompt: 'Go on.' }).result;
    const request = server.requests.at(-1) as ModelRequest;
    const lines = transcriptOf(request);
    expect(lines[0]).toBe('user: Read them all.');
    expect(lines[1]).toMatch(/^user: \(\d+ earlier steps are not shown\./u);
    expect(lines[1]).toMatch(/\nCalls by tool: write 1, rename 1, delete 1, read \d+\n/u);
    expect(lines.at(-1)).toMatch(/^user: Go on\./u);
    expect(lines.at(-2)).toBe('assistant: The files are read.');
    expect(lines.at(-3)).toContain('x'.repeat(900));
    expect(systemPromptOf(request)).toContain('the older tool calls are not shown');
    // `agents context` shows the same.
    const shown = prepared.messages.map(({ content }) => JSON.stringify(content));
    expect(shown[1]).toContain(JSON.stringify(lines[1]?.slice('user: '.length)).slice(1, -1));
    expect(shown).toHaveLength(lines.length);
  });

  test('lists the changes that are not shown any more, and not those that failed', async () => {
    const { server, agents } = await startAgents([...calls, { text: 'On.' }], {
      root: createTree(files),
      toolSets: [codingToolSet],
      maxContextTokens: 1200,
    });
    await agents.run({ agent: helper, prompt: 'Read them all.' }).result;
    await agents.run({ agent: helper, prompt: 'Go on.' }).result;
    const list = transcriptOf(server.requests.at(-1) as ModelRequest)[1];
    expect(list).toContain('\nFiles changed: new.ts, newer.ts\n');
    expect(list).toContain('\nCalls that failed or have an unknown outcome: delete missing.ts\n');
    expect(list).toMatch(/\nCalls by tool: write 1, rename 1, delete 1, read 11\n/u);
  });
});

test('what is prepared for a small window is what is sent, byte for byte', async () => {
  const agent = { ...helper, windowTokens: 8000 };
  const pages = Array.from({ length: 10 }, (_, page) => readPage(page));
  const { server, agents } = await startAgents([...pages, { text: 'Read.' }, { text: 'On.' }], {
    toolSets: [makeToolSet(pageTool(2000))],
    maxContextTokens: 30_000,
  });
  await agents.run({ agent: { ...helper, windowTokens: 100_000 }, prompt: 'Read.' }).result;
  const prepared = await agents.prepare({ agent, prompt: 'Go on.' });
  const { notices } = await agents.run({ agent, prompt: 'Go on.' }).result;
  const sent = transcriptOf(server.requests.at(-1) as ModelRequest);
  const resultsOf = (texts: readonly string[]): number => texts.filter((text) => text.includes('page 3 page 3')).length;
  expect(prepared.messages).toHaveLength(sent.length);
  expect(resultsOf(prepared.messages.map((message) => JSON.stringify(message)))).toBe(resultsOf(sent));
  expect(prepared.tokens.total).toBeLessThanOrEqual(8000);
  expect(notices).toEqual(prepared.notices);
});
