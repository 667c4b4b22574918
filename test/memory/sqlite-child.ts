/** Reads or writes a store, and prints the result: `node sqlite-child.ts <path> <read|write>`. */
import { createMemory, MemoryError } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';

const [path = '', what = ''] = process.argv.slice(2);
const memory = createMemory({ backend: sqlite({ path, busyTimeoutMs: 1000 }) });
const place = { stream: 's', group: 'g' };
try {
  if (what === 'write') await memory.messages.add(place, { content: 'x' });
  process.stdout.write(JSON.stringify({ messages: await memory.messages.history(place) }));
} catch (error) {
  if (!MemoryError.isInstance(error)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }));
}
await memory.close();
