/** The trees that are searched. */
import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { debianSource } from '../lib/corpora/debian-source.ts';
import { kernel } from '../lib/corpora/kernel.ts';
import { say } from '../lib/progress.ts';
import { drawQueries, kernelQueries } from './queries.ts';
import type { Query } from './protocol.ts';

export interface Tree {
  readonly name: string;
  readonly root: string;
  readonly queries: readonly Query[];
}

/** A file is indexed 40 s after its last change, so a tree that was just unpacked must wait. */
const settledMs = 60_000;

async function settle(root: string): Promise<void> {
  const ageMs = Date.now() - statSync(root).ctimeMs;
  if (ageMs < settledMs) await setTimeout(settledMs - ageMs);
}

const known: readonly { readonly name: string; readonly root: () => Promise<string> }[] = [
  { name: 'Linux 6.1', root: kernel },
  { name: 'drivers/net of Linux 6.1', root: async () => join(await kernel(), 'drivers/net') },
  { name: 'TypeScript 4.8', root: () => debianSource('node-typescript') },
];

async function treeOf(name: string, root: string): Promise<Tree> {
  await settle(root);
  const isKernel = existsSync(join(root, 'kernel/sched/core.c'));
  return { name, root, queries: isKernel ? kernelQueries : await drawQueries(root) };
}

/** Yields the given directories, or the trees of the report, without those that cannot be fetched. */
export async function* trees(paths: readonly string[]): AsyncGenerator<Tree> {
  for (const path of paths) yield await treeOf(basename(resolve(path)), resolve(path));
  if (paths.length > 0) return;
  for (const { name, root } of known) {
    let directory: string;
    try {
      directory = await root();
    } catch (error) {
      say(`${name} is left out: ${error instanceof Error ? error.message : String(error)}`);
      continue;
    }
    yield await treeOf(name, directory);
  }
}
