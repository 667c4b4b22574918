import { resolveModel } from '@cairn/agents';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { factsOf } from './errors.ts';

test('a model server that does not answer: the fix names nothing that the command line does not have', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const model = resolveModel({ model: 'm', baseUrl: `http://127.0.0.1:${port}/v1` }).guard({ firstByteTimeoutMs: 50 });
  const request = model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] });
  const error: unknown = await Promise.resolve(request).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(factsOf(error)).toMatchObject({ code: 'MODEL_UNAVAILABLE', fix: 'Check that it runs.' });
});
