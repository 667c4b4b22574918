/**
 * Searches a store in a new process: `node search-child.ts <sqlite|redis> <place> <rounds>`. Prints one line of JSON for each
 * search: its time, the processor time, the longest turn of the event loop, and the memory of the process afterwards.
 */
import { createMemory } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { QUERY } from './texts.ts';
import type { Search } from './texts.ts';

const [kind, place = '', rounds = '1'] = process.argv.slice(2);

async function search(): Promise<void> {
  const retention = { maxMessages: Infinity, messageLifetimeMs: Infinity };
  const backend = kind === 'redis' ? redis({ url: place, timeoutMs: 30_000 }) : sqlite({ path: place });
  const memory = createMemory({ backend, retention });
  // The driver of the store is loaded before.
  await backend.now();
  let isDone = false;
  let maxTurn = 0;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const now = process.threadCpuUsage();
    maxTurn = Math.max(maxTurn, now.user + now.system - before.user - before.system);
    before = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  for (let round = 0; round < Number(rounds); round++) {
    maxTurn = 0;
    const began = performance.now();
    const used = process.cpuUsage();
    const { contexts } = await memory.recall({ stream: 's', group: 'g', query: QUERY, limit: 10 });
    const { user, system } = process.cpuUsage(used);
    const figures: Search = {
      ms: performance.now() - began,
      processorMs: (user + system) / 1000,
      maxTurnMs: maxTurn / 1000,
      residentBytes: process.memoryUsage.rss(),
      found: contexts.length,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  }
  isDone = true;
  await memory.close();
}

await search();
