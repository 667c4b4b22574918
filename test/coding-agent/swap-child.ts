/** Replaces a directory by a link and puts it back, without a pause: `node swap-child.ts <directory> <aside> <target of the link>`. */
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';

const [directory = '', aside = '', target = ''] = process.argv.slice(2);
let running = true;
let swaps = 0;

process.on('message', () => {
  running = false;
});

/** The tools may have made a directory in the meantime: it moves out of the way. */
function persist(step: () => void): void {
  for (;;) {
    try {
      step();
      return;
    } catch {
      renameSync(directory, `${directory}-${swaps++}`);
    }
  }
}

function swap(): void {
  for (let turn = 0; turn < 100; turn++) {
    renameSync(directory, aside);
    persist(() => symlinkSync(target, directory));
    unlinkSync(directory);
    persist(() => renameSync(aside, directory));
    swaps++;
  }
  if (running) {
    setImmediate(swap);
    return;
  }
  process.send?.(swaps);
  process.disconnect();
}

process.send?.('ready');
swap();
