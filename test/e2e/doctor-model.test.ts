import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cairn } from '../support/cli.ts';
import { startModelServer } from '../support/model-server.ts';
import { freePort } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/tree.ts';

const KEY = 'correct-horse-battery';

interface ModelCheck {
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

async function modelCheck(env: Readonly<Record<string, string>>): Promise<readonly [number | null, ModelCheck]> {
  const { exitCode, stdout, stderr } = await cairn(['doctor', '--json'], {
    env: { HOME: temporaryDirectory(), ...env },
  });
  expect(stdout + stderr, 'the key').not.toContain(KEY);
  const { checks } = JSON.parse(stdout) as { checks: (ModelCheck & { readonly name: string })[] };
  const check = checks.find(({ name }) => name === 'model');
  if (!check) throw new Error('there is no check of the model');
  return [exitCode, check];
}

async function start(models?: readonly string[]): Promise<string> {
  const server = await startModelServer([], { key: KEY, ...(models && { models }) });
  onTestFinished(server.close);
  return server.url;
}

test('is skipped if none is configured', async () => {
  const [exitCode, { status, message }] = await modelCheck({});
  expect([exitCode, status]).toEqual([0, 'skip']);
  expect(message).toContain('everything else works');
});

test.each([
  ['the server', { CAIRN_MODEL: 'small' }, 'The model "small" has no server', 'Set CAIRN_BASE_URL'],
  ['the model', { CAIRN_BASE_URL: 'http://localhost:1/v1' }, 'No model is configured', 'Set CAIRN_MODEL'],
])('warns if %s is missing', async (_, env, message, fix) => {
  const [exitCode, check] = await modelCheck(env);
  expect([exitCode, check]).toMatchObject([
    0,
    { status: 'warn', message, fix: expect.stringContaining(fix) as string },
  ]);
});

describe('a server', () => {
  test('that lists the model is ok, and no model is called', async () => {
    const url = await start(['small', 'large']);
    const [exitCode, check] = await modelCheck({ CAIRN_MODEL: 'small', CAIRN_BASE_URL: url, CAIRN_API_KEY: KEY });
    expect([exitCode, check]).toEqual([0, { name: 'model', status: 'ok', message: `small at ${url}` }]);
  });

  test.each([
    ['lists others', ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'it lists a, b, c, d, e and 2 more'],
    ['lists none', [], 'it lists no model'],
  ])('that %s is a warning', async (_, models, text) => {
    const url = await start(models);
    const [exitCode, check] = await modelCheck({ CAIRN_MODEL: 'small', CAIRN_BASE_URL: url, CAIRN_API_KEY: KEY });
    expect([exitCode, check.status, check.fix]).toEqual([0, 'warn', 'correct CAIRN_MODEL']);
    expect(check.message).toContain(`does not list the model "small"; ${text}`);
  });

  test('that rejects the key fails', async () => {
    const env = { CAIRN_MODEL: 'small', CAIRN_BASE_URL: await start(), CAIRN_API_KEY: `${KEY}-old` };
    const [exitCode, check] = await modelCheck(env);
    expect([exitCode, check]).toMatchObject([1, { status: 'fail', fix: 'Correct CAIRN_API_KEY' }]);
  });

  test('that does not run fails', async () => {
    const env = { CAIRN_MODEL: 'small', CAIRN_BASE_URL: `http://127.0.0.1:${await freePort()}` };
    const [exitCode, check] = await modelCheck(env);
    expect([exitCode, check]).toMatchObject([1, { status: 'fail', fix: 'Start it, or correct CAIRN_BASE_URL' }]);
  });

  test('is not checked if the addon does not load', async () => {
    const addon = join(temporaryDirectory(), 'broken.node');
    writeFileSync(addon, 'not a program');
    const env = { CAIRN_MODEL: 'scripted-1', CAIRN_BASE_URL: await start(), CAIRN_API_KEY: KEY };
    const [, check] = await modelCheck({ ...env, NAPI_RS_NATIVE_LIBRARY_PATH: addon });
    expect(check).toMatchObject({ status: 'warn', message: 'not checked, because the addon does not load' });
  });
});

test('a URL that is not one fails', async () => {
  const [exitCode, check] = await modelCheck({ CAIRN_MODEL: 'small', CAIRN_BASE_URL: KEY });
  expect([exitCode, check]).toMatchObject([1, { status: 'fail', message: 'The base URL of the model is not a URL' }]);
});

describe('a proxy of the environment', () => {
  /** Tunnels every connection to one port. */
  async function startProxy(port: number): Promise<[url: string, hosts: string[]]> {
    const hosts: string[] = [];
    const proxy = createServer().on('connect', (request, socket, head) => {
      hosts.push(request.url ?? '');
      const target = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.write(head);
        socket.pipe(target).pipe(socket);
      });
      socket.on('error', () => target.destroy());
      target.on('error', () => socket.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await new Promise((resolve) => proxy.once('listening', resolve));
    onTestFinished(() => void proxy.close());
    return [`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, hosts];
  }

  test.each(['HTTP_PROXY', 'http_proxy'])('%s is used, but not for this machine', async (variable) => {
    const url = await start();
    const [proxy, hosts] = await startProxy(Number(new URL(url).port));
    const env = { [variable]: proxy, CAIRN_MODEL: 'scripted-1', CAIRN_API_KEY: KEY };
    expect(await modelCheck({ ...env, CAIRN_BASE_URL: url })).toMatchObject([0, { status: 'ok' }]);
    expect(hosts).toEqual([]);
    const [exitCode, check] = await modelCheck({ ...env, CAIRN_BASE_URL: 'http://models.example/v1' });
    expect(hosts).toEqual(['models.example:80']);
    // The proxy sees the key.
    expect([exitCode, check.status, check.fix]).toEqual([0, 'warn', 'use https:// in CAIRN_BASE_URL']);
  });

  test('is not used for a host in NO_PROXY', async () => {
    const [proxy, hosts] = await startProxy(1);
    const env = {
      HTTP_PROXY: proxy,
      NO_PROXY: 'models.invalid',
      CAIRN_MODEL: 'a',
      CAIRN_BASE_URL: 'http://models.invalid',
    };
    expect((await modelCheck(env))[1].status).toBe('fail');
    expect(hosts).toEqual([]);
  });
});
