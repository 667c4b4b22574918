import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { settledFrom } from '../content/stamps.ts';
import type { Stamp, TimeCheck } from '../content/stamps.ts';

/**
 * What a snapshot covers: a file; the names and kinds in a directory; the state of its entries, too; or everything below it.
 */
export type Extent = 'file' | 'names' | 'entries' | 'tree';

/** The state of a file or directory on the disk, as far as a result depends on it. */
export interface Snapshot {
  /** Equal for equal states. */
  readonly digest: string;
  /** From this time on every change gives another digest: nanoseconds since the epoch. */
  readonly settledNs: bigint;
}

/** A result that depends on more entries is not kept: to check them takes as long as to list them. */
const MAX_ENTRIES = 2000;

function kindOf(stats: BigIntStats): Stamp['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

/** Something that a snapshot covers, by its path and its state; a link also by what it leads to. */
interface Part {
  readonly path: string;
  readonly stats: BigIntStats;
}

async function partsAt(path: string): Promise<Part[]> {
  const stats = await lstat(path, { bigint: true });
  if (!stats.isSymbolicLink()) return [{ path, stats }];
  const target = await stat(path, { bigint: true }).catch(() => undefined);
  return target
    ? [
        { path, stats },
        { path: `${path}/`, stats: target },
      ]
    : [{ path, stats }];
}

/** Returns what a snapshot covers; `undefined` when there is too much of it. */
async function collect(path: string, extent: Extent): Promise<Part[] | undefined> {
  const parts = await partsAt(path);
  // A read function may list a directory.
  const isOne = extent === 'names' || (extent === 'file' && parts[0]?.stats.isDirectory() !== true);
  const pending = isOne ? [] : [path];
  for (const directory of pending) {
    const listed = await readdir(directory);
    if (parts.length + listed.length > MAX_ENTRIES) return undefined;
    const found = await Promise.all(listed.toSorted().map((name) => partsAt(join(directory, name))));
    for (const part of found.flat()) {
      parts.push(part);
      if (extent === 'tree' && part.stats.isDirectory() && !part.path.endsWith('/')) pending.push(part.path);
    }
  }
  return parts;
}

/**
 * Takes a snapshot of a canonical path. Returns `undefined` when it is gone, changes meanwhile, has too many entries or is on a file
 * system without exact times.
 */
export async function snapshotOf(
  path: string,
  extent: Extent,
  { hasExactTimes, marginMs }: { readonly hasExactTimes: TimeCheck; readonly marginMs: number },
): Promise<Snapshot | undefined> {
  const hash = createHash('sha256');
  let settledNs = 0n;
  try {
    const parts = await collect(path, extent);
    if (parts === undefined) return undefined;
    for (const { path: at, stats } of parts) {
      const { dev, ino, size, mtimeNs, ctimeNs } = stats;
      const identity = `${dev}:${ino}`;
      const stamp = { identity, mtimeNs, ctimeNs };
      if (!(await hasExactTimes(at, stamp))) return undefined;
      const from = settledFrom(stamp, marginMs);
      if (from > settledNs) settledNs = from;
      hash.update(JSON.stringify([at, kindOf(stats), identity, `${size}`, `${mtimeNs}`, `${ctimeNs}`]));
    }
    return { digest: hash.digest('base64'), settledNs };
  } catch {
    return undefined;
  }
}
