import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './tree.ts';

/** Whether there is a Redis to start. */
export const hasRedisServer: boolean = spawnSync('redis-server', ['--version']).status === 0;

/** A port of 127.0.0.1 that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a Redis that keeps nothing, and ends it with the test. @returns its port, once it answers. */
export async function startRedis(options: readonly string[] = []): Promise<number> {
  const port = await freePort();
  const directory = temporaryDirectory();
  const keepNothing = ['--save', '', '--appendonly', 'no', '--dir', directory];
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...keepNothing, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let log = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    log += String(text);
    if (log.includes('Ready to accept connections')) {
      // Whoever does not read its log stops it in the end.
      child.stdout.resume();
      return port;
    }
  }
  throw new Error(`redis-server ended before it was ready:\n${log}`);
}
