import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Removes a directory even when a test took the permissions away. */
export function removeTree(root: string): void {
  try {
    rmSync(root, { recursive: true, force: true });
  } catch {
    spawnSync('chmod', ['-R', 'u+rwX', '--', root]);
    rmSync(root, { recursive: true, force: true });
  }
}
