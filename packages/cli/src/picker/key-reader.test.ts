import { once } from 'node:events';
import { createServer, connect, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createKeyReader, type Key } from './keys.ts';

/** Longer than the time in which the rest of a key has to follow its Esc. */
const BUSY_MS = 100;

test('a key that arrived whole while the process was busy is not taken for Esc', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const terminal = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  const [input] = await once(server, 'connection');
  const keys: Key[] = [];
  const reader = createKeyReader((key) => keys.push(key));
  input.setEncoding('utf8').on('data', (text: string) => reader.feed(text));
  try {
    const first = once(input, 'data');
    terminal.write('\u001b');
    await first;
    terminal.write('[A');
    const end = performance.now() + BUSY_MS;
    while (performance.now() < end);
    while (keys.length === 0) await setImmediate();
    expect(keys).toEqual([{ kind: 'up' }]);
  } finally {
    reader.stop();
    terminal.destroy();
    input.destroy();
    server.close();
  }
});
