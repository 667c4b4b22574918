import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NativePathList } from '../binding/index.js';

test('a list reports its memory to Node, which collects lists that nobody holds', async () => {
  const lists: WeakRef<NativePathList>[] = [];
  const paths = Buffer.from('directory/file\0'.repeat(100_000));
  for (let count = 0; count < 100; count++) {
    const list = new NativePathList();
    list.add(paths);
    lists.push(new WeakRef(list));
    await setImmediate();
  }
  expect(lists.filter((list) => list.deref() === undefined).length).toBeGreaterThan(50);
});
