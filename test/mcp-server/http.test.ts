import { codingToolSet } from '@cairn/coding-agent';
import { createMcpServer } from '@cairn/mcp-server';
import type { McpServerOptions } from '@cairn/mcp-server';
import { serveHttp } from '@cairn/mcp-server/http';
import type { HttpListener, ServeHttpOptions } from '@cairn/mcp-server/http';
import type { ToolDefinition, ToolSet } from '@cairn/tool';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createTree } from '../support/tree.ts';
import { initializeParams } from './raw.ts';
import { call, connectUrl, startHttp } from './support.ts';

type Options = Partial<ServeHttpOptions> & { readonly toolSets?: McpServerOptions['toolSets'] };

/** A server in this process, closed when the test ends. */
async function listen(options: Options = {}): Promise<HttpListener> {
  const { toolSets = [codingToolSet], ...rest } = options;
  const server = await createMcpServer({ toolSets, roots: [createTree({ 'a.txt': 'alpha\n' })] });
  const listener = await serveHttp(server, { port: 0, token: undefined, ...rest });
  onTestFinished(async () => {
    await listener.close();
    await server.close();
  });
  return listener;
}

const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body);
  return fetch(url, { method: 'POST', headers: { ...jsonHeaders, ...headers }, body: sent });
}

const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams };
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

/** Opens a session, and returns its id. */
async function begin(url: string): Promise<string> {
  const response = await post(url, initialize);
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

/** Sends the beginning of a body without a Content-Length. */
function postUnmeasured(url: string, headers: Readonly<Record<string, string>>, bytes: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...jsonHeaders, ...headers } }, (response) => {
      const { statusCode: status = 0 } = response;
      const answer = text(response).then((body) => new Response(body, { status }));
      answer.then(resolve, reject).finally(() => sent.destroy());
    });
    sent.on('error', reject).write('x'.repeat(bytes));
  });
}

/** Posts to a raw request target; `fetch` would normalize it. Returns the status. */
function statusAt(url: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method: 'POST', headers: jsonHeaders }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end(JSON.stringify(initialize));
  });
}

/** Posts with a Host header, which `fetch` cannot set. Returns the status. */
function statusFor(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...jsonHeaders, ...headers } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end(JSON.stringify(initialize));
  });
}

describe('access', () => {
  test('requires the token', async () => {
    const { url } = await listen({ token: 'secret' });
    for (const headers of [
      {},
      { Authorization: 'Bearer wrong' },
      { Authorization: 'secret' },
      { Authorization: 'Basic secret' },
      { Authorization: 'Bearer secre' },
      { Authorization: 'Bearer secret secret' },
    ] as Record<string, string>[]) {
      const response = await post(url, initialize, headers);
      expect([response.status, response.headers.get('www-authenticate')], JSON.stringify(headers)).toEqual([
        401,
        'Bearer',
      ]);
      expect(await response.json()).toMatchObject({
        error: { message: expect.stringContaining('Authorization: Bearer <token>') },
      });
    }
    expect((await post(url, initialize, { Authorization: 'Bearer secret' })).status).toBe(200);
    expect((await post(url, initialize, { Authorization: 'bearer  secret' })).status).toBe(200);
  });

  test('cairn mcp uses the token of the environment, or makes and prints one', async () => {
    const root = createTree({ 'a.txt': 'alpha\n' });
    const given = await startHttp(['--root', root, '--http', '0'], { CAIRN_MCP_TOKEN: 'from-the-environment' });
    expect(given.stderr()).not.toContain('from-the-environment');
    expect(await call(await connectUrl(given.url, 'legacy', 'from-the-environment'), 'ls')).toContain('a.txt');
    const made = await startHttp(['--root', root, '--http', '0']);
    const [, token = ''] = /Authorization: Bearer ([\w-]{43})'/u.exec(made.stderr()) ?? [];
    expect(await call(await connectUrl(made.url, 'modern', token), 'ls')).toContain('a.txt');
    await expect(connectUrl(made.url, 'legacy', 'from-the-environment')).rejects.toThrow(/401|nauthorized/u);
  });

  test('rejects web pages by their Origin and their Host', async () => {
    const { url } = await listen();
    const { host } = new URL(url);
    const port = host.split(':')[1] ?? '';
    const rows: readonly (readonly [what: string, headers: Readonly<Record<string, string>>, status: number])[] = [
      ['its own host', { Host: host }, 200],
      ['localhost', { Host: `localhost:${port}`, Origin: 'http://localhost:3000' }, 200],
      ['another host', { Host: 'evil.example' }, 403],
      ['another host with the port', { Host: `evil.example:${port}` }, 403],
      ['a host with the same beginning', { Host: 'localhost.evil.example' }, 403],
      ['a user before the host', { Host: `evil@localhost:${port}` }, 403],
      ['a path after the host', { Host: 'localhost/evil' }, 403],
      ['another origin', { Host: host, Origin: 'https://evil.example' }, 403],
      ['an opaque origin', { Host: host, Origin: 'null' }, 403],
    ];
    for (const [what, headers, status] of rows) expect(await statusFor(url, headers), what).toBe(status);
  });

  test('listens on the loopback address only', async () => {
    const { url } = await listen();
    expect(new URL(url).hostname).toBe('127.0.0.1');
  });
});

test('an invalid request is rejected with its reason, and the server continues', async () => {
  const { url } = await listen({ maxMessageBytes: 100_000 });
  const session = { 'mcp-session-id': await begin(url) };
  const rows: readonly (readonly [what: string, send: () => Promise<Response>, status: number, message: RegExp])[] = [
    ['broken JSON', () => post(url, '{"jsonrpc":'), 400, /^parse error: .*; send one JSON object/u],
    ['JSON that is not a message', () => post(url, { hello: 1 }, session), 400, /JSON-RPC/u],
    [
      'a message that is too long',
      () => post(url, `"${'x'.repeat(100_001)}"`, session),
      413,
      /the limit of 100000 bytes; send a shorter message/u,
    ],
    ['a request before initialize', () => post(url, ping), 400, /no session; send initialize/u],
    ['an unknown session', () => post(url, ping, { 'mcp-session-id': 'none' }), 404, /send initialize again/u],
    [
      'an unsupported version',
      () => post(url, ping, { ...session, 'mcp-protocol-version': '1999-01-01' }),
      400,
      /Unsupported protocol version: 1999-01-01/u,
    ],
    [
      'another type of content',
      () => post(url, ping, { ...session, 'Content-Type': 'text/plain' }),
      415,
      /application\/json/u,
    ],
    [
      'a client that does not accept streams',
      () => post(url, ping, { ...session, Accept: 'text/html' }),
      406,
      /text\/event-stream/u,
    ],
    ['another method', () => fetch(url, { method: 'PUT', headers: session }), 405, /not allowed/iu],
    ['another method without a session', () => fetch(url, { method: 'OPTIONS' }), 405, /use GET, POST, DELETE/u],
    [
      'invalid UTF-8',
      () => post(url, Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping\xff"}', 'latin1'), session),
      400,
      /^parse error: .*in UTF-8/u,
    ],
    [
      'a message that is too long, without Content-Length',
      () => postUnmeasured(url, session, 100_001),
      413,
      /the limit of 100000 bytes; send a shorter message/u,
    ],
    ['another path', () => post(new URL('/', url).href, ping), 404, /unknown path \/; use \/mcp/u],
  ];
  for (const [what, send, status, message] of rows) {
    const response = await send();
    const { error } = (await response.json()) as { error: { message: string } };
    expect([response.status, error.message], what).toEqual([status, expect.stringMatching(message)]);
    const alive = await post(url, ping, session);
    expect([alive.status, await alive.text()], what).toEqual([200, expect.stringContaining('"result":{}')]);
  }
});

test('only the path /mcp is served, not similar ones', async () => {
  const { url } = await listen();
  for (const path of ['//', '//evil.example/mcp', '/mcp/', '/x/../mcp', 'http://[/mcp', 'http://evil.example/mcp']) {
    expect(await statusAt(url, path), path).toBe(404);
  }
  expect(await statusAt(url, '/mcp?a=b')).toBe(200);
});

describe('sessions', () => {
  test('end when the client deletes them', async () => {
    const listener = await listen();
    const headers = { 'mcp-session-id': await begin(listener.url) };
    expect(listener.sessions).toBe(1);
    expect((await fetch(listener.url, { method: 'DELETE', headers })).status).toBe(200);
    expect(listener.sessions).toBe(0);
    expect((await post(listener.url, ping, headers)).status).toBe(404);
  });

  test('end when they are unused for too long', async () => {
    const listener = await listen({ idleMs: 40 });
    const headers = { 'mcp-session-id': await begin(listener.url) };
    await expect.poll(() => listener.sessions).toBe(0);
    expect((await post(listener.url, ping, headers)).status).toBe(404);
  });

  test('are limited: a new one ends the one that was unused longest, but never one in use', async () => {
    const { url } = await listen({ maxSessions: 2 });
    const [first, second] = [await begin(url), await begin(url)];
    await (await post(url, ping, { 'mcp-session-id': first })).text();
    const third = await begin(url);
    const status = async (id: string): Promise<number> => (await post(url, ping, { 'mcp-session-id': id })).status;
    expect([await status(first), await status(second), await status(third)]).toEqual([200, 404, 200]);
    const leave = new AbortController();
    onTestFinished(() => leave.abort());
    for (const id of [first, third]) {
      const stream = await fetch(url, {
        headers: { 'mcp-session-id': id, Accept: 'text/event-stream' },
        signal: leave.signal,
      });
      expect(stream.status).toBe(200);
    }
    const refused = await post(url, initialize);
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringContaining('all 2 sessions are in use; try again'),
    ]);
    leave.abort();
    await expect.poll(async () => (await post(url, initialize)).status).toBe(200);
  });

  test('open an event stream before its first event', async () => {
    // Events come at intervals, so here none comes.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await listen();
    const leave = new AbortController();
    const headers = { 'mcp-session-id': await begin(url), Accept: 'text/event-stream' };
    const stream = await fetch(url, { headers, signal: leave.signal });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    leave.abort();
  });

  test('end the stream of a cancelled call, because it has no answer', async () => {
    const { set, begun, release } = gatedSet();
    const { url } = await listen({ toolSets: [set] });
    const headers = { 'mcp-session-id': await begin(url) };
    const params = { name: 'wait', arguments: {} };
    const stream = await post(url, { jsonrpc: '2.0', id: 7, method: 'tools/call', params }, headers);
    await begun;
    await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, headers);
    expect(await stream.text()).toBe('');
    release();
  });

  test('do not share what another session has read', async () => {
    const { url } = await listen();
    const [one, other] = [await connectUrl(url, 'legacy'), await connectUrl(url, 'legacy')];
    await call(one, 'read', { path: 'a.txt' });
    expect(await call(other, 'write', { path: 'a.txt', content: 'beta\n' })).toMatch(/^error: /u);
    expect(await call(one, 'write', { path: 'a.txt', content: 'beta\n' })).not.toMatch(/^error: /u);
  });
});

/** A set with a tool that answers after `release`. */
function gatedSet(): {
  readonly set: ToolSet;
  readonly begun: Promise<AbortSignal>;
  readonly release: () => void;
  readonly closed: () => number;
} {
  let begin: (signal: AbortSignal) => void = () => undefined;
  let release = (): void => undefined;
  const begun = new Promise<AbortSignal>((resolve) => (begin = resolve));
  const gate = new Promise<void>((resolve) => (release = resolve));
  let closed = 0;
  const wait: ToolDefinition = {
    name: 'wait',
    description: 'Waits.',
    inputSchema: z.strictObject({}),
    annotations: {
      title: 'Wait',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    execute: async (_, { signal } = {}) => {
      if (signal) begin(signal);
      await gate;
      return { isError: false, content: [{ type: 'text', text: 'waited' }], details: {} };
    },
    toModelOutput: () => ({ type: 'text', value: '' }),
  };
  const close = async (): Promise<void> => void closed++;
  return {
    set: { name: 'gated', open: () => ({ tools: { wait } }), close },
    begun,
    release: () => release(),
    closed: () => closed,
  };
}

describe.each(['legacy', 'modern'] as const)('a server that shuts down, in the %s era', (era) => {
  test('finishes and answers running calls, rejects others, and stops listening', async () => {
    const { set, begun, release } = gatedSet();
    const listener = await listen({ toolSets: [set], graceMs: 60_000 });
    const client = await connectUrl(listener.url, era);
    const answer = call(client, 'wait');
    await begun;
    const closing = listener.close();
    await expect(post(listener.url, initialize)).rejects.toThrow('fetch failed');
    release();
    expect(await answer).toBe('waited');
    await closing;
    await expect(fetch(listener.url)).rejects.toThrow('fetch failed');
  });

  test('cancels calls that exceed the grace time', async () => {
    const { set, begun, release } = gatedSet();
    const listener = await listen({ toolSets: [set], graceMs: 1 });
    const client = await connectUrl(listener.url, era);
    const answer = call(client, 'wait').catch((error: unknown) => error);
    const signal = await begun;
    await listener.close();
    expect(signal.aborted).toBe(true);
    release();
    await client.close();
    expect(await answer).toBeInstanceOf(Error);
  });

  test('cancels a call that the client cancels', async () => {
    const { set, begun, release } = gatedSet();
    const listener = await listen({ toolSets: [set] });
    const client = await connectUrl(listener.url, era);
    const controller = new AbortController();
    const answer = client.callTool({ name: 'wait' }, { signal: controller.signal });
    const signal = await begun;
    controller.abort(new Error('no longer'));
    await expect(answer).rejects.toThrow('no longer');
    await expect.poll(() => signal.aborted).toBe(true);
    release();
  });
});
