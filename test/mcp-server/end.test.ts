import { codingToolSet, createWorkspace } from '@cairn/coding-agent';
import { createMcpServer, serveStdio } from '@cairn/mcp-server';
import { serveHttp } from '@cairn/mcp-server/http';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createTree } from '../support/tree.ts';
import { startCairn } from '../support/cli.ts';
import { initializeParams, startInitialized } from './raw.ts';
import type { RawServer } from './raw.ts';
import { call, connectUrl, kill, startHttp } from './support.ts';

/** Holds the lock of a file, as another process that changes the file would. Returns a function that releases the lock. */
async function holdLock(root: string, path: string): Promise<() => Promise<void>> {
  let release = (): void => undefined;
  let held: Promise<void> = Promise.resolve();
  await new Promise<void>((taken, failed) => {
    held = createWorkspace({ root }).locks.hold([dirname(join(root, path))], {}, () => {
      taken();
      return new Promise<void>((resolve) => (release = resolve));
    });
    held.catch(failed);
  });
  const letGo = (): Promise<void> => {
    release();
    return held;
  };
  onTestFinished(letGo);
  return letGo;
}

const edit = { name: 'edit', arguments: { path: 'a.txt', old_text: 'alpha', new_text: 'beta' } };

/** Starts a server with a running edit, which cannot finish before `letGo`. */
async function startEditing(root: string): Promise<{ server: RawServer; letGo: () => Promise<void> }> {
  const letGo = await holdLock(root, 'a.txt');
  const server = await startInitialized(['--root', root]);
  server.send({ jsonrpc: '2.0', id: 'edit', method: 'tools/call', params: edit });
  // Requests start in order, so the edit has started when this has its answer.
  await server.request('after', 'ping');
  return { server, letGo };
}

test.each([
  ['SIGTERM', (server: RawServer) => server.child.kill('SIGTERM')],
  ['SIGINT', (server: RawServer) => server.child.kill('SIGINT')],
  ['the end of its input', (server: RawServer) => server.child.stdin?.end()],
])('a server over stdio finishes and answers the running call at %s, and ends', async (_, end) => {
  const root = createTree({ 'a.txt': 'alpha\n' });
  const { server, letGo } = await startEditing(root);
  end(server);
  await letGo();
  expect((await server.answer('edit')).result).toMatchObject({ content: [{ text: expect.stringContaining('a.txt') }] });
  expect(await server.ended).toMatchObject({ exitCode: 0, signal: null });
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('beta\n');
});

test('a server over stdio ends when its output is closed', async () => {
  const server = await startInitialized(['--root', createTree({ 'a.txt': 'alpha\n' })]);
  server.child.stdout?.destroy();
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(await server.ended).toMatchObject({ exitCode: 0, signal: null });
});

test.each([
  ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
  ['the end of its input', (child: ChildProcess) => child.stdin?.end()],
])('a server over stdio ends at %s although its client reads nothing', async (_, end) => {
  // More than a pipe holds.
  const root = createTree({ 'large.bin': Buffer.alloc(4 * 1024 * 1024) });
  const child = startCairn(['mcp', '--root', root]);
  onTestFinished(() => kill(child));
  const uri = pathToFileURL(join(root, 'large.bin')).href;
  for (const request of [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams },
    { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri } },
  ]) {
    child.stdin?.write(`${JSON.stringify(request)}\n`);
  }
  await once(child.stdout ?? child, 'readable');
  const ended = once(child, 'exit');
  end(child);
  expect(await ended).toEqual([0, null]);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a server over HTTP finishes and answers the running call at %s, and ends',
  async (signal) => {
    const root = createTree({ 'a.txt': 'alpha\n', 'b.txt': 'b\n' });
    const letGo = await holdLock(root, 'a.txt');
    const server = await startHttp(['--root', root, '--http', '0', '--no-auth']);
    const client = await connectUrl(server.url, 'modern');
    const ended = new Promise((resolve) => server.child.once('exit', (...how) => resolve(how)));
    const answer = client.callTool(edit);
    // The edit waits for the lock after this answer: reading the file comes first.
    expect(await call(client, 'read', { path: 'b.txt' })).toContain('b.txt');
    server.child.kill(signal);
    await expect.poll(() => fetch(server.url).catch(String)).toContain('fetch failed');
    await letGo();
    expect(await answer).toMatchObject({ content: [{ text: expect.stringContaining('a.txt') }] });
    expect(await ended).toEqual([0, null]);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('beta\n');
  },
);

const listen = {
  jsonrpc: '2.0',
  id: 'listen',
  method: 'subscriptions/listen',
  params: {
    notifications: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

test('an open subscription does not delay shutdown over stdio', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const service = await createMcpServer({ toolSets: [codingToolSet], roots: [createTree({})] });
  // Longer than the time-out of the test.
  const connection = await serveStdio(service, { input, output, graceMs: 600_000 });
  const answers = createInterface({ input: output })[Symbol.asyncIterator]();
  input.write(`${JSON.stringify(listen)}\n`);
  expect((await answers.next()).value).toContain('notifications/subscriptions/acknowledged');
  input.end();
  await connection.ended;
  expect((await answers.next()).value).toContain('"result"');
});

test('an open subscription does not delay shutdown over HTTP', async () => {
  const service = await createMcpServer({ toolSets: [codingToolSet], roots: [createTree({})] });
  const listener = await serveHttp(service, { port: 0, token: undefined, graceMs: 600_000 });
  const stream = await fetch(listener.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': listen.method,
    },
    body: JSON.stringify(listen),
  });
  expect(stream.status).toBe(200);
  const events = stream.text();
  await listener.close();
  expect(await events).toContain('acknowledged');
});
