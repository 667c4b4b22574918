/** The generated tree of 1,000,000 files in 40,000 directories. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { say } from '../progress.ts';
import { madeOnce } from './cache.ts';
import { DIRECTORIES, FILES, FILES_PER_LINE, planDirectories } from './million-plan.ts';

/** A directory takes a block, and so does a file with a line in it. */
const BLOCK_BYTES = 4096;

function checkRoom(directory: string): void {
  const { ffree, files, bavail, bsize } = statfsSync(directory);
  const inodes = FILES + DIRECTORIES;
  const bytes = (DIRECTORIES * 2 + FILES / FILES_PER_LINE) * BLOCK_BYTES;
  // A file system that counts no inodes has no limit on them.
  if (files > 0 && ffree < inodes) throw new Error(`${directory}: ${inodes} inodes are needed and ${ffree} are free`);
  if (bavail * bsize < bytes) throw new Error(`${directory}: ${bytes / 2 ** 20} MiB are needed`);
}

/** Counts what is below a directory, so that a tree that is not whole is noticed. */
function countBelow(root: string): { files: number; directories: number } {
  const counts = { files: 0, directories: 0 };
  const pending = [root];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (!entry.isDirectory()) counts.files += 1;
      else {
        counts.directories += 1;
        pending.push(join(directory, entry.name));
      }
    }
  }
  return counts;
}

async function runPart(root: string, part: number, parts: number): Promise<void> {
  const child = fork(fileURLToPath(new URL('million-part.ts', import.meta.url)), [root, `${part}`, `${parts}`]);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`making files below ${root} ended with exit code ${code}`);
}

/** The root of the tree, made by the first call and counted by each. */
export async function million(): Promise<string> {
  const root = await madeOnce('million', async (directory) => {
    checkRoom(directory);
    say(`Making ${FILES} files in ${DIRECTORIES} directories below ${directory}`);
    const began = performance.now();
    for (const { path } of planDirectories()) mkdirSync(join(directory, path));
    const parts = availableParallelism();
    await Promise.all(Array.from({ length: parts }, (_, part) => runPart(directory, part, parts)));
    say(`  made in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  });
  const { files, directories } = countBelow(root);
  if (files !== FILES || directories !== DIRECTORIES) {
    throw new Error(`${root} has ${files} files in ${directories} directories: remove it and run again`);
  }
  return root;
}
