import { grepStream } from '@cairn/natives';
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Reports the first batch of a search, then never takes the next one, or reads a text without an end. */
const { path } = workerData as { readonly path?: string };

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield Buffer.from('needle\n');
    await turn();
  }
}

await grepStream({ pattern: 'needle', ...(path === undefined ? { input: endless() } : { path }) }, () => {
  parentPort?.postMessage('first');
  return path === undefined ? undefined : new Promise(() => setInterval(() => undefined, 1000));
});
