import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';
import { initializeParams, startInitialized, startRaw } from './raw.ts';
import { startHttp } from './support.ts';

const tooLong = 'x'.repeat(11 * 1024 * 1024);

const lines: readonly (readonly [
  what: string,
  line: string | Uint8Array,
  id: number | string | null,
  answer: object,
])[] = [
  [
    'broken JSON',
    '{"jsonrpc": "2.0", "id": 1,\n',
    null,
    { code: -32_700, message: expect.stringMatching(/^parse error: .*; send one JSON object per line/u) },
  ],
  ['plain text', 'hello\n', null, { code: -32_700 }],
  ['invalid UTF-8', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', 'latin1'), null, { code: -32_700 }],
  [
    'JSON that is not a message',
    '{"id":7,"method":"ping"}\n',
    7,
    { code: -32_600, message: expect.stringContaining('not a JSON-RPC 2.0 message') },
  ],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', null, { code: -32_600 }],
  ['a number', '5\n', null, { code: -32_600 }],
  [
    'a message that is too long',
    `{"jsonrpc":"2.0","id":8,"method":"${tooLong}"}\n`,
    8,
    {
      code: -32_600,
      message: expect.stringMatching(
        /^invalid request: the message has \d+ bytes, more than the limit of 10485760; send a shorter message$/u,
      ),
    },
  ],
  [
    'a long message with its id at the end',
    `{"method":"${tooLong}","jsonrpc":"2.0","id":"nine"}\n`,
    'nine',
    { code: -32_600 },
  ],
  ['a long message without a readable id', `${tooLong}\n`, null, { code: -32_600 }],
  ['an unknown method', '{"jsonrpc":"2.0","id":10,"method":"tools/burn"}\n', 10, { code: -32_601 }],
  [
    'parameters of another shape',
    '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":5}}\n',
    11,
    { code: -32_602 },
  ],
  [
    'a cursor of another server',
    '{"jsonrpc":"2.0","id":12,"method":"resources/list","params":{"cursor":"bm8="}}\n',
    12,
    { code: -32_602, message: 'invalid cursor "bm8="; list again without a cursor' },
  ],
];

describe('a server over stdio', () => {
  test('answers an invalid request with an error and continues', async () => {
    const server = await startInitialized(['--root', createTree({ 'a.txt': 'alpha\n' })]);
    for (const [what, line, id, error] of lines) {
      server.send(line);
      expect((await server.answer(id)).error, what).toMatchObject(error);
      expect((await server.request('alive', 'ping')).result, what).toEqual({});
    }
    expect(lines.length).toBeGreaterThan(0);
  });

  test('logs an invalid message once', async () => {
    const server = await startInitialized(['--root', createTree({})]);
    server.send('broken\n');
    await server.answer(null);
    server.child.stdin?.end();
    expect((await server.ended).stderr.match(/parse error/gu)).toHaveLength(1);
  });

  test('accepts empty lines, Windows line ends and messages in pieces', async () => {
    const server = await startInitialized(['--root', createTree({ 'a.txt': 'alpha\n' })]);
    server.send('\n\r\n  \n');
    for (const piece of [
      '{"jsonrpc":"2.0",',
      '"id":1,"meth',
      'od":"ping"}',
      '\r\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n',
    ]) {
      server.send(piece);
    }
    expect((await server.answer(1)).result).toEqual({});
    expect((await server.answer(2)).result).toEqual({});
  });

  test('rejects a request with the id of a running request, which continues', async () => {
    const server = await startInitialized(['--root', createTree({ 'a.txt': 'alpha\n' })]);
    const read = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ls', arguments: {} } };
    server.send(`${JSON.stringify(read)}\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    expect(await server.answer(1)).toMatchObject({
      error: { message: expect.stringContaining('a running request has the id 1; use a new id') },
    });
    expect(await server.answer(1)).toMatchObject({ result: { content: expect.any(Array) } });
    expect((await server.request(1, 'ping')).result).toEqual({});
  });

  test('rejects requests except ping before initialize, and can be initialized later', async () => {
    const server = startRaw(['--root', createTree({ 'a.txt': 'alpha\n' })]);
    expect((await server.request(0, 'ping')).result).toEqual({});
    for (const method of ['tools/list', 'tools/call', 'resources/list', 'resources/read']) {
      const { error } = await server.request(1, method, { name: 'ls', uri: 'file:///' });
      expect(error, method).toMatchObject({
        code: -32_600,
        message: expect.stringContaining('; send initialize before'),
      });
    }
    expect((await server.request(2, 'initialize', initializeParams)).result).toMatchObject({
      protocolVersion: '2025-11-25',
    });
    expect((await server.request(3, 'tools/list')).result).toMatchObject({ tools: expect.any(Array) });
  });

  test('offers a supported version to a client that asks for another', async () => {
    const server = startRaw(['--root', createTree({ 'a.txt': 'alpha\n' })]);
    const old = await server.request(1, 'initialize', { ...initializeParams, protocolVersion: '1999-12-31' });
    expect(old.result).toMatchObject({ protocolVersion: '2025-11-25' });
    const other = startRaw(['--root', createTree({ 'a.txt': 'alpha\n' })]);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2999-01-01',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { error } = await other.request(1, 'tools/list', { _meta: meta });
    expect(error).toMatchObject({ code: -32_022, data: { supported: ['2026-07-28'], requested: '2999-01-01' } });
    const right = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    expect((await other.request(2, 'tools/list', { _meta: right })).result).toMatchObject({ tools: expect.any(Array) });
  });
});

describe('a server that cannot start', () => {
  const root = (): string => createTree({ 'a.txt': 'alpha\n' });
  const cases: readonly (readonly [what: string, args: () => readonly string[], message: RegExp])[] = [
    [
      'a root that does not exist',
      () => ['--root', '/no/such/place'],
      /the root \/no\/such\/place does not exist; use a directory/u,
    ],
    ['a root that is a file', () => ['--root', join(root(), 'a.txt')], /a\.txt is not a directory; use/u],
    ['an empty root', () => ['--root', ''], /--root is empty; use a directory/u],
    [
      'an unknown tool',
      () => ['--root', root(), '--tools', 'read,burn'],
      /unknown tool burn; the tools are read, write/u,
    ],
    [
      'an empty list of tools',
      () => ['--root', root(), '--tools', ','],
      /the list of tools is empty; the tools are read/u,
    ],
    [
      'a tool that writes on a read-only server',
      () => ['--root', root(), '--read-only', '--tools', 'read,write'],
      /not a read-only tool: write; the read-only tools are read, glob/u,
    ],
    [
      'an unknown naming profile',
      () => ['--root', root(), '--naming', 'emacs'],
      /invalid --naming "emacs"; use default, claude, /u,
    ],
    ['an invalid port', () => ['--root', root(), '--http', '70000'], /invalid --http "70000"; use a port up to 65535/u],
    ['a token without HTTP', () => ['--root', root(), '--token', 'x'], /--token works only with --http/u],
    ['no authentication without HTTP', () => ['--root', root(), '--no-auth'], /--no-auth works only with --http/u],
    [
      'a token and no authentication',
      () => ['--root', root(), '--http', '0', '--token', 'x', '--no-auth'],
      /exclude each other/u,
    ],
    ['an empty token', () => ['--root', root(), '--http', '0', '--token', ''], /token/u],
    ['a token with a space', () => ['--root', root(), '--http', '0', '--token', 'a b'], /token/u],
  ];

  test.each(cases)('reports the reason in one line: %s', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await cairn(['mcp', ...args()]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test.skipIf(process.getuid?.() !== 0)('reports a root that it may not read', async () => {
    const place = createTree({ 'private/a.txt': 'alpha\n' });
    chmodSync(join(place, 'private'), 0o700);
    chmodSync(place, 0o755);
    const { exitCode, stderr } = await cairn(['mcp', '--root', join(place, 'private')], { uid: 65_534 });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/private cannot be read by this user; use/u),
    });
  });

  test('reports a port that is in use', async () => {
    const taken = createServer();
    onTestFinished(() => void taken.close());
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { exitCode, stderr } = await cairn(['mcp', '--root', root(), '--http', String(port), '--no-auth']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use; use another port, or 0 for any free one`);
  });
});

test('a home directory or file system as root is served with a warning', async () => {
  const home = createTree({ 'a.txt': 'alpha\n' });
  mkdirSync(join(home, 'deep'));
  writeFileSync(join(home, 'deep/b.txt'), 'beta\n');
  const server = await startHttp(['--root', home, '--root', '/', '--http', '0', '--no-auth'], { HOME: home });
  expect(server.stderr()).toContain(`${home} is a whole home directory: clients may read and change all of it`);
  expect(server.stderr()).toContain('/ is a whole file system');
});
