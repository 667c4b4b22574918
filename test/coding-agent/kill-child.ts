/**
 * Changes files until it is killed: `node kill-child.ts <root> <state directory>`. Says on stdout, before and after each
 * operation, which slot it takes to which version.
 */
import { createCodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import { writeSync } from 'node:fs';
import { slots } from './kill-slots.ts';

const [root = '', stateDirectory = ''] = process.argv.slice(2);
const tools = createCodingTools({ root, stateDirectory, policy: { staleGuard: 'off' } });
// The first call puts in order what the one before left.
await tools.read.execute({ path: '.' });

/** Writes synchronously, unlike `process.stdout`: every line written before a kill arrives. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

// All slots concurrently, so that a kill meets several commits under way.
await Promise.all(
  slots.map(async (slot) => {
    for (let version = slot.versionIn(root); ; version++) {
      say(`begin ${slot.name} ${version + 1}`);
      for (const answer of await slot.advance(tools, version)) {
        if (answer.isError) throw new Error(`${slot.name}: ${textOf(answer)}`);
      }
      say(`end ${slot.name} ${version + 1}`);
    }
  }),
);
