import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { finished, startCairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { kill } from './support.ts';

/** A message from the server, unchecked. */
interface RawMessage {
  readonly id?: number | string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** `cairn mcp` over stdio without a client: it receives exactly what a test sends. */
export interface RawServer {
  readonly child: ChildProcess;
  /** Writes text or bytes unchanged, or a message as a line. */
  readonly send: (message: string | Uint8Array | object) => void;
  /** Waits for the next message with this id; `null` for the answer to a message without a readable id. */
  readonly answer: (id: number | string | null) => Promise<RawMessage>;
  /** Sends a request and waits for its answer. */
  readonly request: (id: number | string, method: string, params?: object) => Promise<RawMessage>;
  readonly ended: Promise<CairnResult>;
}

export const initializeParams = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

export function startRaw(args: readonly string[]): RawServer {
  const child = startCairn(['mcp', ...args]);
  onTestFinished(() => kill(child));
  const ended = finished(child);
  const unread: RawMessage[] = [];
  const waiting = new Map<unknown, (message: RawMessage) => void>();
  if (child.stdout === null || child.stdin === null) throw new Error('the process has no streams');
  const { stdin } = child;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as RawMessage;
    const resolve = waiting.get(message.id);
    if (resolve === undefined) unread.push(message);
    else {
      waiting.delete(message.id);
      resolve(message);
    }
  });
  const send: RawServer['send'] = (message) => {
    const isRaw = typeof message === 'string' || message instanceof Uint8Array;
    stdin.write(isRaw ? message : `${JSON.stringify(message)}\n`);
  };
  const answer: RawServer['answer'] = async (id) => {
    const index = unread.findIndex((message) => message.id === id);
    const [known] = index === -1 ? [] : unread.splice(index, 1);
    if (known) return known;
    return Promise.race([
      new Promise<RawMessage>((resolve) => waiting.set(id, resolve)),
      ended.then(({ stderr }) => {
        throw new Error(`the server ended without an answer to ${String(id)}: ${stderr}`);
      }),
    ]);
  };
  const request: RawServer['request'] = (id, method, params = {}) => {
    send({ jsonrpc: '2.0', id, method, params });
    return answer(id);
  };
  return { child, send, answer, request, ended };
}

/** Like {@link startRaw}, initialized. */
export async function startInitialized(args: readonly string[]): Promise<RawServer> {
  const server = startRaw(args);
  await server.request('begin', 'initialize', initializeParams);
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return server;
}
