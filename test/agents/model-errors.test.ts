import { AgentError, mapModelError, resolveModel } from '@cairn/agents';
import { APICallError, streamText } from 'ai';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { busy, startModelServer } from '../support/model-server.ts';
import type { ModelAnswer } from '../support/model-server.ts';

const KEY = 'correct-horse-battery-staple';

/** The error of one request that is not repeated. */
async function errorOf(baseUrl: string): Promise<AgentError> {
  const model = resolveModel({ model: 'small-1', baseUrl, apiKey: KEY }).guard({ maxRetries: 0 });
  let found: unknown;
  for await (const part of streamText({ model, prompt: 'Hi', onError: () => undefined }).stream) {
    if (part.type === 'error') found = part.error;
  }
  if (AgentError.isInstance(found)) return found;
  throw new Error('there is no AgentError', { cause: found });
}

async function errorAfter(answer: ModelAnswer): Promise<AgentError> {
  const server = await startModelServer([answer]);
  onTestFinished(server.close);
  const error = await errorOf(server.url);
  // The port differs from run to run.
  const texts = [error.summary, error.hint].map((text) => text.replaceAll(server.url, 'http://host/v1')) as [
    string,
    string,
  ];
  return new AgentError(error.code, texts);
}

/** A port at which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('there is no port');
  return address.port;
}

const login = '<html><title>Sign in</title></html>';

test.each<[string, ModelAnswer, string, string]>([
  [
    '401',
    { status: 401, message: `Incorrect API key: ${KEY}` },
    'MODEL_DENIED',
    'The model server at http://host/v1 rejects the key (401)',
  ],
  [
    '403',
    { status: 403, message: 'Country not supported' },
    'MODEL_DENIED',
    'The model server at http://host/v1 denies access to the model "small-1" (403): Country not supported',
  ],
  [
    '402',
    { status: 402, message: 'Insufficient balance.' },
    'MODEL_REFUSED',
    'The account has no credit left (402): Insufficient balance',
  ],
  [
    '429 without credit',
    { status: 429, message: 'You exceeded your quota', code: 'insufficient_quota' },
    'MODEL_REFUSED',
    'The account has no credit left (429): You exceeded your quota',
  ],
  [
    '429',
    busy(7),
    'MODEL_BUSY',
    'The model server at http://host/v1 is busy (429), and asks to wait 7 s: Rate limit reached',
  ],
  [
    '404',
    { status: 404, message: 'The model `small-1` does not exist' },
    'MODEL_REFUSED',
    'The model server at http://host/v1 does not have the model "small-1" (404): The model `small-1` does not exist',
  ],
  [
    '404 of another server',
    { status: 404, body: login },
    'MODEL_REFUSED',
    'The model server at http://host/v1 does not have the model "small-1" (404): Not Found',
  ],
  [
    '400',
    { status: 400, message: 'tools are not supported' },
    'MODEL_REFUSED',
    'The model server at http://host/v1 rejects the request to the model "small-1" (400): tools are not supported',
  ],
  [
    '400 because of the length',
    { status: 400, message: "This model's maximum context length is 8192 tokens", code: 'context_length_exceeded' },
    'MODEL_REFUSED',
    'The request is too long for the model "small-1" (400): This model\'s maximum context length is 8192 tokens',
  ],
  [
    '413',
    { status: 413, body: login },
    'MODEL_REFUSED',
    'The request is too long for the model "small-1" (413): Payload Too Large',
  ],
  [
    '407, which fetch does not show',
    { status: 407, body: login },
    'MODEL_UNAVAILABLE',
    'The model server at http://host/v1 is not reachable',
  ],
  [
    '500',
    { status: 500, message: 'cuda error' },
    'MODEL_FAILED',
    'The model server at http://host/v1 failed (500): cuda error',
  ],
  [
    '502 of a proxy',
    { status: 502, body: login },
    'MODEL_FAILED',
    'The model server at http://host/v1 failed (502): Bad Gateway',
  ],
  [
    'a page',
    { body: login },
    'MODEL_FAILED',
    'The model server at http://host/v1 answered with text/html instead of a stream',
  ],
  [
    'JSON that is not an answer',
    { body: '{"status":"ok"}', contentType: 'application/json' },
    'MODEL_FAILED',
    'The model server at http://host/v1 answered with JSON that is not a whole answer',
  ],
  [
    'half an answer in JSON',
    { body: '{"choices":[{"message":{"content":"He', contentType: 'application/json' },
    'MODEL_FAILED',
    'The model server at http://host/v1 answered with JSON that is not a whole answer',
  ],
  [
    'a cut answer',
    { text: ['It '], cut: { afterEvents: 2, by: 'end' } },
    'MODEL_FAILED',
    'The model server at http://host/v1 cut its answer',
  ],
  [
    'an error in the answer',
    { text: ['It '], cut: { afterEvents: 2, by: { message: 'filter failed' } } },
    'MODEL_FAILED',
    'The model server at http://host/v1 returned an error in its answer: filter failed',
  ],
  [
    'a connection that broke',
    { text: ['It '], cut: { afterEvents: 2, by: 'close' } },
    'MODEL_FAILED',
    'The model server at http://host/v1 broke the connection (UND_ERR_SOCKET)',
  ],
])('%s has a code, a summary and a hint', async (_, answer, code, summary) => {
  const error = await errorAfter(answer);
  expect([error.code, error.summary]).toEqual([code, summary]);
  expect(error.hint).toMatch(/^[A-Z].+\.$/u);
});

test('a server that does not run is unavailable', async () => {
  const port = await freePort();
  const error = await errorOf(`http://127.0.0.1:${port}`);
  expect(error.code).toBe('MODEL_UNAVAILABLE');
  expect(error.message).toBe(
    `The model server at http://127.0.0.1:${port}/v1 is not reachable: nothing listens there (ECONNREFUSED). Start it, or correct CAIRN_BASE_URL.`,
  );
});

describe('an error of the network', () => {
  test.each([
    ['ENOTFOUND', 'MODEL_UNAVAILABLE', 'its host is not found'],
    ['EAI_AGAIN', 'MODEL_UNAVAILABLE', 'its host is not found'],
    ['ETIMEDOUT', 'MODEL_UNAVAILABLE', 'did not answer in time'],
    ['UND_ERR_CONNECT_TIMEOUT', 'MODEL_UNAVAILABLE', 'did not answer in time'],
    ['UND_ERR_HEADERS_TIMEOUT', 'MODEL_UNAVAILABLE', 'did not answer in time'],
    ['EHOSTUNREACH', 'MODEL_UNAVAILABLE', 'is not reachable: no route'],
    ['UND_ERR_ABORTED', 'MODEL_UNAVAILABLE', 'is not reachable: no route'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'MODEL_UNAVAILABLE', 'certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'MODEL_UNAVAILABLE', 'certificate'],
    ['CERT_HAS_EXPIRED', 'MODEL_UNAVAILABLE', 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'MODEL_UNAVAILABLE', 'certificate'],
    ['ECONNRESET', 'MODEL_FAILED', 'broke the connection'],
  ])('%s', (code, expected, text) => {
    const cause = new AggregateError([Object.assign(new Error('no route'), { code })]);
    const error = mapModelError(new TypeError('fetch failed', { cause }));
    expect([error.code, error.summary]).toEqual([expected, expect.stringContaining(text)]);
    expect(error.summary).toContain(`(${code})`);
  });
});

describe('the key', () => {
  test.each<[string, ModelAnswer]>([
    ['in the error of a rejected key', { status: 401, message: `Incorrect key ${KEY}` }],
    ['in part in the error of a rejected key', { status: 401, message: `Incorrect key ${KEY.slice(0, 12)}***` }],
    ['in another error', { status: 400, message: `Bearer ${KEY} is not allowed` }],
    ['in an error of the stream', { cut: { afterEvents: 1, by: { message: `key ${KEY}` } } }],
    ['in a page', { status: 502, body: KEY }],
  ])('is not repeated: %s', async (_, answer) => {
    const error = await errorAfter(answer);
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(KEY.slice(0, 12));
  });

  test.each(['a+b/c d&e=fgh', '秘密钥匙abcdef'])(
    'in the query of the URL is not repeated as it is sent: %s',
    async (key) => {
      const server = await startModelServer([]);
      onTestFinished(() => server.close());
      const query = new URLSearchParams({ code: key }).toString();
      // The server repeats the URL of the request.
      const baseUrl = `${server.url.replace('/v1', '/v9')}?${query}`;
      const error = await errorOf(baseUrl);
      expect(error.message).toContain('unknown URL');
      expect(error.message).not.toContain(query.slice('code='.length));
      expect(error.message).not.toContain(key);
    },
  );

  test('of another shape is not repeated, whoever configured it', () => {
    const secret = `sk-proj-${'a1B2'.repeat(10)}`;
    const cause = new APICallError({
      message: `no ${secret}`,
      url: 'x',
      requestBodyValues: { secret },
      statusCode: 400,
    });
    const error = mapModelError(cause);
    expect(error.summary).toContain('no [key]');
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(secret);
  });
});

test('an error that is mapped already stays as it is', () => {
  const error = mapModelError(new Error('unknown'));
  expect(error.code).toBe('MODEL_FAILED');
  expect(mapModelError(error)).toBe(error);
});

test('a long text of a server is cut', async () => {
  const { summary } = await errorAfter({ status: 400, message: 'no\n'.repeat(1000) });
  expect(summary.length).toBeLessThan(450);
  expect(summary).not.toContain('\n');
});

test('a page of megabytes as a reason is cut, and no piece of a key is left at the end', () => {
  const key = 'local-key-of-the-server';
  for (let spaces = 64 * 1024 - key.length; spaces <= 64 * 1024; spaces += 1) {
    const message = `Bad${' '.repeat(spaces - 3)}${key} ${'x'.repeat(1024)}`;
    expect(mapModelError(new Error(message), { secrets: [key] }).summary).not.toContain('local');
  }
});
