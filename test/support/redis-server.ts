import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { newDirectory, removeTree } from './tree.ts';

/** Whether the real server is here. Where it is missing the tests are skipped, which the report shows; CI installs it. */
export const hasRedis: boolean = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis && process.env['CI'] !== undefined)
  throw new Error('redis-server is missing; install it: apt-get install redis-server');

/**
 * A port that is free now, and stays free: systems choose higher ones for connections and for servers without a port of their own.
 * The port 10,000 above, which a cluster uses, is below those, too.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + randomInt(10_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** A real server in a temporary directory. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  /** Sends it a signal: `SIGSTOP` pauses it, `SIGCONT` lets it go on, `SIGKILL` ends it. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Ends the process, waits for that, and starts another on the same port and directory. */
  readonly restart: () => Promise<void>;
  /** Ends the process and waits for that. */
  readonly halt: () => Promise<void>;
  /** Ends it and removes its directory. */
  readonly stop: () => Promise<void>;
}

/** Waits until the server says that it takes connections. */
async function isUp(child: ChildProcess): Promise<void> {
  const lines: string[] = [];
  if (child.stdout === null) throw new Error('redis-server has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('Ready to accept connections')) {
      child.stdout.resume();
      return;
    }
  }
  throw new Error(`redis-server did not start:\n${lines.join('\n')}`);
}

/** Starts a server that keeps what it acknowledged. */
export async function startRedis(more: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const directory = newDirectory();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', '', ...more];
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await isUp(child);
  };
  const halt = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    directory,
    signal: (signal) => {
      child.kill(signal);
    },
    halt,
    restart: async () => {
      await halt();
      await start();
    },
    stop: async () => {
      await halt();
      removeTree(directory);
    },
  };
}
