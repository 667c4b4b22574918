import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createMemory } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';

/** What became of writes that were made at once. */
export interface Outcome {
  readonly what: string;
  readonly asked: number;
  readonly acknowledged: number;
  readonly present: number;
  readonly seconds: number;
  /** The faults of the store afterwards. */
  readonly trouble: string;
}

export interface Workload {
  readonly processes: number;
  readonly writes: number;
}

const child = fileURLToPath(new URL('child.ts', import.meta.url));

/** Ours: processes that write messages, or entities of a knowledge graph, into one store. */
export async function measureOurs(
  {
    kind,
    place,
    what,
  }: { readonly kind: 'sqlite' | 'redis'; readonly place: string; readonly what: 'message' | 'entity' },
  { processes, writes }: Workload,
  open: () => MemoryBackend,
): Promise<Outcome> {
  const running = Array.from({ length: processes }, (_, index) => {
    const one = spawn(process.execPath, [child, kind, place, what, `${index}`, `${writes}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: one.stdout })[Symbol.asyncIterator]();
    return { one, next: async () => (await lines.next()).value ?? '' };
  });
  for (const { next } of running) await next();
  const began = performance.now();
  for (const { one } of running) one.stdin.end('go\n');
  let acknowledged = 0;
  for (const { next } of running) acknowledged += Number(await next());
  const seconds = (performance.now() - began) / 1000;
  const memory = createMemory({ backend: open(), retention: { maxMessages: Infinity } });
  const present =
    what === 'message'
      ? new Set((await memory.messages.history({ stream: 's', group: 'g' })).map(({ content }) => content)).size
      : new Set((await memory.graph().read()).entities.map(({ name }) => name)).size;
  const trouble = (await memory.unreadable()).length === 0 ? 'none' : 'records that cannot be read';
  await memory.close();
  const name = what === 'message' ? 'messages' : 'create_entities';
  return {
    what: `@cairn/memory, ${kind}, ${name}`,
    asked: processes * writes,
    acknowledged,
    present,
    seconds,
    trouble,
  };
}

interface ToolClient {
  connect(transport: unknown): Promise<void>;
  callTool(call: { name: string; arguments: object }): Promise<{ isError?: boolean }>;
  close(): Promise<void>;
}

/** Theirs: as many servers, as several sessions of agents start, on one file. */
export async function measureServerMemory(file: string, { processes, writes }: Workload): Promise<Outcome> {
  // By names in variables, so that types are checked where they are not installed.
  const [sdk, stdio] = ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'];
  const { Client } = (await import(sdk)) as { Client: new (info: object) => ToolClient };
  const { StdioClientTransport } = (await import(stdio)) as { StdioClientTransport: new (options: object) => unknown };
  const server = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');
  const clients: ToolClient[] = [];
  for (let index = 0; index < processes; index++) {
    const client = new Client({ name: 'bench', version: '1' });
    const env = { PATH: process.env['PATH'] ?? '', MEMORY_FILE_PATH: file };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [server], env, stderr: 'ignore' }),
    );
    clients.push(client);
  }
  const began = performance.now();
  let acknowledged = 0;
  let failed = 0;
  const writing = clients.map(async (client, index) => {
    for (let write = 0; write < writes; write++) {
      const entities = [{ name: `${index} ${write}`, entityType: 'test', observations: [] }];
      const answer = await client
        .callTool({ name: 'create_entities', arguments: { entities } })
        .catch(() => ({ isError: true }));
      if (answer.isError === true) failed += 1;
      else acknowledged += 1;
    }
  });
  await Promise.all(writing);
  const seconds = (performance.now() - began) / 1000;
  for (const client of clients) await client.close();
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
  const names = new Set<string>();
  let broken = 0;
  for (const line of lines) {
    try {
      names.add((JSON.parse(line) as { name: string }).name);
    } catch {
      broken += 1;
    }
  }
  const trouble = broken === 0 ? 'none' : `${broken} lines that cannot be read`;
  return {
    what: '@modelcontextprotocol/server-memory, create_entities',
    asked: processes * writes,
    acknowledged,
    present: names.size,
    seconds,
    trouble: failed === 0 ? trouble : `${trouble}; ${failed} calls failed`,
  };
}
