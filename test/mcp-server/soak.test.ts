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

/** `npm run soak` sets it. */
const calls = Number(process.env['CAIRN_SOAK'] ?? 425);
const isLong = process.env['CAIRN_SOAK'] !== undefined;

/** What is held is looked at so often. Before the third time caches fill, code is compiled and the allocator takes its share. */
const LOOKS = 5;
const WARM_LOOKS = 3;

/** What may have come to a warm server: noise of the collector, and no growth. */
const MOST_HEAP_GROWTH_BYTES = 3 * 1024 * 1024;
/** A short run is all warm-up to the allocator. */
const MOST_RESIDENT_GROWTH = isLong ? 1.2 : 2;

const probe = new URL('soak-probe.mjs', import.meta.url).href;

interface Held {
  readonly turn: number;
  readonly heapUsed: number;
  readonly rss: number;
  readonly files: number;
  readonly resources: Readonly<Record<string, number>>;
  readonly listeners: Readonly<Record<string, number>>;
}

/** Asks a server what it holds. */
function createHolding(pid: number, report: string): () => Promise<Held> {
  let turn = 0;
  return async () => {
    turn += 1;
    process.kill(pid, 'SIGUSR2');
    return vi.waitFor(
      () => {
        if (!existsSync(report)) throw new Error('there is no report yet');
        const held = JSON.parse(readFileSync(report, 'utf8')) as Held;
        expect(held.turn).toBe(turn);
        return held;
      },
      { timeout: 30_000 },
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

/** Makes the calls, and compares what a warm server holds with what it holds in the end. */
async function soak(
  name: string,
  holding: () => Promise<Held>,
  round: (from: number, rounds: number) => Promise<void>,
): Promise<void> {
  const rounds = Math.ceil(calls / CALLS_PER_ROUND / LOOKS);
  let before: Held | undefined;
  for (let look = 1; look < LOOKS; look++) {
    await round((look - 1) * rounds, rounds);
    const held = await holding();
    print(name, `after ${look * rounds * CALLS_PER_ROUND} calls`, held);
    if (look === WARM_LOOKS) before = held;
  }
  if (before === undefined) throw new Error('nobody has looked');
  const { files, listeners, resources } = before;
  await round((LOOKS - 1) * rounds, rounds);
  const most = { files, ...listeners, ...resources } as Readonly<Record<string, number>>;
  // Sockets that were closed on one side are noticed on the other in their own time.
  const after = await vi.waitFor(
    async () => {
      const held = await holding();
      const all = { files: held.files, ...held.listeners, ...held.resources };
      const more = Object.entries(all).filter(([what, number]) => number > (most[what] ?? 0));
      expect(more).toEqual([]);
      return held;
    },
    { timeout: 30_000, interval: 200 },
  );
  print(name, `after ${LOOKS * rounds * CALLS_PER_ROUND} calls`, after);
  expect(after.heapUsed - before.heapUsed).toBeLessThan(MOST_HEAP_GROWTH_BYTES);
  expect(after.rss / before.rss).toBeLessThan(MOST_RESIDENT_GROWTH);
}

describe.skipIf(process.platform !== 'linux')('a server after many calls', { timeout: 3_600_000 }, () => {
  test('over stdio holds what it held before, and leaves nothing when it ends', async () => {
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

  test('over HTTP, in both eras and many sessions, holds what it held before, and ends in order', async () => {
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
