import { AgentError, checkModel, resolveModel } from '@cairn/agents';
import type { GuardOptions, ModelRetry } from '@cairn/agents';
import { generateText, streamText, tool } from 'ai';
import type { LanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { busy, SlowText, startModelServer } from '../support/model-server.ts';
import type { ModelAnswer, ModelScript, ModelServer } from '../support/model-server.ts';

async function start(script: ModelScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  return server;
}

/** What a caller sees of one answer. */
interface Seen {
  readonly text: string;
  readonly error?: unknown;
  readonly isAborted: boolean;
  /** The inputs that the tool ran with. */
  readonly ran: readonly unknown[];
  readonly retries: readonly ModelRetry[];
}

interface AskOptions extends GuardOptions {
  readonly signal?: AbortSignal;
  readonly onText?: (text: string) => void;
}

async function ask(served: ModelServer | LanguageModel, options: AskOptions = {}): Promise<Seen> {
  const { signal, onText, onRetry, ...limits } = options;
  const retries: ModelRetry[] = [];
  const ran: unknown[] = [];
  const resolved =
    typeof served === 'object' && 'requests' in served
      ? resolveModel({ model: 'scripted-1', baseUrl: served.url })
      : resolveModel({ model: served });
  const model = resolved.guard({
    retryDelayMs: 1,
    onRetry: (retry) => {
      retries.push(retry);
      onRetry?.(retry);
    },
    ...limits,
  });
  const inputSchema = z.object({ path: z.string() });
  const tools = { read: tool({ inputSchema, execute: (input) => ran.push(input) }) };
  const seen: { text: string; error?: unknown; isAborted: boolean } = { text: '', isAborted: false };
  const answer = streamText({
    model,
    tools,
    prompt: 'Hi',
    onError: () => undefined,
    ...(signal && { abortSignal: signal }),
  });
  for await (const part of answer.stream) {
    if (part.type === 'text-delta') {
      seen.text += part.text;
      onText?.(part.text);
    } else if (part.type === 'error') seen.error = part.error;
    else if (part.type === 'abort') seen.isAborted = true;
  }
  return { ...seen, ran, retries };
}

function agentErrorOf({ error }: Pick<Seen, 'error'>): AgentError {
  if (AgentError.isInstance(error)) return error;
  throw new Error('the answer has no AgentError', { cause: error });
}

/** Accepts messages from no one for as long as it is waited for. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

const read = { toolCalls: [{ name: 'read', input: { path: 'a.ts' } }] };

describe('a request is repeated', () => {
  test.each<[string, ModelAnswer]>([
    ['after 429', busy()],
    ['after 408', { status: 408, message: 'timeout' }],
    ['after 500', { status: 500, message: 'internal error' }],
    ['after 529', { status: 529, message: 'overloaded' }],
    ['after a connection that broke before the answer', { closed: true }],
    ['after a connection that broke before the first text', { text: 'lost', cut: { afterEvents: 1, by: 'close' } }],
    ['after an answer that ended before the first text', { text: 'lost', cut: { afterEvents: 1, by: 'end' } }],
    ['after a tool call that was cut in the middle', { ...read, cut: { afterEvents: 2, by: 'close' } }],
    ['after a complete tool call whose answer was cut', { ...read, cut: { afterEvents: 3, by: 'close' } }],
    ['after a complete tool call whose answer ended without its end', { ...read, cut: { afterEvents: 3, by: 'end' } }],
    [
      'after an error in the stream with a code that stands for 503',
      { text: 'lost', cut: { afterEvents: 1, by: { message: 'busy', type: 'overloaded_error' } } },
    ],
    [
      'after an error in the stream with a status as its code',
      { text: 'lost', cut: { afterEvents: 1, by: { message: 'busy', code: 502 } } },
    ],
  ])('%s, byte for byte', async (_, failure) => {
    const server = await start([failure, failure, { text: 'It works.', ...read }]);
    const { text, error, ran, retries } = await ask(server);
    expect(error).toBeUndefined();
    expect(text).toBe('It works.');
    expect(ran).toEqual([{ path: 'a.ts' }]);
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(new Set(server.requests.map(({ body }) => body.toString())).size).toBe(1);
  });

  test('three times at most, and the error states it', async () => {
    const server = await start(() => ({ status: 503, message: 'overloaded' }));
    const seen = await ask(server);
    expect(server.requests).toHaveLength(4);
    expect(seen.retries).toHaveLength(3);
    expect(agentErrorOf(seen).code).toBe('MODEL_FAILED');
    expect(agentErrorOf(seen).summary).toMatch(/failed \(503\): overloaded \(after 3 retries\)$/u);
  });

  test('for two minutes while the server is busy and does not say when to return', async () => {
    const server = await start(() => busy());
    const waited: number[] = [];
    const wait = async (delayMs: number): Promise<void> => void waited.push(delayMs);
    const seen = await ask(server, { wait, retryDelayMs: 1000 });
    expect(waited.reduce((sum, delayMs) => sum + delayMs, 0)).toBe(120_000);
    expect(Math.max(...waited)).toBeLessThanOrEqual(30_000);
    expect(server.requests).toHaveLength(waited.length + 1);
    expect(agentErrorOf(seen).code).toBe('MODEL_BUSY');
    expect(agentErrorOf(seen).summary).toContain(`(after ${waited.length} retries)`);
  });

  test('while the server is busy, until it answers', async () => {
    const server = await start(({ number }) => (number < 7 ? busy() : { text: 'Hello' }));
    const seen = await ask(server, { wait: async () => undefined, retryDelayMs: 1000 });
    expect([seen.text, seen.retries.length]).toEqual(['Hello', 6]);
  });

  test('never with maxRetries: 0', async () => {
    const server = await start(() => busy());
    const seen = await ask(server, { maxRetries: 0 });
    expect([server.requests.length, agentErrorOf(seen).summary]).toEqual([1, expect.not.stringContaining('retries')]);
  });

  test('by a caller that streams nothing, too', async () => {
    const server = await start([busy(), { text: 'Hello' }]);
    const model = resolveModel({ model: 'a', baseUrl: server.url }).guard({ retryDelayMs: 1 });
    expect((await generateText({ model, prompt: 'x' })).text).toBe('Hello');
  });

  test('with delays that double', async () => {
    const server = await start(() => ({ status: 500, message: 'no' }));
    const { retries } = await ask(server, { retryDelayMs: 8 });
    for (const [index, { delayMs }] of retries.entries()) {
      expect(delayMs).toBeGreaterThanOrEqual(6 * 2 ** index);
      expect(delayMs).toBeLessThanOrEqual(10 * 2 ** index);
    }
  });
});

describe('a request is not repeated', () => {
  test.each<[string, ModelAnswer, string, string]>([
    [
      'after a text that was cut',
      { text: ['It ', 'works'], cut: { afterEvents: 2, by: 'close' } },
      'It ',
      'MODEL_FAILED',
    ],
    [
      'after a text without its end',
      { text: ['It ', 'works'], cut: { afterEvents: 3, by: 'end' } },
      'It works',
      'MODEL_FAILED',
    ],
    [
      'after a text and a tool call that was cut',
      { text: ['I read.'], ...read, cut: { afterEvents: 4, by: 'close' } },
      'I read.',
      'MODEL_FAILED',
    ],
    [
      'after a text and an error in the stream',
      { text: ['It '], cut: { afterEvents: 2, by: { message: 'busy', code: 503 } } },
      'It ',
      'MODEL_FAILED',
    ],
    ['after 400', { status: 400, message: 'no' }, '', 'MODEL_REFUSED'],
    ['after 401', { status: 401, message: 'no' }, '', 'MODEL_DENIED'],
    ['after 404', { status: 404, message: 'no' }, '', 'MODEL_REFUSED'],
    ['after an account without credit', { ...busy(), code: 'insufficient_quota' }, '', 'MODEL_REFUSED'],
    ['after an answer that is not a stream', { body: '<html>Sign in</html>' }, '', 'MODEL_FAILED'],
    ['after JSON instead of a stream', { body: '{"choices":[]}', contentType: 'application/json' }, '', 'MODEL_FAILED'],
    [
      'after events that are not JSON',
      { body: 'data: {"cho\n\n', contentType: 'text/event-stream' },
      '',
      'MODEL_FAILED',
    ],
    [
      'after events of another API',
      { body: 'data: {"a":1}\n\n', contentType: 'text/event-stream' },
      '',
      'MODEL_FAILED',
    ],
  ])('%s', async (_, answer, text, code) => {
    const server = await start([answer, { text: 'twice', ...read }]);
    const seen = await ask(server);
    expect([seen.text, agentErrorOf(seen).code, seen.ran]).toEqual([text, code, []]);
    expect(server.requests).toHaveLength(1);
  });

  test('after an event that is not JSON in the middle, and what follows it is not shown', async () => {
    const event = (content: string): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
    const body = `${event('2 + 2 is not ')}data: {"cho\n\n${event('4')}data: [DONE]\n\n`;
    const server = await start([{ body, contentType: 'text/event-stream' }]);
    const seen = await ask(server);
    expect([seen.text, agentErrorOf(seen).code]).toEqual(['2 + 2 is not ', 'MODEL_FAILED']);
  });

  test('after a reasoning that was shown', async () => {
    const server = await start([
      { reasoning: 'Hm.', text: 'It works', cut: { afterEvents: 2, by: 'close' } },
      { text: 'twice' },
    ]);
    expect(agentErrorOf(await ask(server)).code).toBe('MODEL_FAILED');
    expect(server.requests).toHaveLength(1);
  });
});

const event = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...more })}\n\n`;
const textEvent = (content: string): string => event({ delta: { content } });
const done = 'data: [DONE]\n\n';
const usage = { prompt_tokens: 3, completion_tokens: 2 };
const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } };
const whole = (message: object, more: object = {}): ModelAnswer => ({
  body: JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], ...more }),
  contentType: 'application/json',
});
const events = (body: string, isOpen = false): ModelAnswer => ({ body, contentType: 'text/event-stream', isOpen });

describe('an answer is complete', () => {
  test.each<[string, ModelAnswer, string, readonly unknown[]]>([
    ['with [DONE] and without a reason for its end', events(textEvent('Hello') + done), 'Hello', []],
    [
      'with [DONE] and an empty reason',
      events(event({ delta: { content: 'Hello' }, finish_reason: '' }) + done),
      'Hello',
      [],
    ],
    [
      'with [DONE] after a call without a reason for its end',
      events(event({ delta: { tool_calls: [{ index: 0, ...call }] } }) + done),
      '',
      [{ path: 'a.ts' }],
    ],
    ['with [DONE], though the connection stays open', events(textEvent('Hello') + done, true), 'Hello', []],
    ['with [DONE] without a line feed', events(textEvent('Hello') + done.trim()), 'Hello', []],
    [
      'with a reason and without [DONE]',
      events(event({ delta: { content: 'Hello' }, finish_reason: 'stop' })),
      'Hello',
      [],
    ],
    ['with CRLF', events((textEvent('Hello') + done).replaceAll('\n', '\r\n')), 'Hello', []],
    ...[-1, 'many', { prompt_tokens: '3', completion_tokens: null }, { prompt_tokens: -4, total_tokens: {} }, []].map(
      (odd): [string, ModelAnswer, string, readonly unknown[]] => [
        `with the usage ${JSON.stringify(odd)}`,
        events(textEvent('Hello') + event({ delta: {}, finish_reason: 'stop' }, { usage: odd }) + done),
        'Hello',
        [],
      ],
    ),
    [
      'with a usage without a list of choices',
      events(`${textEvent('Hello')}data: ${JSON.stringify({ usage })}\n\n${done}`),
      'Hello',
      [],
    ],
    ['as JSON instead of a stream', whole({ role: 'assistant', content: 'Hello' }, { usage }), 'Hello', []],
    ['as JSON with a call', whole({ role: 'assistant', content: null, tool_calls: [call] }), '', [{ path: 'a.ts' }]],
    [
      'as JSON with arguments that are an object',
      whole({ content: '', tool_calls: [{ ...call, function: { name: 'read', arguments: { path: 'a.ts' } } }] }),
      '',
      [{ path: 'a.ts' }],
    ],
    [
      'as JSON with the content type of a stream',
      { ...whole({ content: 'Hello' }), contentType: 'text/event-stream' },
      'Hello',
      [],
    ],
    [
      'as a stream with the content type of JSON',
      { ...events(textEvent('Hello') + done), contentType: 'application/json' },
      'Hello',
      [],
    ],
  ])('%s', async (_, answer, text, ran) => {
    const server = await start([answer]);
    const seen = await ask(server);
    expect(seen.error).toBeUndefined();
    expect([seen.text, seen.ran]).toEqual([text, ran]);
  });

  test('without [DONE] and without a reason only after another request', async () => {
    const empty = events(event({ delta: { role: 'assistant' }, finish_reason: '' }));
    const server = await start([events(event({ delta: { role: 'assistant' } })), empty, { text: 'Hello' }]);
    expect((await ask(server)).text).toBe('Hello');
  });

  test.each<[string, unknown, number | undefined, number | undefined]>([
    ['as it is', usage, 3, 2],
    ['as text', { prompt_tokens: '3', completion_tokens: '2' }, 3, 2],
    ['with one that is missing', { prompt_tokens: 3 }, 3, undefined],
    ['with one that is negative', { prompt_tokens: 3, completion_tokens: -2 }, 3, undefined],
    ['that is text', 'many', undefined, undefined],
  ])('and its usage is known where it is readable: %s', async (_, odd, input, output) => {
    const streamed = events(textEvent('Hello') + event({ delta: {}, finish_reason: 'stop' }, { usage: odd }) + done);
    const server = await start([streamed, whole({ content: 'Hello' }, { usage: odd })]);
    const { model } = resolveModel({ model: 'a', baseUrl: server.url });
    const one = await streamText({ model, prompt: 'x' }).totalUsage;
    const { totalUsage: other } = await generateText({ model, prompt: 'x' });
    expect([one, other].map((found) => [found.inputTokens, found.outputTokens])).toEqual([
      [input, output],
      [input, output],
    ]);
  });
});

describe('an answer that is not read while it arrives', () => {
  const isFollowed = (): boolean => false;

  test.each<[string, ModelAnswer]>([
    ['in the middle of its text', { text: ['It ', 'works'], cut: { afterEvents: 2, by: 'close' } }],
    ['before its end', { text: ['It ', 'works'], cut: { afterEvents: 3, by: 'end' } }],
    ['after its reasoning', { reasoning: 'Hm.', text: 'It works', cut: { afterEvents: 2, by: 'close' } }],
    ['after a text and in a call', { text: ['I read.'], ...read, cut: { afterEvents: 4, by: 'close' } }],
  ])('is asked for again when it is cut %s', async (_, cut) => {
    const server = await start([cut, { text: 'It works.', ...read }]);
    const seen = await ask(server, { isFollowed });
    expect([seen.text, seen.error, seen.retries.length]).toEqual(['It works.', undefined, 1]);
    expect(seen.ran).toEqual([{ path: 'a.ts' }]);
  });

  test('has its text in one piece', async () => {
    const server = await start([{ text: ['It ', 'works', '.'] }]);
    const pieces: string[] = [];
    await ask(server, { isFollowed, onText: (text) => pieces.push(text) });
    expect(pieces).toEqual(['It works.']);
  });
});

describe('thoughts in the text of an answer', () => {
  const text = ['<thi', 'nk>\nHm', '.\n</think', '>\n\nHel', 'lo\n```\n<think>code</think>\n```'];

  test('are reasoning, streamed or not', async () => {
    const server = await start([{ text }, { text }, { text }]);
    const { model } = resolveModel({ model: 'a', baseUrl: server.url });
    const streamed = streamText({ model, prompt: 'x' });
    const expected = ['Hello\n```\n<think>code</think>\n```', '\nHm.\n'];
    expect([await streamed.text, await streamed.reasoningText]).toEqual(expected);
    const { text: answer, reasoningText } = await generateText({ model, prompt: 'x' });
    expect([answer, reasoningText]).toEqual(expected);
    expect((await ask(server, { isFollowed: () => false })).text).toBe(expected[0]);
  });

  test('that have no end leave no text, and the calls after them count', async () => {
    const server = await start([{ text: '<think>\nI read.', ...read }]);
    const seen = await ask(server);
    expect([seen.text, seen.ran, seen.error]).toEqual(['', [{ path: 'a.ts' }], undefined]);
  });
});

describe('an answer larger than 8 MiB', () => {
  const MIB = 1024 * 1024;

  test.each<[string, (piece: string) => string]>([
    ['of text', (piece) => textEvent(piece)],
    ['of reasoning', (piece) => event({ delta: { reasoning_content: piece } })],
    [
      'of arguments',
      (piece) =>
        event({ delta: { tool_calls: [{ ...call, index: 0, function: { name: 'read', arguments: piece } }] } }),
    ],
    ['in one event without an end', (piece) => `data: ${piece}`.slice(6)],
  ])('%s is ended, however much more the server sends', async (_, eventOf) => {
    const piece = eventOf('x'.repeat(MIB / 4));
    let sent = 0;
    const limit = 80 * MIB;
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (): void => {
        while (sent < limit && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const seen = await ask(resolveModel({ model: 'a', baseUrl }).model, { maxRetries: 3 });
    expect(agentErrorOf(seen).code).toBe('TOO_LARGE');
    expect(seen.ran).toEqual([]);
    expect(seen.text.length).toBeLessThanOrEqual(8 * MIB);
    // Once, and not to its end.
    expect(sent).toBeLessThan(limit);
  });

  test('is an error that names the limit, and what came before it stays', async () => {
    const server = await start([{ text: ['Hello', 'x'.repeat(8 * MIB)] }]);
    const seen = await ask(server);
    expect(agentErrorOf(seen).message).toMatch(/answered with more than 8 MiB of text\. Ask for less at once/u);
    expect([seen.text, server.requests.length]).toEqual(['Hello', 1]);
  });

  test('is an error when it is not streamed, too', async () => {
    const server = await start([{ text: 'x'.repeat(8 * MIB + 1) }]);
    const { model } = resolveModel({ model: 'a', baseUrl: server.url });
    await expect(generateText({ model, prompt: 'x' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('ends an event of many lines, too', async () => {
    const line = `data: ${'x'.repeat(MIB)}\n`;
    const server = await start([{ body: line.repeat(60), contentType: 'text/event-stream' }]);
    const seen = await ask(server);
    expect(agentErrorOf(seen).code).toBe('TOO_LARGE');
    expect(agentErrorOf(seen).message).toMatch(/sent more than 48 MiB at once/u);
  });

  test('and one of exactly that size is complete', async () => {
    const server = await start([{ text: ['x'.repeat(8 * MIB)] }]);
    const seen = await ask(server);
    expect([seen.text.length, seen.error]).toEqual([8 * MIB, undefined]);
  });
});

describe('a redirect', () => {
  /** Starts a server that redirects, and counts what another one gets. */
  async function redirectTo(
    status: number,
    locationOf: (urls: { readonly model: string; readonly other: string }) => string,
  ): Promise<{ readonly baseUrl: string; readonly others: string[]; readonly model: ModelServer }> {
    const model = await start([{ text: 'Hello' }]);
    const others: string[] = [];
    const other = createServer((request, response) => {
      others.push(`${request.method} ${request.headers.authorization}`);
      response.end();
    }).listen(0, '127.0.0.1');
    const front = createServer((request, response) => {
      const { port } = other.address() as AddressInfo;
      const urls = { model: model.url, other: `http://127.0.0.1:${port}` };
      if (request.url?.startsWith('/moved') === true) {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () =>
          response.end(
            JSON.stringify({
              choices: [{ message: { content: Buffer.concat(chunks).includes('"Hi"') ? 'Moved' : 'no body' } }],
            }),
          ),
        );
        return;
      }
      response.writeHead(status, { location: locationOf(urls) }).end();
    }).listen(0, '127.0.0.1');
    await Promise.all([other, front].map(async (one) => one.listening || once(one, 'listening')));
    onTestFinished(() => {
      other.close();
      front.close();
    });
    const { port } = front.address() as AddressInfo;
    return { baseUrl: `http://127.0.0.1:${port}/v1`, others, model };
  }

  test.each([301, 302, 307, 308])('to another origin (%i) fails, and nothing is sent there', async (status) => {
    const { baseUrl, others } = await redirectTo(status, ({ other }) => `${other}/v1/chat/completions`);
    const seen = await ask(resolveModel({ model: 'a', baseUrl, apiKey: 'key-12345678' }).model);
    expect(agentErrorOf(seen).code).toBe('MODEL_UNAVAILABLE');
    expect(agentErrorOf(seen).message).toMatch(
      /redirects to http:\/\/127\.0\.0\.1:\d+, and nothing was sent there\. Set CAIRN_BASE_URL/u,
    );
    await expect(checkModel({ model: 'a', baseUrl, apiKey: 'key-12345678' })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
    expect(others).toEqual([]);
  });

  test.each([301, 307])('within the origin (%i) is followed with the prompt', async (status) => {
    const { baseUrl } = await redirectTo(status, () => '/moved');
    expect((await ask(resolveModel({ model: 'a', baseUrl }).model)).text).toBe('Moved');
  });

  test('that leads nowhere fails', async () => {
    const { baseUrl } = await redirectTo(307, () => '/v1/again');
    expect(agentErrorOf(await ask(resolveModel({ model: 'a', baseUrl }).model)).summary).toContain('more than 5 times');
  });
});

describe('retry-after', () => {
  test('in seconds is waited for', async () => {
    const server = await start([busy(0.02), { text: 'Hello' }]);
    const { text, retries } = await ask(server, { retryDelayMs: 60_000 });
    expect(text).toBe('Hello');
    expect(retries).toEqual([
      { delayMs: 20, attempt: 1, reason: expect.stringContaining('asks to wait 1 s') as string },
    ]);
  });

  test('as a date is waited for', async () => {
    // Dates have whole seconds.
    const server = await start([busy(new Date(Date.now() + 30_000)), { text: 'Hello' }]);
    const { text, retries } = await ask(server, { wait: async () => undefined, retryDelayMs: 1 });
    expect(text).toBe('Hello');
    expect(retries).toMatchObject([{ reason: expect.stringMatching(/asks to wait (?:2\d|30) s/u) as string }]);
  });

  test.each([
    ['of 0', { 'retry-after': '0' }],
    ['of 0 ms', { 'retry-after-ms': '0' }],
    ['that has passed', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }],
  ])('%s does not say when to return', async (_, headers) => {
    const server = await start(() => ({ ...busy(), headers }));
    const waited: number[] = [];
    const wait = async (delayMs: number): Promise<void> => void waited.push(delayMs);
    const seen = await ask(server, { wait, retryDelayMs: 1000 });
    expect(waited.reduce((sum, delayMs) => sum + delayMs, 0)).toBe(120_000);
    expect(agentErrorOf(seen).summary).not.toContain('asks to wait');
  });

  test.each([
    ['in seconds', busy(3600)],
    ['as a date', busy(new Date(Date.now() + 3_600_000))],
  ])('%s beyond the bound ends the request, and the error states the time', async (_, answer) => {
    const server = await start([answer, { text: 'too early' }]);
    const seen = await ask(server);
    expect(agentErrorOf(seen).code).toBe('MODEL_BUSY');
    expect(agentErrorOf(seen).summary).toMatch(/asks to wait 3[56]\d\d s/u);
    expect(server.requests).toHaveLength(1);
  });

  test('that is not readable is ignored', async () => {
    const server = await start([{ ...busy(), headers: { 'retry-after': 'soon' } }, { text: 'Hello' }]);
    expect((await ask(server)).text).toBe('Hello');
  });
});

describe('an abort', () => {
  test('ends the delay before a repetition', async () => {
    const server = await start([busy(50), { text: 'too late' }]);
    const stop = new AbortController();
    const seen = await ask(server, { signal: stop.signal, onRetry: () => stop.abort() });
    expect([seen.isAborted, seen.error]).toEqual([true, undefined]);
    expect(server.requests).toHaveLength(1);
  });

  test('ends a request before its answer', async () => {
    const server = await start([{ never: true }]);
    const stop = new AbortController();
    const answer = ask(server, { signal: stop.signal });
    const { signal } = await server.arrived(1);
    stop.abort();
    expect((await answer).isAborted).toBe(true);
    if (!signal.aborted) await once(signal, 'abort');
  });

  test('ends a request in the middle of its answer', async () => {
    const text = new SlowText();
    text.send('It ');
    const server = await start([{ text }]);
    const stop = new AbortController();
    const seen = await ask(server, { signal: stop.signal, onText: () => stop.abort() });
    expect([seen.text, seen.isAborted, seen.error]).toEqual(['It ', true, undefined]);
    const { signal } = await server.arrived(1);
    if (!signal.aborted) await once(signal, 'abort');
  });

  /** Without the AI SDK, which reports every error after an abort as the abort. */
  describe('rejects with its reason', () => {
    const reason = new Error('the user left');
    const options = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }] };

    test('before the answer, and when the model ignores it', async () => {
      const server = await start([{ never: true }]);
      const { guard } = resolveModel({ model: 'a', baseUrl: server.url });
      for (const model of [guard({}), resolveModel({ model: new MockLanguageModelV4({ doStream: never }) }).model]) {
        const stop = new AbortController();
        const answer = model.doStream({ ...options, abortSignal: stop.signal });
        stop.abort(reason);
        await expect(answer).rejects.toBe(reason);
      }
    });

    test('in the middle of the answer', async () => {
      const text = new SlowText();
      text.send('It ');
      const server = await start([{ text }]);
      const stop = new AbortController();
      const { model } = resolveModel({ model: 'a', baseUrl: server.url });
      const { stream } = await model.doStream({ ...options, abortSignal: stop.signal });
      const types: string[] = [];
      const reading = (async () => {
        for await (const { type } of stream) {
          types.push(type);
          if (type === 'text-delta') stop.abort(reason);
        }
      })();
      await expect(reading).rejects.toBe(reason);
      expect(types).not.toContain('error');
    });

    test('in the delay before a repetition', async () => {
      const server = await start([busy(50), { text: 'too late' }]);
      const stop = new AbortController();
      const onRetry = (): void => stop.abort(reason);
      const model = resolveModel({ model: 'a', baseUrl: server.url }).guard({ onRetry });
      await expect(model.doStream({ ...options, abortSignal: stop.signal })).rejects.toBe(reason);
      expect(server.requests).toHaveLength(1);
    });
  });
});

describe('a time limit', () => {
  test('ends a request that is never answered, without another', async () => {
    const server = await start(() => ({ never: true }));
    const seen = await ask(server, { firstByteTimeoutMs: 20 });
    expect(agentErrorOf(seen).code).toBe('MODEL_UNAVAILABLE');
    expect(agentErrorOf(seen).summary).toBe(`The model server at ${server.url} did not begin to answer within 0.02 s`);
    const { signal } = await server.arrived(1);
    if (!signal.aborted) await once(signal, 'abort');
    expect(server.requests).toHaveLength(1);
  });

  test('ends a request whose answer has no first part', async () => {
    const server = await start([{ body: '', contentType: 'text/event-stream', isOpen: true }]);
    expect(agentErrorOf(await ask(server, { firstByteTimeoutMs: 20 })).summary).toContain('did not begin to answer');
  });

  test('ends an answer that stops', async () => {
    const text = new SlowText();
    text.send('It ');
    const server = await start([{ text }]);
    const seen = await ask(server, { chunkTimeoutMs: 20 });
    expect([seen.text, agentErrorOf(seen).code]).toEqual(['It ', 'MODEL_UNAVAILABLE']);
    expect(agentErrorOf(seen).summary).toContain('did not continue its answer within 0.02 s');
    const { signal } = await server.arrived(1);
    if (!signal.aborted) await once(signal, 'abort');
  });

  test('ends a model that ignores its signal', async () => {
    const seen = await ask(new MockLanguageModelV4({ doStream: never }), { firstByteTimeoutMs: 20 });
    expect(agentErrorOf(seen).summary).toBe('The model server did not begin to answer within 0.02 s');
  });

  test('is reported even if the model fails in another way because it is ended', async () => {
    const doStream = async ({ abortSignal }: { readonly abortSignal?: AbortSignal | undefined }): Promise<never> => {
      if (abortSignal) await once(abortSignal, 'abort');
      throw new Error('socket hang up');
    };
    const seen = await ask(new MockLanguageModelV4({ doStream }), { firstByteTimeoutMs: 20 });
    expect(agentErrorOf(seen).summary).toContain('did not begin to answer');
  });

  test('ends an answer that is not streamed', async () => {
    const server = await start([{ never: true }]);
    const model = resolveModel({ model: 'a', baseUrl: server.url }).guard({ firstByteTimeoutMs: 20 });
    await expect(generateText({ model, prompt: 'x' })).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  test('does not end an answer that is slow but goes on', async () => {
    const text = new SlowText();
    const server = await start([{ text }]);
    const pieces = ['a', 'b', 'c', 'd'];
    const seen = await ask(server, {
      // Far longer than a piece takes, far shorter than a test may take.
      chunkTimeoutMs: 20_000,
      firstByteTimeoutMs: 20_000,
      onText: () => {
        const piece = pieces.shift();
        if (piece === undefined) text.end();
        else text.send(piece);
      },
      ...(text.send('_'), {}),
    });
    expect([seen.text, seen.error]).toEqual(['_abcd', undefined]);
  });
});

test('a stream of a model that ends without its end is a cut answer', async () => {
  const stream = new ReadableStream<never>({ start: (controller) => controller.close() });
  const model = new MockLanguageModelV4({ doStream: { stream } });
  const seen = await ask(model, { maxRetries: 0 });
  expect(agentErrorOf(seen).summary).toBe('The model server cut its answer');
});

test('parallel tool calls arrive complete and in order', async () => {
  const toolCalls = ['a.ts', 'b.ts', 'c.ts'].map((path) => ({ name: 'read', input: { path } }));
  const server = await start([{ text: 'I read.', toolCalls }]);
  const { ran, text } = await ask(server);
  expect([text, ran]).toEqual(['I read.', [{ path: 'a.ts' }, { path: 'b.ts' }, { path: 'c.ts' }]]);
});

test('malformed tool arguments reach the caller as an invalid call, and no tool runs', async () => {
  const server = await start([{ toolCalls: [{ name: 'read', input: '{"path": "a.ts' }] }]);
  const { model } = resolveModel({ model: 'a', baseUrl: server.url });
  const tools = { read: tool({ inputSchema: z.object({ path: z.string() }), execute: () => 'ran' }) };
  const { toolCalls, toolResults } = streamText({ model, tools, prompt: 'x' });
  expect(await toolCalls).toMatchObject([{ toolName: 'read', invalid: true }]);
  expect(await toolResults).toEqual([]);
});

test('the answer is unchanged otherwise: usage, reasoning, finish reason', async () => {
  const server = await start([{ reasoning: 'Hm.', text: 'Hello', finishReason: 'length' }]);
  const { model } = resolveModel({ model: 'a', baseUrl: server.url });
  const answer = streamText({ model, prompt: 'x' });
  expect(await answer.reasoningText).toBe('Hm.');
  expect(await answer.finishReason).toBe('length');
  expect((await answer.totalUsage).outputTokens).toBeGreaterThan(0);
});

test('the key and the query of the URL are sent', async () => {
  const server = await startModelServer([{ text: 'Hello' }], { key: 'key-1' });
  onTestFinished(server.close);
  const { model } = resolveModel({ model: 'a', baseUrl: `${server.url}/?api-version=2`, apiKey: 'key-1' });
  expect(await streamText({ model, prompt: 'x' }).text).toBe('Hello');
});

test.each([
  ['firstByteTimeoutMs', 0],
  ['chunkTimeoutMs', '1000'],
  ['maxRetries', Number.NaN],
  ['maxRetries', -1],
  ['retryDelayMs', '10'],
  ['maxRetryDelayMs', Number.NaN],
  ['busyMs', Number.NaN],
  ['busyMs', -1],
])(
  '%s: %j is an error: a request would be repeated without an end, or a limit would limit nothing',
  (option, value) => {
    const { guard } = resolveModel({ model: 'a', baseUrl: 'http://127.0.0.1:1/v1' });
    expect(() => guard({ [option]: value })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }));
  },
);
