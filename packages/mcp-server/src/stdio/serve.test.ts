import type { ToolDefinition, ToolSet } from '@cairn/tool';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createMcpServer } from '../server.ts';
import { serveStdio } from './serve.ts';

const annotations = {
  title: 'Test',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

function toolOf(name: string, execute: ToolDefinition['execute']): ToolDefinition {
  const toModelOutput: ToolDefinition['toModelOutput'] = () => ({ type: 'text', value: '' });
  return { name, description: name, inputSchema: z.strictObject({}), annotations, execute, toModelOutput };
}

/** Makes a set that counts how often it was closed. */
function setOf(
  name: string,
  tools: Readonly<Record<string, ToolDefinition>>,
): ToolSet & { closed: number; clients: AbortSignal[] } {
  const set = {
    name,
    closed: 0,
    clients: [] as AbortSignal[],
    open: ({ signal }: { signal: AbortSignal }) => {
      set.clients.push(signal);
      return { tools };
    },
    close: async () => {
      set.closed += 1;
    },
  };
  return set;
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Starts and initializes a server on two streams. */
async function serve(toolSets: readonly ToolSet[], options: { readonly graceMs?: number } = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const errors: string[] = [];
  const onError = (error: Error): void => void errors.push(error.message);
  const server = await createMcpServer({ roots: [tmpdir()], toolSets, onError });
  const connection = await serveStdio(server, { input, output, onError, ...options });
  const send = (message: object): void => void input.write(`${JSON.stringify(message)}\n`);
  const call = (id: number, name: string): void =>
    send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });
  send(initialize);
  await once(output, 'data');
  const answer = async (): Promise<unknown> => JSON.parse(String((await once(output, 'data'))[0])) as unknown;
  return { server, connection, input, output, errors, call, answer };
}

test('a call that exceeds the grace time is cancelled', async () => {
  let begin: (signal: AbortSignal) => void = () => undefined;
  const begun = new Promise<AbortSignal>((resolve) => (begin = resolve));
  const set = setOf('slow', {
    slow: toolOf('slow', (_, { signal } = {}) => {
      if (signal) begin(signal);
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    }),
  });
  const { connection, server, call } = await serve([set], { graceMs: 1 });
  call(1, 'slow');
  const signal = await begun;
  expect(signal.aborted).toBe(false);
  await connection.close();
  expect(signal.aborted).toBe(true);
  await connection.ended;
  expect(set.clients.map(({ aborted }) => aborted)).toEqual([true]);
  expect(set.closed).toBe(0);
  await server.close();
  expect(set.closed).toBe(1);
});

test('an unexpected error of a tool fails only its call', async () => {
  const set = setOf('broken', {
    broken: toolOf('broken', () => Promise.reject(new Error('the disk is on fire'))),
    whole: toolOf('whole', async () => ({ isError: false, content: [{ type: 'text', text: 'fine' }], details: {} })),
  });
  const { connection, server, errors, call, answer } = await serve([set]);
  call(1, 'broken');
  expect(await answer()).toMatchObject({
    id: 1,
    result: {
      isError: true,
      content: [{ text: 'broken failed unexpectedly: the disk is on fire; check what it changed before you continue' }],
    },
  });
  expect(errors).toEqual(['the disk is on fire']);
  call(2, 'whole');
  expect(await answer()).toMatchObject({ id: 2, result: { content: [{ text: 'fine' }] } });
  await connection.close();
  await server.close();
});
