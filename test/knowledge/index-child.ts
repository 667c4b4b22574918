/**
 * Adds assets and writes the index after each: `node index-child.ts <directory> <name> <count>`. Prints a line for each asset that
 * is in the index, synchronously, so that a kill loses no line.
 */
import { writeSync } from 'node:fs';
import process from 'node:process';
import { createKnowledge } from '@cairn/knowledge';

const [directory = '', name = '', count = 'Infinity'] = process.argv.slice(2);
const knowledge = createKnowledge({ directory });
await knowledge.index.refresh();
writeSync(1, 'ready\n');
if (process.env['CAIRN_WAIT'] !== undefined) await new Promise((resolve) => process.stdin.once('data', resolve));
for (let number = 0; number < Number(count); number++) {
  const asset = {
    name: `${name}-${number}`,
    type: 'reference',
    title: `Asset ${number}`,
    body: `${name} ${number}`,
  } as const;
  const { id } = await knowledge.store.add(asset);
  await knowledge.index.flush();
  writeSync(1, `${id}\n`);
}
await knowledge.close();
