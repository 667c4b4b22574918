/**
 * Imports or changes graphs until it is killed: `node upkeep-child.ts <sqlite|redis> <path|url> <import|graph> <file|graph>`.
 * Prints a line for each acknowledged change or part of an import.
 */
import { readFileSync, writeSync } from 'node:fs';
import { createMemory } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';

const [kind = '', place = '', what = '', name = ''] = process.argv.slice(2);

/** Prints synchronously, unlike `process.stdout`, so that a kill loses no line. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

const store =
  kind === 'redis' ? redis({ url: place, timeoutMs: 30_000 }) : sqlite({ path: place, busyTimeoutMs: 60_000 });
const backend: MemoryBackend = {
  ...store,
  change: async (...given) => {
    const result = await store.change(...given);
    if (what === 'import') say('part');
    return result;
  },
};
const memory = createMemory({ backend, retention: { maxMessages: Infinity } });

await memory.backend.now();
say('ready');
if (what === 'import') {
  await memory.import(readFileSync(name, 'utf8').split('\n'));
  say('imported');
  await memory.close();
} else {
  const graph = memory.graph(name);
  for (let index = 0; ; index++) {
    const entity = `e${index}`;
    await graph.createEntities([{ name: entity, entityType: 't', observations: [] }]);
    say(`entity ${index}`);
    await graph.createRelations(['a', 'b'].map((to) => ({ from: entity, to, relationType: 'r' })));
    await graph.addObservations([{ entityName: entity, contents: ['seen'] }]);
    say(`seen ${index}`);
    if (index % 3 !== 2) continue;
    await graph.deleteEntities([entity]);
    say(`deleted ${index}`);
  }
}
