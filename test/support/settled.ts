import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** How long a file must be unchanged before a content of it is kept: 220 ms, and the accuracy of a clock in milliseconds. */
const SETTLED_MS = 225;

function lastChangeMs(path: string): number {
  const stat = lstatSync(path);
  const below = stat.isDirectory() ? readdirSync(path).map((name) => lastChangeMs(join(path, name))) : [];
  return Math.max(stat.ctimeMs, ...below);
}

/** Waits until everything at a path is unchanged for so long that caches keep it. */
export async function settled(path: string): Promise<void> {
  for (;;) {
    const leftMs = lastChangeMs(path) + SETTLED_MS - Date.now();
    if (leftMs <= 0) return;
    await setTimeout(leftMs);
  }
}
