/**
 * Appends turns to the main session until it is killed, or `count` times:
 * `node histories-child.ts <sqlite|redis> <path|url> <name> <count>`. Prints a line for each acknowledged turn. Every tenth turn
 * has a large file.
 */
import { writeSync } from 'node:fs';
import { openContexts } from '@cairn/context';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { turnOf, withFile } from './contexts.ts';

const [kind = '', place = '', name = '', count = 'Infinity'] = process.argv.slice(2);
const store =
  kind === 'redis' ? redis({ url: place, timeoutMs: 30_000 }) : sqlite({ path: place, busyTimeoutMs: 60_000 });
const manager = await openContexts({ store, session: 's' });

/** Prints synchronously, unlike `process.stdout`, so that a kill loses no line. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

say('ready');
if (process.env['CAIRN_WAIT'] !== undefined) await new Promise((resolve) => process.stdin.once('data', resolve));

for (let index = 0; index < Number(count); index++) {
  const turn = `${name} ${index}`;
  const file = index % 10 === 9 ? [withFile(300_000, index % 256)] : [];
  try {
    await manager.appendTurn(name, [...file, ...turnOf(turn)], 'shared');
  } catch (error) {
    say(`rejected: ${manager.main.conversationHistory.length} messages`);
    throw error;
  }
  await manager.refresh([name, '__main__']);
  say(turn);
}
await manager.close();
// The stdin that it waited for may still be open.
process.stdin.destroy();
