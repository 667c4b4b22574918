import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cairnEntry, cleanEnv } from '../support/cli.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import { CALLS_PER_ROUND, makeRounds, soakTree } from './soak-calls.ts';
import { connectUrl, createClient, startHttp } from './support.ts';

/** Set by `npm run soak`. */
const calls = Number(process.env['CAIRN_SOAK'] ?? 425);
const isLong = process.env['CAIRN_SOAK'] !== undefined;

/** The number of measurements. Until the third, caches fill, code is compiled and the allocator grows. */
const MEASUREMENTS = 5;
const WARM_MEASUREMENTS = 3;

/** The limit for a warm server: noise of the garbage collector. */
const MAX_HEAP_GROWTH_BYTES = 3 * 1024 * 1024;
/** In a shorter run the allocator is still warming up. */
const MAX_RESIDENT_GROWTH = calls >= 10_000 ? 1.2 : 2;

const probe = new URL('soak-probe.mjs', import.meta.url).href;

interface Held {
  readonly turn: number;
  readonly heapUsed: number;
  readonly rss: number;
  readonly files: number;
  readonly resources: Readonly<Record<string, number>>;
  readonly listeners: Readonly<Record<string, number>>;
}

/** Returns a function that measures a server. */
function createHolding(pid: number, report: string): () => Promise<Held> {
  let turn = 0;
  return async () => {
    turn += 1;
    process.kill(pid, 'SIGUSR2');
    return vi.waitFor(
      () => {
        if (!existsSync(report)) throw new Error('the report is missing');
        const held = JSON.parse(readFileSync(report, 'utf8')) as Held;
        expect(held.turn).toBe(turn);
        return held;
      },
      { timeout: 600_000 },
    );
  };
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

function print(name: string, phase: string, { heapUsed, rss, files }: Held): void {
  if (!isLong) return;
  process.stderr.write(
    `${name}, ${phase}: heap ${megabytes(heapUsed)}, resident ${megabytes(rss)}, ${files} open files\n`,
  );
}

/** Makes the calls, and compares the measurement of the warm server with the one at the end. */
async function soak(
  name: string,
  holding: () => Promise<Held>,
  round: (from: number, rounds: number) => Promise<void>,
): Promise<void> {
  const rounds = Math.ceil(calls / CALLS_PER_ROUND / MEASUREMENTS);
  let before: Held | undefined;
  for (let turn = 1; turn < MEASUREMENTS; turn++) {
    await round((turn - 1) * rounds, rounds);
    const held = await holding();
    print(name, `after ${turn * rounds * CALLS_PER_ROUND} calls`, held);
    if (turn === WARM_MEASUREMENTS) before = held;
  }
  if (before === undefined) throw new Error('the warm measurement is missing');
  const { files, listeners, resources } = before;
  await round((MEASUREMENTS - 1) * rounds, rounds);
  const most = { files, ...listeners, ...resources } as Readonly<Record<string, number>>;
  // The server notices a socket that the client closed with a delay.
  const after = await vi.waitFor(
    async () => {
      const held = await holding();
      const all = { files: held.files, ...held.listeners, ...held.resources };
      const more = Object.entries(all).filter(([what, number]) => number > (most[what] ?? 0));
      expect(more).toEqual([]);
      return held;
    },
    { timeout: 600_000, interval: 200 },
  );
  print(name, `after ${MEASUREMENTS * rounds * CALLS_PER_ROUND} calls`, after);
  expect(after.heapUsed - before.heapUsed).toBeLessThan(MAX_HEAP_GROWTH_BYTES);
  expect(after.rss / before.rss).toBeLessThan(MAX_RESIDENT_GROWTH);
}

describe.skipIf(process.platform !== 'linux')('a server after many calls', { timeout: 3_600_000 }, () => {
  test('over stdio holds no more than before, and leaves nothing when it ends', async () => {
    const [root, state] = [createTree(soakTree), temporaryDirectory()];
    const report = join(state, 'report.json');
    const client = createClient('legacy');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['--import', probe, cairnEntry, 'mcp', '--root', root],
      env: { ...(cleanEnv() as Record<string, string>), TMPDIR: state, SOAK_REPORT: report },
      stderr: 'ignore',
    });
    onTestFinished(() => client.close());
    await client.connect(transport);
    const holding = createHolding(transport.pid ?? 0, report);
    await soak('stdio', holding, (from, rounds) => makeRounds(client, root, { from, rounds, width: 4 }));
    await client.close();
    expect(readdirSync(root)).toEqual(['slow.txt', 'src']);
    expect(readdirSync(join(root, 'src/dir0')).filter((name) => !name.startsWith('file'))).toEqual([]);
    const locks = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((name) => /lock|\.tmp/u.test(name));
    expect(locks).toEqual([]);
  });

  test('over HTTP, in both eras and many sessions, holds no more than before, and ends with exit code 0', async () => {
    const [root, state] = [createTree(soakTree), temporaryDirectory()];
    const report = join(state, 'report.json');
    const env = { TMPDIR: state, SOAK_REPORT: report, NODE_OPTIONS: `--import=${probe}` };
    const server = await startHttp(['--root', root, '--http', '0', '--no-auth'], env);
    const holding = createHolding(server.child.pid ?? 0, report);
    await soak('HTTP', holding, async (from, rounds) => {
      // A client lives for a few rounds, so that sessions come and go.
      for (let start = from; start < from + rounds; start += 8) {
        const era = (start / 8) % 2 === 0 ? 'legacy' : 'modern';
        const client = await connectUrl(server.url, era);
        await makeRounds(client, root, { from: start, rounds: Math.min(8, from + rounds - start), width: 2 });
        const { transport } = client;
        if (transport && 'terminateSession' in transport) await (transport.terminateSession as () => Promise<void>)();
        await client.close();
      }
    });
    const ended = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(root)).toEqual(['slow.txt', 'src']);
  });
});
