/** A minimal client over stdio, so that the figures are the server's. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The command that starts a server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The answer to a request. */
interface Answer {
  /** The length of the line in characters. */
  readonly characters: number;
  readonly result: Readonly<Record<string, unknown>>;
}

export interface Connection {
  readonly pid: number;
  readonly request: (method: string, params: object) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

function startProcess({ command, args }: ServerCommand): ChildProcess {
  return spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
}

/** Starts a server and initializes the connection. */
export async function connect(server: ServerCommand): Promise<Connection> {
  const child = startProcess(server);
  const { stdin, stdout, pid } = child;
  if (stdin === null || stdout === null || pid === undefined) throw new Error(`cannot start ${server.command}`);
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  let next = 0;
  createInterface({ input: stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: number; result?: Record<string, unknown>; error?: { message: string } };
    const one = waiting.get(message.id ?? -1);
    if (one === undefined) return;
    waiting.delete(message.id ?? -1);
    if (message.result) one.resolve({ characters: line.length, result: message.result });
    else one.reject(new Error(message.error?.message ?? 'no answer'));
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${server.command} has ended`));
  });
  const send = (message: object): void => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request: Connection['request'] = (method, params) =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  await request('initialize', initialize);
  send({ method: 'notifications/initialized' });
  const close = async (): Promise<void> => {
    const ended = once(child, 'exit');
    stdin.end();
    // Some servers do not exit when their input ends.
    const timer = setTimeout(() => child.kill(), 2000);
    await ended;
    clearTimeout(timer);
  };
  return { pid, request, close };
}
