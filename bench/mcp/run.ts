/**
 * Measures MCP servers over stdio, side by side.
 *
 *     npm run bench -- mcp [--tree <directory>] [--rounds 15]
 *
 * Start: from the start of the process to the answer to tools/list, with the packages as they are published. Calls: from the
 * request to its answer, on a server that has scanned the tree. The order of the servers alternates between rounds. The default
 * tree is the source of Linux. `fff-mcp` takes part when it is on the PATH: no package registry has it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fuzzyFind, glob } from '@cairn/natives';
import { kernel } from '../lib/corpora/kernel.ts';
import { readMemory } from '../lib/memory.ts';
import { median } from '../lib/statistics.ts';
import { connect } from './connection.ts';
import type { Connection, ServerCommand } from './connection.ts';
import { stagePackages } from './stage.ts';

const { values } = parseArgs({ options: { tree: { type: 'string' }, rounds: { type: 'string', default: '15' } } });
const root = values.tree === undefined ? await kernel() : resolve(values.tree);
const rounds = Number(values.rounds);

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];

interface Peer {
  readonly name: string;
  readonly version: string;
  readonly server: ServerCommand;
  /** The calls by case. A case that the server has no tool for is absent. */
  readonly calls: Readonly<Record<string, Call>>;
}

const stage = stagePackages();

function manifestVersion(url: URL): string {
  return (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version;
}

const cases = [
  'read a page of a file',
  'read all of a small file',
  'list a directory',
  'find by name',
  'search in files',
];

function cairn(): Peer {
  return {
    name: 'cairn',
    version: manifestVersion(new URL('../../packages/cli/package.json', import.meta.url)),
    server: { command: process.execPath, args: [stage.main, 'mcp', '--root', root] },
    calls: {
      'read a page of a file': ['read', { path: 'MAINTAINERS', limit: 200 }],
      'read all of a small file': ['read', { path: 'README' }],
      'list a directory': ['ls', { path: 'kernel' }],
      'find by name': ['glob', { pattern: 'sched*.c' }],
      'search in files': ['grep', { pattern: 'sched_clock_cpu', path: 'kernel' }],
    },
  };
}

function serverFilesystem(): Peer {
  const modules = new URL('../node_modules/@modelcontextprotocol/server-filesystem/', import.meta.url);
  const path = (name: string): string => join(root, name);
  return {
    name: 'server-filesystem',
    version: manifestVersion(new URL('package.json', modules)),
    server: { command: process.execPath, args: [fileURLToPath(new URL('dist/index.js', modules)), root] },
    calls: {
      'read a page of a file': ['read_text_file', { path: path('MAINTAINERS'), head: 200 }],
      'read all of a small file': ['read_text_file', { path: path('README') }],
      'list a directory': ['list_directory', { path: path('kernel') }],
      'find by name': ['search_files', { path: root, pattern: '**/sched*.c' }],
    },
  };
}

/** Returns `fff-mcp` when it is installed. */
function fff(): Peer | undefined {
  const { status, stdout } = spawnSync('fff-mcp', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  return {
    name: 'fff-mcp',
    version: stdout.trim(),
    server: { command: 'fff-mcp', args: [root] },
    calls: {
      'find by name': ['find_files', { query: 'sched .c' }],
      'search in files': ['grep', { query: 'kernel/ sched_clock_cpu' }],
    },
  };
}

async function timed<T>(run: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const startMs = performance.now();
  const value = await run();
  return { ms: performance.now() - startMs, value };
}

interface Figures {
  readonly ms: number[];
  characters: number;
}

const figures = new Map<string, Figures>();

function note(peer: string, what: string, ms: number, characters: number = 0): void {
  const key = `${peer} ${what}`;
  const known = figures.get(key) ?? { ms: [], characters };
  figures.set(key, known);
  known.ms.push(ms);
}

async function measureStart({ name, server }: Peer): Promise<void> {
  const { ms, value } = await timed(async () => {
    const connection = await connect(server);
    await connection.request('tools/list', {});
    return connection;
  });
  note(name, 'start', ms);
  await value.close();
}

/** Makes a call and returns the length of its answer. Throws when it fails: a failure would be fast. */
async function callOn(connection: Connection, [tool, input]: Call): Promise<number> {
  const { characters, result } = await connection.request('tools/call', { name: tool, arguments: input });
  if (result['isError'] === true) throw new Error(`${tool} failed: ${JSON.stringify(result).slice(0, 300)}`);
  return characters;
}

const peers = [cairn(), serverFilesystem(), fff()].filter((peer) => peer !== undefined);
const open: { peer: Peer; connection: Connection }[] = [];
try {
  for (let round = 0; round < rounds; round++) {
    for (const peer of round % 2 === 0 ? peers : peers.toReversed()) await measureStart(peer);
  }
  for (const peer of peers) open.push({ peer, connection: await connect(peer.server) });
  // A slow case runs in fewer rounds.
  const slow = new Set<string>();
  for (let round = -1; round < rounds; round++) {
    for (const what of cases) {
      for (const { peer, connection } of round % 2 === 0 ? open : open.toReversed()) {
        const call = peer.calls[what];
        if (call === undefined || (slow.has(`${peer.name} ${what}`) && round > 1)) continue;
        const { ms, value } = await timed(() => callOn(connection, call));
        if (ms > 3000) slow.add(`${peer.name} ${what}`);
        // The first round warms up.
        if (round >= 0) note(peer.name, what, ms, value);
      }
    }
  }
  await compareWithNative();
  print();
} finally {
  for (const { connection } of open) await connection.close();
  stage.remove();
}

/** Measures the cost of a search over stdio on top of its native call. */
async function compareWithNative(): Promise<void> {
  const connection = open[0]?.connection;
  if (connection === undefined) return;
  const ref = { type: 'ref/resource', uri: 'file:///{+path}' };
  const queries = ['sched', 'kernel/sched/cor', 'usbcorehub', 'README', 'maintain'];
  const find = (query: string): Promise<unknown> =>
    fuzzyFind({ query, path: root, cache: true, maxResults: 100, timeoutMs: 1000, onTimeout: 'partial' });
  const complete = (query: string): Promise<unknown> =>
    connection.request('completion/complete', { ref, argument: { name: 'path', value: query } });
  const listed = { pattern: 'sched*.c', path: root, sortByMtime: true, maxResults: 200 };
  const pairs: readonly (readonly [
    what: string,
    native: (query: string) => Promise<unknown>,
    served: (query: string) => Promise<unknown>,
  ])[] = [
    ['cached find', find, complete],
    ['glob', () => glob(listed), () => callOn(connection, ['glob', { pattern: 'sched*.c' }])],
  ];
  for (const [what, native, served] of pairs) {
    for (let round = -1; round < rounds * 4; round++) {
      const query = queries[(round + queries.length) % queries.length] ?? '';
      const runs = [
        async () => ({ peer: 'native', ...(await timed(() => native(query))) }),
        async () => ({ peer: 'stdio', ...(await timed(() => served(query))) }),
      ];
      for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
        const { peer, ms } = await run();
        if (round >= 0) note(peer, what, ms);
      }
    }
  }
}

function print(): void {
  const cell = (peer: string, what: string): string => {
    const known = figures.get(`${peer} ${what}`);
    if (known === undefined) return '-'.padStart(28);
    const size = known.characters > 0 ? `${known.characters} ch` : '';
    return `${median(known.ms).toFixed(1)} ms ${size.padStart(12)}`.padStart(28);
  };
  const lines = [
    `medians of ${rounds} rounds over stdio on ${root}`,
    ''.padEnd(26) + peers.map(({ name, version }) => `${name} ${version}`.padStart(28)).join(''),
  ];
  for (const what of ['start', ...cases])
    lines.push(what.padEnd(26) + peers.map(({ name }) => cell(name, what)).join(''));
  lines.push(
    'resident'.padEnd(26) +
      open.map(({ connection }) => `${readMemory(connection.pid).residentMb.toFixed(0)} MB`.padStart(28)).join(''),
  );
  if (!peers.some(({ name }) => name === 'fff-mcp')) {
    lines.push('fff-mcp is not on the PATH; install it from the releases of its repository');
  }
  const minimum = (key: string): number => Math.min(...(figures.get(key)?.ms ?? []));
  for (const what of ['cached find', 'glob']) {
    const [native, stdio] = [`native ${what}`, `stdio ${what}`].map((key) => median(figures.get(key)?.ms ?? []));
    if (native === undefined || stdio === undefined) continue;
    const more = `${(stdio - native).toFixed(2)} ms more (minimum: ${(minimum(`stdio ${what}`) - minimum(`native ${what}`)).toFixed(2)})`;
    lines.push(`${what}: native ${native.toFixed(2)} ms, over stdio ${stdio.toFixed(2)} ms, ${more}`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
