import type { FileStat } from '@cairn/coding-agent';
import { fileStatOf } from '@cairn/coding-agent/internal';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { RuleFiles } from './rule-files.ts';
import type { Stamps } from '../content/stamps.ts';

/** What a snapshot covers: a file; the names and kinds in a directory; the state of its entries, too; or everything below it. */
export type Extent = 'file' | 'names' | 'entries' | 'tree';

/** The state of a file or directory on the disk, as far as a result depends on it. */
export interface Snapshot {
  /** Equal for equal states. */
  readonly digest: string;
  /** From this time on every change gives another digest: nanoseconds since the epoch. */
  readonly settledNs: bigint;
  /** The states of the ignore files that hold in a directory: many list functions leave out what they name. Part of the digest. */
  readonly rules: string;
}

/** A result that depends on more entries is not kept: to check them takes as long as to list them. */
const MAX_ENTRIES = 2000;

/** Something that a snapshot covers, by its path and its state; a link also by what it leads to. */
interface Part {
  readonly path: string;
  readonly stat: FileStat;
}

async function partsAt(path: string): Promise<Part[]> {
  const stat = fileStatOf(await fs.lstat(path, { bigint: true }));
  if (stat.kind !== 'symlink') return [{ path, stat }];
  const target = await fs.stat(path, { bigint: true }).then(fileStatOf, () => undefined);
  return [{ path, stat }, ...(target ? [{ path: `${path}/`, stat: target }] : [])];
}

/** Returns what a snapshot covers; `undefined` when there is too much of it, or when not all of it can be found. */
async function collect(path: string, extent: Extent): Promise<Part[] | undefined> {
  const parts = await partsAt(path);
  // A read function may list a directory, with all below it.
  const isTree = extent === 'tree' || (extent === 'file' && parts[0]?.stat.kind === 'directory');
  const pending = isTree || extent === 'entries' ? [path] : [];
  for (const directory of pending) {
    const listed = await fs.readdir(directory);
    if (parts.length + listed.length > MAX_ENTRIES) return undefined;
    const found = await Promise.all(listed.toSorted().map((name) => partsAt(join(directory, name))));
    for (const part of found.flat()) {
      parts.push(part);
      if (!isTree || part.stat.kind !== 'directory') continue;
      // The function may have gone through a link, out of this tree.
      if (part.path.endsWith('/')) return undefined;
      pending.push(part.path);
    }
  }
  return parts;
}

/** Returns the states of ignore files; a path alone where there is none. */
async function statesOf(paths: readonly string[]): Promise<(Part | { readonly path: string })[]> {
  const found = await Promise.all(paths.map((path) => partsAt(path).catch(() => [{ path }])));
  return found.flat();
}

interface SnapshotContext {
  readonly stamps: Stamps;
  readonly ruleFiles: RuleFiles;
  /** How long a change may take after its time was recorded. */
  readonly marginMs: number;
}

/**
 * Takes a snapshot of a canonical path. Returns `undefined` when it is gone, changes meanwhile, has too many entries or is on a file
 * system without exact times.
 */
export async function snapshotOf(
  path: string,
  extent: Extent,
  { stamps, ruleFiles, marginMs }: SnapshotContext,
): Promise<Snapshot | undefined> {
  let settledNs = 0n;
  const textOf = async (part: Part | { readonly path: string }): Promise<string> => {
    if (!('stat' in part)) return JSON.stringify([part.path]);
    const { path, stat } = part;
    const { kind, identity, size, mtimeNs, ctimeNs, links } = stat;
    // Another name of the file may stand for secrets.
    if (extent === 'file' && kind === 'file' && links > 1) throw new Error(`${path} has several names`);
    const from = await stamps.settledFrom(path, stat, marginMs);
    if (from === undefined) throw new Error(`${path} has no exact times`);
    if (from > settledNs) settledNs = from;
    return JSON.stringify([path, kind, identity, size, `${mtimeNs}`, `${ctimeNs}`]);
  };
  try {
    const parts = await collect(path, extent);
    const [first] = parts ?? [];
    if (parts === undefined || first === undefined) return undefined;
    const states = extent === 'file' ? [] : await statesOf(await ruleFiles.find(path, first.stat));
    const texts = await Promise.all(states.map(textOf));
    const rules = createHash('sha256').update(texts.join()).digest('base64');
    const hash = createHash('sha256').update(rules);
    for (const part of parts) hash.update(await textOf(part));
    return { digest: hash.digest('base64'), settledNs, rules };
  } catch {
    return undefined;
  }
}
