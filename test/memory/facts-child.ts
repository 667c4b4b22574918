/**
 * Changes facts until it is killed, or `count` times: `node facts-child.ts <sqlite|redis> <path|url> <name> <count>`. With the name
 * `move` it moves them between two projects. Prints a line of JSON for each acknowledged change.
 */
import { writeSync } from 'node:fs';
import { createMemory } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';

const [kind = '', place = '', name = '', count = 'Infinity'] = process.argv.slice(2);
const backend =
  kind === 'redis' ? redis({ url: place, timeoutMs: 30_000 }) : sqlite({ path: place, busyTimeoutMs: 60_000 });
const { facts, close } = createMemory({ backend, project: 'p' });

/** Prints synchronously, unlike `process.stdout`, so that a kill loses no line. */
function say(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

await backend.now();
say('ready');
if (process.env['CAIRN_WAIT'] !== undefined) await new Promise((resolve) => process.stdin.once('data', resolve));

// Moves the facts to another project and back.
while (name === 'move') {
  await facts.moveProject('p', 'q');
  await facts.moveProject('q', 'p');
  say({ did: 'move' });
}

for (let index = 0; index < Number(count); index++) {
  const { fact, isNew } = await facts.remember(`Text ${index}`, { tags: [`t${name}`] });
  say({ did: 'remember', id: fact.id, isNew, text: fact.text });
  // The test of kills also needs the other changes, of facts that only this process changes.
  if (count !== 'Infinity') continue;
  const own = await facts.remember(`${name} own ${index}`);
  say({ did: 'own', id: own.fact.id, text: own.fact.text });
  const text = `${name} updated ${index}`;
  await facts.update(own.fact.id, { text });
  say({ did: 'own', id: own.fact.id, text });
  if (index % 3 === 1) {
    await facts.forget(own.fact.id);
    say({ did: 'forget', id: own.fact.id });
  } else if (index % 3 === 2) {
    const next = await facts.supersede(own.fact.id, `${name} next ${index}`);
    say({ did: 'supersede', id: own.fact.id, next: next.id, text: next.text });
  }
}
await close();
// The stdin that it waited for may still be open.
process.stdin.destroy();
