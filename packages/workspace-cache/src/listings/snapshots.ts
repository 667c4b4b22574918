import type { FileStat } from '@cairn/coding-agent';
import { fileStatOf } from '@cairn/coding-agent/internal';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Lru } from '../content/lru.ts';
import { isSameStamp, WRITE_MS, type Stamps } from '../content/stamps.ts';
import { IGNORE_FILES, isThere } from './paths.ts';

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

const MAX_DIRECTORIES = 1000;

/** Its file can come and go without a change of the directory that contains `.git`. */
const GIT = '.git';
const EXCLUDE = join(GIT, 'info', 'exclude');

/** Something that a snapshot covers, by its path and its state; a link also by what it leads to. */
interface Part {
  readonly path: string;
  readonly stat: FileStat;
}

interface RuleFiles {
  readonly stamp: FileStat;
  /** The rule files that may be there while the stamp is this one. */
  readonly names: readonly string[];
}

async function partsAt(path: string): Promise<Part[]> {
  const stat = fileStatOf(await fs.lstat(path, { bigint: true }));
  if (stat.kind !== 'symlink') return [{ path, stat }];
  const target = await fs.stat(path, { bigint: true }).then(fileStatOf, () => undefined);
  return [{ path, stat }, ...(target ? [{ path: `${path}/`, stat: target }] : [])];
}

/** Returns what a snapshot covers, the path first. Throws when there is too much of it, or when not all of it can be found. */
async function collect(path: string, extent: Extent): Promise<Part[]> {
  const parts = await partsAt(path);
  // A read function may list a directory, with all below it.
  const isTree = extent === 'tree' || (extent === 'file' && parts[0]?.stat.kind === 'directory');
  const pending = isTree || extent === 'entries' ? [path] : [];
  for (const directory of pending) {
    const listed = await fs.readdir(directory);
    if (parts.length + listed.length > MAX_ENTRIES) throw new Error(`${path} has too many entries`);
    const found = await Promise.all(listed.toSorted().map((name) => partsAt(join(directory, name))));
    for (const part of found.flat()) {
      parts.push(part);
      if (!isTree || part.stat.kind !== 'directory') continue;
      // The function may have gone through a link, out of this tree.
      if (part.path.endsWith('/')) throw new Error(`${part.path} is a link to a directory`);
      pending.push(part.path);
    }
  }
  return parts;
}

function upwards(directory: string): string[] {
  return dirname(directory) === directory ? [directory] : [directory, ...upwards(dirname(directory))];
}

/** Takes snapshots of canonical paths. */
export class Snapshots {
  readonly #stamps: Stamps;
  /** By directory. One that is unchanged has no other names than before, so that only the files that were there are read again. */
  readonly #ruleFiles = new Lru<RuleFiles>({ maxSize: MAX_DIRECTORIES });

  constructor(stamps: Stamps) {
    this.#stamps = stamps;
  }

  /** Returns `undefined` for a path that is gone, changes meanwhile, has too many entries or is on a file system without exact times. */
  async take(path: string, extent: Extent): Promise<Snapshot | undefined> {
    let settledNs = 0n;
    const textOf = async (part: Part): Promise<string> => {
      const { kind, identity, size, mtimeNs, ctimeNs, links } = part.stat;
      // Another name of the file may stand for secrets.
      if (extent === 'file' && kind === 'file' && links > 1) throw new Error(`${part.path} has several names`);
      const from = await this.#stamps.settledFrom(part.path, part.stat, extent === 'file' ? WRITE_MS : 0);
      if (from === undefined) throw new Error(`${part.path} has no exact times`);
      if (from > settledNs) settledNs = from;
      return JSON.stringify([part.path, kind, identity, size, `${mtimeNs}`, `${ctimeNs}`]);
    };
    try {
      const parts = await collect(path, extent);
      const ruleFiles = extent === 'file' ? [] : await this.#ruleFilesIn(parts);
      const states = ruleFiles.map(async (file) => {
        // A path alone where there is none.
        const found = await partsAt(file).catch(() => undefined);
        return found ? Promise.all(found.map(textOf)) : JSON.stringify([file]);
      });
      const rules = createHash('sha256')
        .update((await Promise.all(states)).join())
        .digest('base64');
      const hash = createHash('sha256').update(rules);
      for (const part of parts) hash.update(await textOf(part));
      return { digest: hash.digest('base64'), settledNs, rules };
    } catch {
      return undefined;
    }
  }

  /** Returns the paths of the ignore files that may hold in a directory: those that are there, and perhaps some that are not. */
  async #ruleFilesIn([directory]: readonly Part[]): Promise<string[]> {
    const finding = upwards(directory?.path ?? '').map(async (at) => {
      const names = await this.#ruleNamesIn(at, at === directory?.path ? directory.stat : undefined);
      return names.map((name) => join(at, name));
    });
    return (await Promise.all(finding)).flat();
  }

  async #ruleNamesIn(directory: string, given: FileStat | undefined): Promise<readonly string[]> {
    const startedMs = Date.now();
    const stamp = given ?? (await fs.lstat(directory, { bigint: true }).then(fileStatOf, () => undefined));
    if (stamp === undefined) return [];
    const known = this.#ruleFiles.get(directory);
    if (known && isSameStamp(known.stamp, stamp)) return known.names;
    const candidates = [...IGNORE_FILES, GIT];
    const there = await Promise.all(candidates.map((name) => isThere(join(directory, name))));
    const names = candidates.filter((_, index) => there[index]).map((name) => (name === GIT ? EXCLUDE : name));
    const isSettled = await this.#stamps.isSettled(directory, stamp, startedMs);
    if (isSettled) this.#ruleFiles.set(directory, { stamp, names }, 0);
    return names;
  }
}
