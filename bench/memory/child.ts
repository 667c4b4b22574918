/**
 * One of the processes that write at once: `node child.ts <sqlite|redis> <place> <message|entity> <name> <count>`. Waits for a
 * line on stdin, and says on stdout how many writes were acknowledged.
 */
import { createMemory } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';

const [kind = '', place = '', what = '', name = '', count = '0'] = process.argv.slice(2);
const backend =
  kind === 'redis' ? redis({ url: place, timeoutMs: 30_000 }) : sqlite({ path: place, busyTimeoutMs: 60_000 });
const memory = createMemory({ backend, retention: { maxMessages: Infinity } });
await memory.backend.now();
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
let acknowledged = 0;
for (let index = 0; index < Number(count); index++) {
  const written = `${name} ${index}`;
  if (what === 'message') await memory.messages.add({ stream: 's', group: 'g' }, { content: written });
  else await memory.graph().createEntities([{ name: written, entityType: 'test', observations: [] }]);
  acknowledged += 1;
}
await memory.close();
process.stdout.write(`${acknowledged}\n`);
process.stdin.destroy();
