import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TestContext } from 'vitest';
import { cairn } from '../support/cli.ts';
import { freePort, hasRedis, startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/tree.ts';

/** Starts a Redis that ends with the test. @returns its port. */
async function startHere(options: readonly string[] = []): Promise<number> {
  const { port, stop } = await startRedis(options);
  onTestFinished(stop);
  return port;
}

interface Answer {
  readonly exitCode: number | null;
  readonly checks: Readonly<
    Record<string, { readonly status: string; readonly found: string; readonly mend?: string }>
  >;
  readonly output: string;
}

interface Doctored {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

async function doctor({ env = {}, uid }: Doctored = {}): Promise<Answer> {
  const home = temporaryDirectory();
  const run = { env: { HOME: home, ...env }, uid };
  const { exitCode, stdout, stderr } = await cairn(['doctor', '--json'], run);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; found: string }[] };
  return { exitCode, checks: Object.fromEntries(checks.map((check) => [check.name, check])), output: stdout + stderr };
}

const onLinux = process.platform === 'linux';

test('all is well here, in one line for each check', async () => {
  const home = temporaryDirectory();
  const { exitCode, stdout, stderr } = await cairn(['doctor'], { env: { HOME: home } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const lines = stdout.split('\n').slice(0, -1);
  expect(lines.map((line) => /^(?:ok|warn|-) {2,}([a-z ]+?) {2,}\S/u.exec(line)?.[1])).toEqual([
    'node',
    'addon',
    'writing',
    'state',
    'sqlite',
    'git',
    'redis',
    'watch limits',
    'open files',
  ]);
  expect(readdirSync(home)).toEqual([]);
});

test('an addon that does not load fails, with the reason of the system, and the rest is checked', async () => {
  const addon = join(temporaryDirectory(), 'broken.node');
  writeFileSync(addon, 'this is no program');
  const { exitCode, checks } = await doctor({ env: { NAPI_RS_NATIVE_LIBRARY_PATH: addon } });
  expect(exitCode).toBe(1);
  expect(checks['addon']).toMatchObject({ status: 'fail', found: expect.stringContaining(addon) });
  expect(checks['addon']?.mend).toContain('npm start');
  expect(checks['writing']).toMatchObject({ status: 'warn', found: 'not tried: the addon does not load' });
  expect(checks['node']).toMatchObject({ status: 'ok' });
});

describe.skipIf(!onLinux)('git', () => {
  const cases: readonly (readonly [why: string, script: string | undefined, found: RegExp])[] = [
    ['none on the PATH', undefined, /^it is not on the PATH$/u],
    ['something else of that name', '#!/bin/sh\necho hello\n', /^what the PATH has as git answers 'hello'$/u],
    ['one that does not run', '#!/bin/sh\necho broken >&2\nexit 3\n', /^it does not run: /u],
    ['one that is no program', 'x', /^(?:it does not run: |what the PATH has as git answers '')/u],
  ];
  test.each(cases)('%s is a warning', async (_, script, found) => {
    const bin = temporaryDirectory();
    if (script !== undefined) writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    const { exitCode, checks } = await doctor({ env: { PATH: bin } });
    expect(exitCode).toBe(0);
    expect(checks['git']).toMatchObject({ status: 'warn', found: expect.stringMatching(found) });
  });
});

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

describe.skipIf(!onLinux)('where files are kept', () => {
  test('a state directory that others can look into is a warning', async () => {
    const state = temporaryDirectory();
    mkdirSync(join(state, 'cairn'));
    chmodSync(join(state, 'cairn'), 0o755);
    const { exitCode, checks } = await doctor({ env: { XDG_STATE_HOME: state } });
    expect(exitCode).toBe(0);
    expect(checks['state']).toMatchObject({ status: 'warn', mend: `chmod 700 ${join(state, 'cairn')}` });
  });

  test('a state directory that is a file fails', async () => {
    const state = join(temporaryDirectory(), 'state');
    writeFileSync(state, '');
    const { exitCode, checks } = await doctor({ env: { XDG_STATE_HOME: state } });
    expect(exitCode).toBe(1);
    expect(checks['state']).toMatchObject({ status: 'fail', mend: 'set XDG_STATE_HOME to a directory of yours' });
  });

  test('a directory for temporary files that is not there fails', async () => {
    const { exitCode, checks } = await doctor({ env: { TMPDIR: '/nonexistent/tmp' } });
    expect(exitCode).toBe(1);
    expect(checks['writing']).toMatchObject({ status: 'fail', mend: expect.stringContaining('TMPDIR') });
    expect(checks['addon']).toMatchObject({ status: 'warn', mend: expect.stringContaining('writing') });
  });

  test('locks that others could write fail, with what the tools say', async () => {
    const temporary = temporaryDirectory();
    const locks = join(temporary, `cairn-${process.getuid?.() ?? 'user'}`);
    mkdirSync(locks);
    chmodSync(locks, 0o777);
    const { exitCode, checks } = await doctor({ env: { TMPDIR: temporary } });
    expect(exitCode).toBe(1);
    expect(checks['writing']).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('is writable for other users'),
    });
  });

  test.skipIf(!isRoot)('a home that may not be written to fails', async (context) => {
    const state = temporaryDirectory();
    chmodSync(state, 0o555);
    const canRun = spawnSync(process.execPath, ['--version'], { uid: nobody, gid: nobody }).status === 0;
    context.skip(!canRun, 'user 65534 cannot run this Node');
    const temporary = temporaryDirectory();
    chmodSync(temporary, 0o777);
    const { exitCode, checks } = await doctor({ uid: nobody, env: { XDG_STATE_HOME: state, TMPDIR: temporary } });
    expect(exitCode).toBe(1);
    expect(checks['state']).toMatchObject({ status: 'fail', found: expect.stringContaining('EACCES') });
  });
});

const secret = 'hunter2-geheim';

async function redisAt(url: string): Promise<Answer> {
  const answer = await doctor({ env: { CAIRN_REDIS_URL: url } });
  expect(answer.output, 'the password').not.toContain(secret);
  return answer;
}

/** A server that has an answer to each thing that it is told, and then none. */
async function serverThatSays(answers: readonly string[]): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const left = [...answers];
    socket.on('data', () => socket.write(left.shift() ?? ''));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function needRedis(context: TestContext): void {
  context.skip(!hasRedis, 'redis-server is missing: install the package redis-server');
}

describe('a Redis that is configured', () => {
  test('is well without a password', async (context) => {
    needRedis(context);
    const port = await startHere();
    const { exitCode, checks } = await redisAt(`redis://127.0.0.1:${port}/3`);
    expect(exitCode).toBe(0);
    expect(checks['redis']).toMatchObject({ status: 'ok', found: expect.stringMatching(/ is Redis \d+\.\d+/u) });
  });

  test('with a password is told apart: right, wrong, none, and one too many', async (context) => {
    needRedis(context);
    const port = await startHere(['--requirepass', secret]);
    const open = await startHere();
    const cases: readonly (readonly [url: string, status: string, found: string])[] = [
      [`redis://:${secret}@127.0.0.1:${port}`, 'ok', 'is Redis'],
      [`redis://default:${secret}@127.0.0.1:${port}`, 'ok', 'is Redis'],
      [`redis://:${secret}x@127.0.0.1:${port}`, 'fail', 'refuses the user or the password'],
      [`redis://somebody:${secret}@127.0.0.1:${port}`, 'fail', 'refuses the user or the password'],
      [`redis://127.0.0.1:${port}`, 'fail', 'asks for a password'],
      [`redis://:${secret}@127.0.0.1:${open}`, 'fail', 'has no password, but CAIRN_REDIS_URL gives one'],
    ];
    for (const [url, status, found] of cases) {
      const { exitCode, checks } = await redisAt(url);
      expect(checks['redis'], url).toMatchObject({ status, found: expect.stringContaining(found) });
      expect(exitCode, url).toBe(status === 'ok' ? 0 : 1);
    }
  });

  test('may keep its version from who may not ask', async (context) => {
    needRedis(context);
    const rules = ['--user', 'asker', 'on', `>${secret}`, '+ping', '+select'];
    const port = await startHere(rules);
    const { checks } = await redisAt(`redis://asker:${secret}@127.0.0.1:${port}`);
    expect(checks['redis']).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('does not tell its version'),
    });
  });

  test('has to have the database', async (context) => {
    needRedis(context);
    const port = await startHere();
    const { checks } = await redisAt(`redis://127.0.0.1:${port}/99`);
    expect(checks['redis']).toMatchObject({ status: 'fail', found: expect.stringContaining('no such database') });
  });
});

describe('an address that leads nowhere', () => {
  test.each([
    ['that is none', `not-a-url ${secret}`, 'is no address'],
    ['of another kind', `http://x:${secret}@127.0.0.1`, 'is no address'],
    ['with an escape that is none', `redis://x:${secret}%@127.0.0.1:1`, 'is no address'],
    ['with a port that is none', `redis://x:${secret}@127.0.0.1:port`, 'is no address'],
  ])('%s fails', async (_, url, found) => {
    const { exitCode, checks } = await redisAt(url);
    expect(exitCode).toBe(1);
    expect(checks['redis']).toMatchObject({ status: 'fail', found: expect.stringContaining(found) });
  });

  test('where nobody listens fails at once', async () => {
    const { exitCode, checks } = await redisAt(`redis://:${secret}@127.0.0.1:${await freePort()}`);
    expect(exitCode).toBe(1);
    expect(checks['redis']).toMatchObject({ status: 'fail', found: expect.stringContaining('ECONNREFUSED') });
  });

  const answers: readonly (readonly [why: string, says: readonly string[], found: string])[] = [
    ['a server that says nothing', [], 'does not answer within 2 s'],
    ['a server of the web', ['HTTP/1.1 400 Bad Request\r\n\r\n'], 'is something else'],
    [
      'an answer that does not end',
      [`$99999999\r\n${'x'.repeat(2 ** 21)}`],
      'is something else: the answer does not end',
    ],
    ['a Redis that is too old', ['+PONG\r\n', '$22\r\nredis_version:5.0.14\r\n\r\n'], 'is Redis 5.0.14'],
  ];
  test.each(answers)('%s fails', async (_, says, found) => {
    const { exitCode, checks } = await redisAt(`redis://127.0.0.1:${await serverThatSays(says)}`);
    expect(exitCode).toBe(1);
    expect(checks['redis']).toMatchObject({ status: 'fail', found: expect.stringContaining(found) });
  });
});
