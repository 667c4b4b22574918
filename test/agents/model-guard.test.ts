import { AgentError, resolveModel } from '@cairn/agents';
import type { GuardOptions, ModelRetry } from '@cairn/agents';
import { streamText, tool } from 'ai';
import type { LanguageModel } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { busy, SlowText, startModelServer } from '../support/model-server.ts';
import type { ModelScript, ModelServer } from '../support/model-server.ts';

async function start(script: ModelScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  return server;
}

/** What a caller sees of one answer. */
interface Seen {
  readonly text: string;
  readonly error?: unknown;
  /** The inputs that the tool ran with. */
  readonly ran: readonly unknown[];
  readonly retries: readonly ModelRetry[];
}

async function ask(server: ModelServer, options: GuardOptions = {}, abortSignal?: AbortSignal): Promise<Seen> {
  const retries: ModelRetry[] = [];
  const ran: unknown[] = [];
  const model: LanguageModel = resolveModel({ model: 'scripted-1', baseUrl: server.url }).guard({
    retryDelayMs: 1,
    onRetry: (retry) => retries.push(retry),
    ...options,
  });
  const inputSchema = z.object({ path: z.string() });
  const tools = { read: tool({ inputSchema, execute: (input) => ran.push(input) }) };
  const seen: { text: string; error?: unknown } = { text: '' };
  const answer = streamText({
    model,
    tools,
    prompt: 'Hi',
    onError: () => undefined,
    ...(abortSignal && { abortSignal }),
  });
  for await (const part of answer.stream) {
    if (part.type === 'text-delta') seen.text += part.text;
    if (part.type === 'error') seen.error = part.error;
  }
  return { ...seen, ran, retries };
}

const read = { toolCalls: [{ name: 'read', input: { path: 'a.ts' } }] };

describe('a request is repeated', () => {
  test.each([
    ['after 429', busy()],
    ['after 500', { status: 500, message: 'internal error' }],
    ['after 529', { status: 529, message: 'overloaded' }],
    ['after a connection that broke before the answer', { closed: true } as const],
    [
      'after a connection that broke before the first text',
      { text: 'lost', cut: { afterEvents: 1, by: 'close' } } as const,
    ],
    ['after an answer that ended before the first text', { text: 'lost', cut: { afterEvents: 1, by: 'end' } } as const],
    ['after a tool call that was cut in the middle', { ...read, cut: { afterEvents: 3, by: 'close' } } as const],
    ['after a tool call whose answer ended without its end', { ...read, cut: { afterEvents: 3, by: 'end' } } as const],
    [
      'after an error in the stream with a code that stands for 503',
      { text: 'lost', cut: { afterEvents: 1, by: { message: 'busy', type: 'overloaded_error' } } },
    ],
  ])('%s', async (_, failure) => {
    const server = await start([failure, failure, { text: 'It works.', ...read }]);
    const { text, error, ran, retries } = await ask(server);
    expect(error).toBeUndefined();
    expect(text).toBe('It works.');
    expect(ran).toEqual([{ path: 'a.ts' }]);
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(new Set(server.requests.map(({ body }) => body.toString())).size).toBe(1);
  });
});

test('slow answers', async () => {
  const slow = new SlowText();
  const server = await start([{ text: slow }]);
  const answer = ask(server);
  await server.arrived(1);
  slow.send('a', 'b');
  slow.end();
  expect((await answer).text).toBe('ab');
});

test('no answer', async () => {
  const server = await start([{ never: true }]);
  const { error } = await ask(server, { firstByteTimeoutMs: 20 });
  expect(AgentError.isInstance(error) && error.code).toBe('MODEL_UNAVAILABLE');
});
