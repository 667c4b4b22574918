import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TestContext } from 'vitest';
import { createClient } from '@redis/client';
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
    Record<string, { readonly status: string; readonly message: string; readonly fix?: string }>
  >;
  readonly output: string;
}

interface Doctored {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly cwd?: string;
}

async function doctor({ env = {}, uid, cwd }: Doctored = {}): Promise<Answer> {
  const home = temporaryDirectory();
  const run = { env: { HOME: home, ...env }, uid, cwd };
  const { exitCode, stdout, stderr } = await cairn(['doctor', '--json'], run);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; message: string }[] };
  return { exitCode, checks: Object.fromEntries(checks.map((check) => [check.name, check])), output: stdout + stderr };
}

const onLinux = process.platform === 'linux';

test('prints one line for each check', async () => {
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
    'project',
    'redis',
    'memory',
    'knowledge',
    'team',
    'model',
    'glossary',
    'embeddings',
    'open files',
    'content index',
  ]);
  expect(readdirSync(home)).toEqual([]);
});

test('every store is opened and read: the memory of the user and of the directory, the knowledge, and the clone of the team', async () => {
  const [data, cwd] = [temporaryDirectory(), temporaryDirectory()];
  const own = join(data, 'cairn', 'memory.db');
  const ofProject = join(cwd, '.cairn', 'memory.db');
  const knowledge = join(data, 'cairn', 'knowledge', 'knowledge.db');
  const env = { HOME: temporaryDirectory(), XDG_DATA_HOME: data };
  for (const store of [own, ofProject, knowledge]) {
    await cairn(['memory', 'remember', 'the tests need redis', '--store', store], { env, cwd });
  }
  const clone = join(data, 'cairn', 'knowledge', 'team.git');
  spawnSync('git', ['init', '--bare', '--quiet', clone]);
  const sound = await doctor({ env, cwd });
  expect(sound.exitCode).toBe(0);
  for (const [check, path] of [
    ['memory', own],
    ['memory', ofProject],
    ['knowledge', knowledge],
    ['team', clone],
  ] as const) {
    expect(sound.checks[check]).toMatchObject({ status: 'ok', message: expect.stringContaining(path) });
  }
  expect(sound.checks['memory']?.message).toContain('no backup yet');
  for (const path of [ofProject, knowledge]) {
    const bytes = readFileSync(path);
    bytes.fill(0x55, 6 * 4096, 7 * 4096);
    writeFileSync(path, bytes);
  }
  writeFileSync(join(clone, 'HEAD'), 'nothing');
  const { exitCode, checks } = await doctor({ env, cwd });
  expect(exitCode).toBe(1);
  expect(checks['memory']).toMatchObject({
    status: 'fail',
    message: expect.stringContaining(`${ofProject} is damaged`),
  });
  expect(checks['memory']?.fix).toContain(`cairn memory backup <file> --store ${ofProject}`);
  expect(checks['knowledge']).toMatchObject({
    status: 'fail',
    message: expect.stringContaining(`${knowledge} is damaged`),
  });
  expect(checks['team']).toMatchObject({ status: 'fail' });
});

test('an addon that does not load fails with the reason of the system, and the other checks run', async () => {
  const addon = join(temporaryDirectory(), 'broken.node');
  writeFileSync(addon, 'not a program');
  const { exitCode, checks } = await doctor({ env: { NAPI_RS_NATIVE_LIBRARY_PATH: addon } });
  expect(exitCode).toBe(1);
  expect(checks['addon']).toMatchObject({ status: 'fail', message: expect.stringContaining(addon) });
  expect(checks['addon']?.fix).toContain('npm start');
  expect(checks['writing']).toMatchObject({ status: 'warn', message: 'not checked, because the addon does not load' });
  expect(checks['node']).toMatchObject({ status: 'ok' });
});

test.skipIf(!onLinux).each([
  ['ok', {}, /^from 10,000 files or 150 MB on, .* at most 122\.1 MiB; a file \d+ s after its last change/u],
  ['skip', { FS_CONTENT_INDEX_MAX_BYTES: '0' }, /^off: FS_CONTENT_INDEX_MAX_BYTES is 0$/u],
  [
    'warn',
    { FS_CONTENT_INDEX_MIN_FILES: '1e3' },
    /^FS_CONTENT_INDEX_MIN_FILES has no effect: it is not a whole number$/u,
  ],
])('the index of contents: %s', async (status, env, message) => {
  const { checks } = await doctor({ env });
  expect(checks['content index']).toMatchObject({
    name: 'content index',
    status,
    message: expect.stringMatching(message) as unknown,
  });
});

test.skipIf(!onLinux).each(['/', '..', '.'])(
  'the index of contents is off in a home directory and above: %s',
  async (up) => {
    const home = temporaryDirectory();
    const cwd = resolve(home, up);
    const { checks } = await doctor({ env: { HOME: home }, cwd });
    const message = `off here: ${cwd} is or contains your home directory`;
    expect(checks['content index']).toEqual({ name: 'content index', status: 'skip', message });
  },
);

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

describe.skipIf(!onLinux)('directories', () => {
  test('a state directory that others can read is a warning', async () => {
    const state = temporaryDirectory();
    mkdirSync(join(state, 'cairn'));
    chmodSync(join(state, 'cairn'), 0o755);
    const { exitCode, checks } = await doctor({ env: { XDG_STATE_HOME: state } });
    expect(exitCode).toBe(0);
    expect(checks['state']).toMatchObject({ status: 'warn', fix: `chmod 700 ${join(state, 'cairn')}` });
  });

  test('a state directory that is a file fails', async () => {
    const state = join(temporaryDirectory(), 'state');
    writeFileSync(state, '');
    const { exitCode, checks } = await doctor({ env: { XDG_STATE_HOME: state } });
    expect(exitCode).toBe(1);
    expect(checks['state']).toMatchObject({
      status: 'fail',
      fix: 'set XDG_STATE_HOME to a directory that you can write to',
    });
  });

  test('a missing directory for temporary files fails', async () => {
    const { exitCode, checks } = await doctor({ env: { TMPDIR: '/nonexistent/tmp' } });
    expect(exitCode).toBe(1);
    expect(checks['writing']).toMatchObject({ status: 'fail', fix: expect.stringContaining('TMPDIR') });
    expect(checks['addon']).toMatchObject({ status: 'warn', fix: expect.stringContaining('writing') });
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
    expect(checks['state']).toMatchObject({ status: 'fail', message: expect.stringContaining('EACCES') });
  });
});

const secret = 'hunter2-geheim';

async function redisAt(url: string): Promise<Answer> {
  const answer = await doctor({ env: { CAIRN_REDIS_URL: url } });
  expect(answer.output, 'the password').not.toContain(secret);
  return answer;
}

/** A server that sends these answers, one per message, and then nothing. */
async function serverThatAnswers(answers: readonly string[]): Promise<number> {
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

describe('a configured Redis', () => {
  test('is ok without a password', async (context) => {
    needRedis(context);
    const port = await startHere(['--appendonly', 'yes']);
    const { exitCode, checks } = await redisAt(`redis://127.0.0.1:${port}/3`);
    expect(exitCode).toBe(0);
    expect(checks['redis']).toMatchObject({ status: 'ok', message: expect.stringMatching(/ is Redis [\d.]+$/u) });
  });

  test.skipIf(!hasRedis).each([
    ['without persistence', [], 'keeps nothing on its disk', 'CONFIG SET appendonly yes; CONFIG REWRITE'],
    ['with snapshots only', ['--save', '60 1'], 'no append-only file', 'CONFIG SET appendonly yes; CONFIG REWRITE'],
    [
      'that evicts keys',
      ['--appendonly', 'yes', '--maxmemory-policy', 'volatile-lru'],
      'removes memories when its memory is full (maxmemory-policy volatile-lru)',
      'CONFIG SET maxmemory-policy noeviction; CONFIG REWRITE',
    ],
    [
      'that evicts keys and has no persistence',
      ['--maxmemory-policy', 'allkeys-lfu'],
      'full (maxmemory-policy allkeys-lfu); it keeps nothing',
      'CONFIG SET maxmemory-policy noeviction; CONFIG SET appendonly yes; CONFIG REWRITE',
    ],
  ])('%s is not ok', async (_, options, message, fix) => {
    const { checks } = await redisAt(`redis://127.0.0.1:${await startHere(options)}`);
    expect(checks['redis']).toMatchObject({
      status: 'warn',
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    });
  });

  test('with keys of an earlier format is not ok', async (context) => {
    needRedis(context);
    const { url, stop } = await startRedis(['--appendonly', 'yes']);
    onTestFinished(stop);
    const client = await createClient({ url, RESP: 2 }).connect();
    onTestFinished(() => client.destroy());
    await client.set('cairn:{facts}:rows', 'x');
    const { checks } = await redisAt(url);
    expect(checks['redis']).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/ has keys of an earlier format, which memory does not read$/u),
      fix: expect.stringContaining("'cairn memory export'"),
    });
  });

  test('distinguishes right, wrong, missing and superfluous passwords', async (context) => {
    needRedis(context);
    const port = await startHere(['--requirepass', secret, '--appendonly', 'yes']);
    const open = await startHere();
    const cases: readonly (readonly [url: string, status: string, found: string])[] = [
      [`redis://:${secret}@127.0.0.1:${port}`, 'ok', 'is Redis'],
      [`redis://default:${secret}@127.0.0.1:${port}`, 'ok', 'is Redis'],
      [`redis://:${secret}x@127.0.0.1:${port}`, 'fail', 'rejects the user or the password'],
      [`redis://user:${secret}@127.0.0.1:${port}`, 'fail', 'rejects the user or the password'],
      [`redis://127.0.0.1:${port}`, 'fail', 'requires a password'],
      [`redis://:${secret}@127.0.0.1:${open}`, 'fail', 'has no password, but CAIRN_REDIS_URL contains one'],
    ];
    for (const [url, status, message] of cases) {
      const { exitCode, checks } = await redisAt(url);
      expect(checks['redis'], url).toMatchObject({ status, message: expect.stringContaining(message) });
      expect(exitCode, url).toBe(status === 'ok' ? 0 : 1);
    }
  });

  test('is ok when the user may not ask for the version', async (context) => {
    needRedis(context);
    const rules = ['--user', 'asker', 'on', `>${secret}`, '+ping', '+select'];
    const port = await startHere(rules);
    const { checks } = await redisAt(`redis://asker:${secret}@127.0.0.1:${port}`);
    expect(checks['redis']).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('does not return its version'),
    });
  });

  test('fails without the database', async (context) => {
    needRedis(context);
    const port = await startHere();
    const { checks } = await redisAt(`redis://127.0.0.1:${port}/99`);
    expect(checks['redis']).toMatchObject({ status: 'fail', message: expect.stringContaining('no such database') });
  });
});

describe('an invalid address', () => {
  test.each([
    ['that is not a URL', `not-a-url ${secret}`, 'is not a Redis URL'],
    ['of another kind', `http://x:${secret}@127.0.0.1`, 'is not a Redis URL'],
    ['with an invalid escape', `redis://x:${secret}%@127.0.0.1:1`, 'is not a Redis URL'],
    ['with an invalid port', `redis://x:${secret}@127.0.0.1:port`, 'is not a Redis URL'],
  ])('%s fails', async (_, url, message) => {
    const { exitCode, checks } = await redisAt(url);
    expect(exitCode).toBe(1);
    expect(checks['redis']).toMatchObject({ status: 'fail', message: expect.stringContaining(message) });
  });

  test('without a listener fails at once', async () => {
    const { exitCode, checks } = await redisAt(`redis://:${secret}@127.0.0.1:${await freePort()}`);
    expect(exitCode).toBe(1);
    expect(checks['redis']).toMatchObject({ status: 'fail', message: expect.stringContaining('ECONNREFUSED') });
  });

  const servers: readonly (readonly [why: string, says: readonly string[], found: string])[] = [
    ['a server that does not answer', [], 'does not answer within 2 s'],
    ['a web server', ['HTTP/1.1 400 Bad Request\r\n\r\n'], 'is not a Redis: '],
    ['an answer that does not end', [`$99999999\r\n${'x'.repeat(2 ** 21)}`], 'does not answer within 2 s'],
    ['a Redis that is too old', ['+PONG\r\n', '$22\r\nredis_version:5.0.14\r\n\r\n'], 'is Redis 5.0.14'],
  ];
  test.each(servers)('%s fails', async (_, answers, message) => {
    const { exitCode, checks } = await redisAt(`redis://127.0.0.1:${await serverThatAnswers(answers)}`);
    expect(exitCode).toBe(1);
    expect(checks['redis']).toMatchObject({ status: 'fail', message: expect.stringContaining(message) });
  });
});
