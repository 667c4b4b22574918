/**
 * What does a memory keep when several processes write at once, and how fast is it with many messages?
 *
 *     npm run bench -- memory [--processes 8] [--writes 250] [--messages 100000] [--facts 10000] [--redis-server <command>] [--no-peer]
 *
 * The half about Redis needs a redis-server on the PATH.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { MemoryBackend } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { say } from '../lib/progress.ts';
import { measureFacts } from './facts.ts';
import type { ManyFacts } from './facts.ts';
import { measureImport } from './import.ts';
import type { Import } from './import.ts';
import { measureLarge } from './large.ts';
import type { Large } from './large.ts';
import type { Search } from './texts.ts';
import { measureOurs, measureServerMemory } from './processes.ts';
import type { Outcome } from './processes.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    processes: { type: 'string', default: '8' },
    writes: { type: 'string', default: '250' },
    messages: { type: 'string', default: '100000' },
    facts: { type: 'string', default: '10000' },
    'redis-server': { type: 'string', default: 'redis-server' },
    peer: { type: 'boolean', default: true },
  },
});

const work = mkdtempSync(join(tmpdir(), 'cairn-bench-memory-'));
const workload = { processes: Number(values.processes), writes: Number(values.writes) };
const messages = Number(values.messages);
const factCount = Number(values.facts);
const IMPORTED = 10_000;

/** Starts a server that writes everything to its disk; `undefined` without redis-server. */
async function startRedis(): Promise<
  { readonly url: string; readonly directory: string; readonly stop: () => Promise<void> } | undefined
> {
  const command = values['redis-server'];
  if (spawnSync(command, ['--version']).status !== 0) return undefined;
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  const directory = mkdtempSync(join(work, 'redis-'));
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'yes'];
  const running = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: running.stdout })) if (line.includes('Ready to accept')) break;
  running.stdout.resume();
  const stop = async (): Promise<void> => {
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  };
  return { url: `redis://127.0.0.1:${port}`, directory, stop };
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

function outcomes(all: readonly Outcome[]): string {
  const head =
    row(['store', 'requested', 'acknowledged', 'present', 's', 'errors']) + row(Array.from({ length: 6 }, () => '---'));
  return (
    head +
    all
      .map((one) => row([one.what, one.asked, one.acknowledged, one.present, one.seconds.toFixed(1), one.trouble]))
      .join('')
  );
}

function largeTable(all: readonly Large[]): string {
  const names = [
    'store',
    'add one',
    'add, 200 at once',
    'newest 50',
    'all',
    'first search of a process',
    'next search',
    '`cairn memory search`',
    'of an empty store',
    'size',
    'text alone',
  ];
  const head = row(names) + row(names.map(() => '---'));
  const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
  const mebibytes = (value: number): string => `${(value / 1024 / 1024).toFixed(1)} MiB`;
  const search = ({ ms: total, processorMs, maxTurnMs, residentBytes }: Search): string =>
    `${ms(total)} (processor ${ms(processorMs)}, longest turn ${ms(maxTurnMs)}, ${mebibytes(residentBytes)})`;
  const rows = all.map((one) =>
    row([
      one.what,
      ms(one.addEach),
      ms(one.addBatch),
      ms(one.historyNewest),
      ms(one.historyAll),
      search(one.first),
      search(one.next),
      ms(one.commandMs),
      ms(one.emptyCommandMs),
      mebibytes(one.bytes),
      mebibytes(one.textBytes),
    ]),
  );
  return head + rows.join('');
}

function importTable(all: readonly Import[]): string {
  const names = ['store', 'older', 'between'];
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  const rows = all.map((one) => row([one.what, seconds(one.olderMs), seconds(one.betweenMs)]));
  return row(names) + row(names.map(() => '---')) + rows.join('');
}

function factsTable(all: readonly ManyFacts[]): string {
  const names = [
    'store',
    'kept of 120',
    'remember, first 200',
    'remember, last 200',
    'recall',
    'recall, new process',
    'list',
    'start block',
    'forget',
  ];
  const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const rows = all.map((one) => {
    const { rememberFirst, rememberLast, recall, recallElsewhere, list, startBlock, forget } = one;
    const times = [rememberFirst, rememberLast, recall, recallElsewhere, list, startBlock, forget];
    return row([one.what, one.kept, ...times.map(ms)]);
  });
  return row(names) + row(names.map(() => '---')) + rows.join('');
}

const server = await startRedis();
try {
  const path = (name: string): string => join(work, `${name}.db`);
  const file = (name: string) => (): MemoryBackend => sqlite({ path: path(name) });
  const written: Outcome[] = [];
  for (const what of ['message', 'entity'] as const) {
    say(`${what}s, sqlite`);
    written.push(await measureOurs({ kind: 'sqlite', place: path(what), what }, workload, file(what)));
    if (server === undefined) continue;
    say(`${what}s, redis`);
    const open = (): MemoryBackend => redis({ url: server.url, timeoutMs: 30_000 });
    written.push(await measureOurs({ kind: 'redis', place: server.url, what }, workload, open));
  }
  if (values.peer) {
    say('the memory server');
    written.push(await measureServerMemory(join(work, 'memory.jsonl'), workload));
  }
  const facts: ManyFacts[] = [];
  say(`${factCount} facts, sqlite`);
  facts.push(await measureFacts('sqlite', { open: file('facts'), facts: factCount }));
  if (server !== undefined) {
    say(`${factCount} facts, redis`);
    const open = (): MemoryBackend => redis({ url: `${server.url}/2`, timeoutMs: 30_000 });
    facts.push(await measureFacts('redis', { open, facts: factCount }));
  }
  const imports: Import[] = [];
  say('an import, sqlite');
  imports.push(await measureImport('sqlite', { open: file('import'), messages: IMPORTED }));
  if (server !== undefined) {
    say('an import, redis');
    const open = (): MemoryBackend => redis({ url: `${server.url}/3`, timeoutMs: 30_000 });
    imports.push(await measureImport('redis', { open, messages: IMPORTED }));
  }
  const large: Large[] = [];
  say(`${messages} messages, sqlite`);
  large.push(
    await measureLarge('sqlite', {
      place: path('large'),
      emptyPlace: path('empty'),
      open: file('large'),
      messages,
      bytesOf: async () => statSync(path('large')).size,
    }),
  );
  if (server !== undefined) {
    say(`${messages} messages, redis`);
    const place = `${server.url}/1`;
    const open = (): MemoryBackend => redis({ url: place, timeoutMs: 30_000 });
    const bytesOf = async (): Promise<number> => {
      const backend = open();
      const infos = await backend.keys('ai:');
      await backend.close();
      return infos.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
    };
    large.push(await measureLarge('redis', { place, emptyPlace: `${server.url}/3`, open, messages, bytesOf }));
  }
  process.stdout.write(`\n${workload.processes} processes, ${workload.writes} writes each\n\n${outcomes(written)}`);
  process.stdout.write(`\n${messages} messages in one group\n\n${largeTable(large)}`);
  process.stdout.write(`\n${IMPORTED} messages imported into ${IMPORTED}\n\n${importTable(imports)}`);
  process.stdout.write(`\n${factCount} facts of one project, next to 120 of the user\n\n${factsTable(facts)}`);
  if (server === undefined)
    process.stdout.write('\nThere is no redis-server, so that the half about Redis is missing.\n');
} finally {
  await server?.stop();
  rmSync(work, { recursive: true, force: true });
}
