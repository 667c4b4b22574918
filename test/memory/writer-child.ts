/**
 * Writes until it is killed, or `count` times: `node writer-child.ts <sqlite|redis> <path|url> <name> <count>`. Prints a line
 * for each acknowledged write: the kind and the content.
 */
import { writeSync } from 'node:fs';
import { createMemory } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';

const [kind = '', place = '', name = '', count = 'Infinity'] = process.argv.slice(2);
const backend =
  kind === 'redis' ? redis({ url: place, timeoutMs: 30_000 }) : sqlite({ path: place, busyTimeoutMs: 60_000 });
const memory = createMemory({ backend, retention: { maxMessages: Infinity, maxNotes: 1000 } });

/** Prints synchronously, unlike `process.stdout`, so that a kill loses no line. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

// Waits until all writers have started.
await memory.backend.now();
say('ready');
if (process.env['CAIRN_WAIT'] !== undefined) await new Promise((resolve) => process.stdin.once('data', resolve));

const { id } = await memory.workflows.create({ goal: 'g', todos: ['a'], streamName: 's' });
for (let index = 0; index < Number(count); index++) {
  const content = `${name} ${index}`;
  await memory.messages.add({ stream: 's', group: 'g' }, { content });
  say(`message ${content}`);
  // The test of kills also needs notes and workflows.
  if (count !== 'Infinity') {
    // All processes repeat the same requests.
    if (index % 10 === 0)
      await memory.messages.add({ stream: 's', group: 'once' }, { id: `${index}`, content: 'once' });
    continue;
  }
  await memory.storeNote(name, content, 'todo_0', { temporary: index % 2 === 0 });
  say(`note ${content}`);
  const run = await memory.workflows.acquire(id);
  await run.updateTodo('todo_0', { status: 'running', result: content });
  say(`workflow ${content}`);
  await run.release();
}
await memory.close();
// The stdin that it waited for may still be open.
process.stdin.destroy();
