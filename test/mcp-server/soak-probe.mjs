/**
 * Preloaded into a server. At SIGUSR2 it writes the memory, files and listeners of the process to the file in SOAK_REPORT.
 */
import { readdirSync, writeFileSync, renameSync } from 'node:fs';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const report = process.env.SOAK_REPORT;
let turn = 0;

async function answer() {
  // An object may be held by one that the previous collection finalizes.
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const resources = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const listeners = {};
  for (const [name, emitter] of Object.entries({ process, stdin: process.stdin, stdout: process.stdout })) {
    for (const event of emitter.eventNames()) listeners[`${name} ${String(event)}`] = emitter.listenerCount(event);
  }
  turn += 1;
  const { heapUsed, rss, external } = process.memoryUsage();
  const files = readdirSync('/proc/self/fd').length;
  writeFileSync(`${report}.new`, JSON.stringify({ turn, heapUsed, rss, external, files, resources, listeners }));
  renameSync(`${report}.new`, report);
}

process.on('SIGUSR2', () => void answer());
