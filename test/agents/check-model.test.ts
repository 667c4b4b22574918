import { checkModel } from '@cairn/agents';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer } from '../support/model-server.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const key = 'correct-horse-battery';

test('the server lists its models', async () => {
  const server = await startModelServer([], { models: ['a', 'b'], key });
  onTestFinished(server.close);
  const checked = await checkModel({ model: 'a', baseUrl: server.url, apiKey: key });
  expect(checked).toEqual({ name: 'a', baseUrl: server.url, models: ['a', 'b'], warnings: [] });
  expect(server.requests).toEqual([]);
});

test.each([404, 405, 501])('a server without the list (%d) answers all the same', async (status) => {
  const baseUrl = await serve((_, response) => response.writeHead(status).end());
  expect(await checkModel({ model: 'a', baseUrl })).toEqual({ name: 'a', baseUrl, warnings: [] });
});

test.each<[string, number, string, string]>([
  ['a page', 200, '<html>', 'MODEL_FAILED'],
  ['JSON of another kind', 200, '{"models":[]}', 'MODEL_FAILED'],
  ['a rejected key', 401, `{"error":{"message":"no ${key}"}}`, 'MODEL_DENIED'],
  ['a denied key', 403, `{"error":{"message":"no ${key}"}}`, 'MODEL_DENIED'],
  ['an error of the server', 502, `<html>${key}`, 'MODEL_FAILED'],
  ['a busy server', 429, '', 'MODEL_BUSY'],
])('%s is an error', async (_, status, body, code) => {
  const baseUrl = await serve((__, response) => response.writeHead(status).end(body));
  const error: unknown = await checkModel({ model: 'a', baseUrl, apiKey: key }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code });
  expect(String(error)).not.toContain(key);
});

test('a server that never answers is given up, and an abort is the reason of the caller', async () => {
  const baseUrl = await serve(() => undefined);
  await expect(checkModel({ model: 'a', baseUrl, timeoutMs: 20 })).rejects.toMatchObject({
    code: 'MODEL_UNAVAILABLE',
    summary: `The model server at ${baseUrl} did not answer within 0.02 s`,
  });
  const reason = new Error('the user left');
  await expect(checkModel({ model: 'a', baseUrl, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
