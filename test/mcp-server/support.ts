import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { cairnEntry, cleanEnv, startCairn } from '../support/cli.ts';
import type { Tree } from '../support/tree.ts';

/** The transport and the era of the protocol of a client. */
export interface Way {
  readonly over: 'stdio' | 'http';
  readonly era: 'legacy' | 'modern';
  /** Default: `test`. */
  readonly clientName?: string;
}

export const ways: readonly [Way, ...Way[]] = [
  { over: 'stdio', era: 'legacy' },
  { over: 'stdio', era: 'modern' },
  { over: 'http', era: 'legacy' },
  { over: 'http', era: 'modern' },
];

/** A client and the process that serves it. */
export interface Connected {
  readonly client: Client;
  readonly pid: number;
  /** Returns the standard error of the server until now. */
  readonly stderr: () => string;
  /** Disconnects and ends the server. */
  readonly close: () => Promise<void>;
}

/** Makes a client that speaks one era. */
export function createClient(era: Way['era'], name: string = 'test'): Client {
  const mode = era === 'modern' ? ({ pin: '2026-07-28' } as const) : 'legacy';
  return new Client({ name, version: '1' }, { versionNegotiation: { mode } });
}

/** Collects the standard error of a process, line by line. */
function collectStderr(child: ChildProcess): {
  readonly text: () => string;
  readonly line: (part: string) => Promise<string>;
} {
  let text = '';
  const waiting: { part: string; resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  if (child.stderr === null) throw new Error('the process has no standard error');
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    text += `${line}\n`;
    for (const one of waiting) if (line.includes(one.part)) one.resolve(line);
  });
  lines.on('close', () => {
    for (const one of waiting) one.reject(new Error(`the server ended before it printed '${one.part}': ${text}`));
  });
  return {
    text: () => text,
    line: async (part) => {
      const printed = text.split('\n').find((line) => line.includes(part));
      return printed ?? new Promise((resolve, reject) => waiting.push({ part, resolve, reject }));
    },
  };
}

/** A process of `cairn mcp --http`. */
export interface HttpServer {
  readonly url: string;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** Waits for a line of standard error that contains this part. */
  readonly line: (part: string) => Promise<string>;
}

/** Kills a process and waits for its end. */
export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function openHttp(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<HttpServer> {
  const child = startCairn(['mcp', ...args], { env });
  const stderr = collectStderr(child);
  const line = await stderr.line('listening on ');
  return { url: line.replace(/^.*listening on /u, ''), child, stderr: stderr.text, line: stderr.line };
}

/** Starts `cairn mcp --http`, which is killed when the test ends. */
export async function startHttp(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<HttpServer> {
  const server = await openHttp(args, env);
  onTestFinished(() => kill(server.child));
  return server;
}

async function openUrl(
  url: string,
  { era, clientName }: Pick<Way, 'era' | 'clientName'>,
  token?: string,
): Promise<Client> {
  const client = createClient(era, clientName);
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** Connects a client over HTTP, which is closed when the test ends. */
export async function connectUrl(url: string, era: Way['era'], token?: string): Promise<Client> {
  const client = await openUrl(url, { era }, token);
  onTestFinished(() => client.close());
  return client;
}

/** Starts `cairn mcp` on a directory and connects the official client to it. */
export async function open(root: string, way: Way, args: readonly string[] = []): Promise<Connected> {
  const { over, era, clientName } = way;
  if (over === 'http') {
    const { child, url, stderr } = await openHttp(['--root', root, '--http', '0', '--no-auth', ...args]);
    const client = await openUrl(url, way);
    const close = async (): Promise<void> => {
      await client.close();
      await kill(child);
    };
    return { client, pid: child.pid ?? 0, stderr, close };
  }
  const client = createClient(era, clientName);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cairnEntry, 'mcp', '--root', root, ...args],
    env: Object.fromEntries(Object.entries(cleanEnv()).map(([name, value]) => [name, value ?? ''])),
    stderr: 'pipe',
  });
  let text = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0, stderr: () => text, close: () => client.close() };
}

/** Like {@link open}, closed when the test ends. */
export async function connect(root: string, way: Way, args: readonly string[] = []): Promise<Connected> {
  const connected = await open(root, way, args);
  onTestFinished(connected.close);
  return connected;
}

/** Returns the text of an answer. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

/** Calls a tool. Returns the text of the answer, after `error: ` when the call failed. */
export async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: input });
  return `${result.isError === true ? 'error: ' : ''}${textOf(result)}`;
}

/** Files on which {@link slowGrep} runs until its time-out. */
export const slowTree: Tree = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [`slow${index}`, `${'a'.repeat(28)}!\n`.repeat(20)]),
);

/** Arguments of `grep` that take exponential time. */
export const slowGrep: Record<string, unknown> = { pattern: '(?=x?)(a+)+[bc]' };

/** Starts the slow grep, and resolves at its first progress notification. `settled` resolves with its result or error. */
export async function beginSlowGrep(
  client: Client,
  options: { readonly signal?: AbortSignal; readonly timeout?: number } = {},
): Promise<{ readonly progress: Progress; readonly settled: Promise<unknown> }> {
  let settled: Promise<unknown> = Promise.resolve();
  const progress = await new Promise<Progress>((resolve, reject) => {
    settled = client
      .callTool({ name: 'grep', arguments: slowGrep }, { onprogress: resolve, ...options })
      .catch((error: unknown) => {
        reject(error instanceof Error ? error : new Error(String(error)));
        return error;
      });
  });
  return { progress, settled };
}

/** Returns the number of running threads of a process. */
export function busyThreads(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).filter((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('R');
  }).length;
}
