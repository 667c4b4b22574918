import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createCodingTools } from '@cairn/coding-agent';
import { APICallError, generateText, isStepCount, streamText } from 'ai';
import type { LanguageModel } from 'ai';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  busy,
  continues,
  SlowText,
  startModelServer,
  systemPromptOf,
  toolNamesOf,
  transcriptOf,
} from './model-server.ts';
import type { ModelScript, ModelServer } from './model-server.ts';
import { createTree, temporaryDirectory } from './tree.ts';

async function start(script: ModelScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  return server;
}

function modelOf({ url }: ModelServer): LanguageModel {
  return createOpenAICompatible({ name: 'scripted', baseURL: url, includeUsage: true }).chatModel('scripted-1');
}

const question = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** The status and the error of a raw request. */
async function post(
  server: ModelServer,
  body: unknown,
  path: string = '/chat/completions',
): Promise<[number, ErrorBody]> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${server.url}${path}`, { method: 'POST', body: text });
  return [response.status, (await response.json()) as ErrorBody];
}

test('an agent of the AI SDK works with the coding tools through the server', async () => {
  const root = createTree({ 'main.ts': 'foo();\n' });
  const tools = createCodingTools({ root, stateDirectory: temporaryDirectory() });
  const server = await start([
    { text: 'I read it.', toolCalls: [{ name: 'read', input: { path: 'main.ts' } }] },
    { toolCalls: [{ name: 'edit', input: { path: 'main.ts', old_text: 'foo', new_text: 'bar' } }] },
    { text: 'Renamed.' },
  ]);
  const { text, steps } = await generateText({
    model: modelOf(server),
    tools,
    stopWhen: isStepCount(5),
    instructions: 'You rename.',
    prompt: 'Rename foo.',
  });
  expect(text).toBe('Renamed.');
  expect(steps).toHaveLength(3);
  expect(readFileSync(join(root, 'main.ts'), 'utf8')).toBe('bar();\n');
  const last = server.requests[2]?.chat;
  expect(last?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
  expect(JSON.stringify(last?.messages[3])).toContain('foo();');
  expect(last?.tools?.map((tool) => tool.function.name)).toEqual(Object.keys(tools));
});

test('a streamed answer has the same text, calls, usage and finish reason as a whole one', async () => {
  const text = 'A naïve text of some length, 一段较长的文字, with 🙂🙃 and more than one piece of it.';
  const script: ModelScript = [{ text, toolCalls: [{ name: 'show', input: { path: 'a/b/c/d/e/f/g.ts' } }] }];
  const tools = { show: { inputSchema: createCodingTools({ root: temporaryDirectory() }).read.inputSchema } };
  const ask = async (): Promise<{ model: LanguageModel; tools: typeof tools; prompt: string }> => ({
    model: modelOf(await start(script)),
    tools,
    prompt: 'Show it.',
  });
  const whole = await generateText(await ask());
  const streamed = streamText(await ask());
  expect(await streamed.text).toBe(text);
  expect(whole.text).toBe(text);
  const callsOf = (calls: readonly { toolName: string; toolCallId: string; input: unknown }[]): unknown =>
    calls.map(({ toolName, toolCallId, input }) => ({ toolName, toolCallId, input }));
  expect(callsOf(await streamed.toolCalls)).toEqual([
    { toolName: 'show', toolCallId: 'call_1_1', input: { path: 'a/b/c/d/e/f/g.ts' } },
  ]);
  expect(callsOf(whole.toolCalls)).toEqual(callsOf(await streamed.toolCalls));
  expect(await streamed.finishReason).toBe('tool-calls');
  expect(whole.finishReason).toBe('tool-calls');
  expect((await streamed.totalUsage).outputTokens).toBe(whole.totalUsage.outputTokens);
});

test('a stream has the pieces that the script gives', async () => {
  const server = await start([{ text: ['one ', 'two ', 'three'] }]);
  const pieces: string[] = [];
  for await (const piece of streamText({ model: modelOf(server), prompt: 'Count.' }).textStream) pieces.push(piece);
  expect(pieces).toEqual(['one ', 'two ', 'three']);
});

test('a stream never splits a character', async () => {
  const text = '🙂'.repeat(50);
  const server = await start([{ text: `a${text}` }]);
  const pieces: string[] = [];
  for await (const piece of streamText({ model: modelOf(server), prompt: 'Smile.' }).textStream) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
});

test('each request is recorded byte for byte', async () => {
  const server = await start([{ text: 'a' }]);
  const body = `{ "messages":[ {"content":"\\u4e00 一","role":"user"} ],\n "model":"m"}`;
  const [status] = await post(server, body);
  expect(status).toBe(200);
  expect(server.requests.map((request) => request.body.toString())).toEqual([body]);
  expect(server.requests[0]?.chat.messages[0]?.content).toBe('一 一');
});

test('equal requests to equal scripts give equal answers', async () => {
  const script: ModelScript = [{ text: 'a', toolCalls: [{ name: 'b', input: {} }] }];
  const answers = await Promise.all([1, 2].map(async () => post(await start(script), question)));
  expect(answers[0]).toEqual(answers[1]);
});

test('a function decides by the request', async () => {
  const server = await start(({ number, chat }) => ({ text: `${number}: ${JSON.stringify(chat.messages.at(-1))}` }));
  const { text } = await generateText({ model: modelOf(server), prompt: 'Hello' });
  expect(text).toContain('1: ');
  expect(text).toContain('Hello');
});

test('a rejection of the script reaches the client as an error of the API', async () => {
  const server = await start([
    {
      status: 429,
      message: 'slow down',
      type: 'rate_limit_error',
      code: 'rate_limit',
      headers: { 'retry-after': '7' },
    },
  ]);
  const error = await generateText({ model: modelOf(server), prompt: 'x', maxRetries: 0 }).catch(
    (thrown: unknown) => thrown,
  );
  if (!APICallError.isInstance(error)) throw new Error('no error of the API', { cause: error });
  expect([error.statusCode, error.message, error.isRetryable]).toEqual([429, 'slow down', true]);
  expect(error.responseHeaders?.['retry-after']).toBe('7');
});

test('a request after the end of the script, and an error in the script, are rejected without a retry', async () => {
  const ended = await start([]);
  await expect(generateText({ model: modelOf(ended), prompt: 'x' })).rejects.toThrow('the script has 0 answers');
  expect(ended.requests).toHaveLength(1);
  const broken = await start(() => {
    throw new Error('the script did not expect this');
  });
  await expect(generateText({ model: modelOf(broken), prompt: 'x' })).rejects.toThrow('did not expect this');
  expect(broken.refusals).toEqual(['400 the script did not expect this']);
});

const assistantCalls = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } }],
};
const tool = { type: 'function', function: { name: 'a' } };

test.each([
  ['text that is not JSON', '{', undefined, 'the body is not valid JSON'],
  ['an unknown parameter', { ...question, logit_bias: {} }, 'logit_bias', 'logit_bias'],
  [
    'an unknown field of a message',
    { model: 'm', messages: [{ role: 'user', content: 'a', audio: 1 }] },
    'messages.0.audio',
    'audio',
  ],
  [
    'an unknown role',
    { model: 'm', messages: [{ role: 'robot', content: 'a' }] },
    'messages.0.role',
    'messages.0.role',
  ],
  [
    'an unknown part',
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    'messages.0.content',
    'content',
  ],
  ['no message', { model: 'm', messages: [] }, 'messages', 'messages'],
  [
    'a name that the API does not take',
    { ...question, tools: [{ type: 'function', function: { name: 'a b' } }] },
    'tools.0.function.name',
    'name',
  ],
  ['two tools of a name', { ...question, tools: [tool, tool] }, 'tools', 'two tools are named "a"'],
  [
    'a call without its result',
    { model: 'm', messages: [assistantCalls, question.messages[0]] },
    'messages[1]',
    'call_1',
  ],
  ['a call without its result at the end', { model: 'm', messages: [assistantCalls] }, 'messages[1]', 'call_1'],
  [
    'a result without its call',
    { model: 'm', messages: [{ role: 'tool', tool_call_id: 'x', content: 'a' }] },
    'messages[0]',
    '"x"',
  ],
])('%s is rejected with the form of an error of the API', async (_, body, param, message) => {
  const server = await start([{ text: 'not reached' }]);
  const [status, { error }] = await post(server, body);
  expect(status).toBe(400);
  expect(error.type).toBe('invalid_request_error');
  expect(error.param).toBe(param ?? null);
  expect(error.message).toContain(message);
  expect(server.requests).toEqual([]);
});

test('another URL and another method are rejected', async () => {
  const server = await start([]);
  const [status, { error }] = await post(server, question, '/responses');
  expect([status, error.code]).toEqual([404, 'unknown_url']);
  const listed = await fetch(`${server.url}/chat/completions`);
  expect(listed.status).toBe(405);
  expect(server.refusals).toHaveLength(2);
});

test('a client that goes away aborts the signal of its request, and the server still closes', async () => {
  const events = new EventEmitter();
  const aborted = once(events, 'aborted');
  const arrived = once(events, 'arrived');
  const server = await start(async ({ signal }) => {
    signal.addEventListener('abort', () => events.emit('aborted'));
    events.emit('arrived');
    await aborted;
    return { text: 'too late' };
  });
  const stop = new AbortController();
  const answer = generateText({ model: modelOf(server), prompt: 'x', abortSignal: stop.signal });
  await arrived;
  stop.abort();
  await expect(answer).rejects.toThrow(/abort/iu);
  await aborted;
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

/** The events of a stream, up to where it ends, and whether it ends in the regular way. */
async function streamOf(server: ModelServer): Promise<[events: string[], isComplete: boolean]> {
  const body = JSON.stringify({ ...question, stream: true });
  const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', body });
  let text = '';
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  } catch {
    return [text.split('\n\n').filter(Boolean), false];
  }
  return [text.split('\n\n').filter(Boolean), true];
}

describe('an answer that fails', () => {
  const text = ['one ', 'two ', 'three'];

  test.each([
    ['close', false],
    ['end', true],
  ] as const)('is cut after a number of events by: %s', async (by, isComplete) => {
    const [events, isEnded] = await streamOf(await start([{ text, cut: { afterEvents: 3, by } }]));
    expect(isEnded).toBe(isComplete);
    expect(events).toHaveLength(3);
    expect(events.join('')).toContain('two ');
    expect(events.join('')).not.toMatch(/three|DONE/u);
  });

  test('is cut by an error of the API', async () => {
    const [events] = await streamOf(await start([{ text, cut: { afterEvents: 2, by: { message: 'no' } } }]));
    expect(events.slice(2)).toEqual(['data: {"error":{"message":"no"}}']);
  });

  test('is cut in the middle of the arguments of a call', async () => {
    const toolCalls = [{ name: 'a', input: { path: 'a path of some length' } }];
    const [events] = await streamOf(await start([{ toolCalls, cut: { afterEvents: 3, by: 'end' } }]));
    expect(events.at(-1)).toContain(String.raw`"arguments":"{\"path\":\"a path`);
    expect(events.join('')).not.toContain('length');
  });

  test('does not come, and the server still closes', async () => {
    const server = await start([{ never: true }]);
    const answer = streamOf(server).catch(() => 'closed');
    expect((await server.arrived(1)).number).toBe(1);
    await server.close();
    expect(await answer).toBe('closed');
  });

  test('is a closed connection', async () => {
    await expect(streamOf(await start([{ closed: true }]))).rejects.toThrow('fetch failed');
  });

  test('is a body outside the protocol', async () => {
    expect(await streamOf(await start([{ body: '<html>' }]))).toEqual([['<html>'], true]);
  });

  test.each([
    ['without a time', undefined, null],
    ['with seconds', 7, '7'],
    ['with a date', new Date(0), 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('is 429 %s', async (_, time, expected) => {
    const server = await start([busy(time)]);
    const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', body: JSON.stringify(question) });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, expected]);
  });
});

test('a slow text is sent when the test sends it', async () => {
  const text = new SlowText();
  const server = await start([{ text }]);
  const pieces: string[] = [];
  text.send('one ');
  for await (const piece of streamText({ model: modelOf(server), prompt: 'Count.' }).textStream) {
    pieces.push(piece);
    if (pieces.length === 1) text.send('two ', 'three');
    if (pieces.length === 3) text.end();
  }
  expect(pieces).toEqual(['one ', 'two ', 'three']);
});

test('reasoning comes before the text, and the usage can be left out', async () => {
  const server = await start([{ reasoning: 'Hm.', text: 'Yes.', reportsUsage: false }]);
  const answer = streamText({ model: modelOf(server), prompt: 'x' });
  expect(await answer.reasoningText).toBe('Hm.');
  expect((await answer.totalUsage).totalTokens).toBeUndefined();
});

describe('the requested format', () => {
  const asked = { ...question, response_format: { type: 'json_object' } };
  const inJson = { ...asked, messages: [{ role: 'user', content: 'Answer in JSON.' }] };

  test('json_object needs the word JSON in the messages', async () => {
    const [status, { error }] = await post(await start([{ text: '{}' }]), asked);
    expect([status, error.param]).toEqual([400, 'messages']);
  });

  test.each([
    ['whole', false],
    ['streamed', true],
  ])('a script that answers with text by mistake is rejected: %s', async (_, stream) => {
    const [status, { error }] = await post(await start([{ text: 'Yes.' }]), { ...inJson, stream });
    expect([status, error.code]).toEqual([400, 'script_error']);
  });

  test('a model can ignore it', async () => {
    const [status] = await post(await start([{ text: 'Yes.', ignoresFormat: true }]), inJson);
    expect(status).toBe(200);
  });
});

test('models and the key are checked when they are given', async () => {
  const server = await startModelServer([{ text: 'a' }], { models: ['m'], key: 'right' });
  onTestFinished(server.close);
  const send = async (key: string, model: string): Promise<[number, string]> => {
    const headers = { authorization: `Bearer ${key}` };
    const body = JSON.stringify({ ...question, model });
    const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', headers, body });
    return [response.status, await response.text()];
  };
  expect(await send('wrong', 'm')).toEqual([401, expect.stringContaining('wrong')]);
  expect(await send('right', 'n')).toEqual([404, expect.stringContaining('model_not_found')]);
  expect(await send('right', 'm')).toEqual([200, expect.any(String)]);
  const listed = await fetch(`${server.url}/models`, { headers: { authorization: 'Bearer right' } });
  expect(await listed.json()).toMatchObject({ data: [{ id: 'm' }] });
  expect((await fetch(`${server.url}/models`)).status).toBe(401);
});

test('a request is read as lines', async () => {
  const root = createTree({ 'main.ts': 'foo();\n' });
  const { read } = createCodingTools({ root, stateDirectory: temporaryDirectory() });
  const server = await start([
    { text: 'I read it.', toolCalls: [{ name: 'read', input: { path: 'main.ts' } }] },
    { text: 'Done.' },
  ]);
  await generateText({
    model: modelOf(server),
    tools: { read },
    stopWhen: isStepCount(5),
    instructions: 'You read.',
    prompt: 'Read it.',
  });
  const [first, second] = server.requests;
  if (!first || !second) throw new Error('there are too few requests');
  expect(transcriptOf(first)).toEqual(['user: Read it.']);
  expect(transcriptOf(second)).toEqual([
    'user: Read it.',
    'assistant: I read it. call_1_1=read({"path":"main.ts"})',
    expect.stringMatching(/^tool call_1_1: .*foo\(\);/su),
  ]);
  expect([systemPromptOf(first), toolNamesOf(first)]).toEqual(['You read.', ['read']]);
  expect([continues(first, second), continues(second, first), continues(first, first)]).toEqual([true, false, true]);
});
