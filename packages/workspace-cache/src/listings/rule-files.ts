import type { FileStat } from '@cairn/coding-agent';
import { fileStatOf } from '@cairn/coding-agent/internal';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Lru } from '../content/lru.ts';
import { isSameStamp, type Stamps } from '../content/stamps.ts';
import { isThere } from './locate.ts';
import { IGNORE_FILES } from './paths-of.ts';

const MAX_DIRECTORIES = 1000;

/** Its file can come and go without a change of the directory that contains `.git`. */
const GIT = '.git';
const EXCLUDE = join(GIT, 'info', 'exclude');

interface Known {
  readonly stamp: FileStat;
  /** The rule files that may be there while the stamp is this one. */
  readonly names: readonly string[];
}

function upwards(directory: string): string[] {
  return dirname(directory) === directory ? [directory] : [directory, ...upwards(dirname(directory))];
}

/**
 * Finds the ignore files that hold in a directory. A directory that is unchanged has no other names than before, so that only the files
 * that were there are read again: one `lstat` of each directory above, and one of each ignore file.
 */
export class RuleFiles {
  readonly #known = new Lru<Known>({ maxSize: MAX_DIRECTORIES });
  readonly #stamps: Stamps;

  constructor(stamps: Stamps) {
    this.#stamps = stamps;
  }

  /**
   * Returns the paths of the ignore files that may hold in a directory: those that are there and perhaps some that are not, and no
   * others are there.
   *
   * @param stat the state of the directory now.
   */
  async find(directory: string, stat: FileStat): Promise<string[]> {
    const finding = upwards(directory).map(async (at) => {
      const names = await this.#namesIn(at, at === directory ? stat : undefined);
      return names.map((name) => join(at, name));
    });
    return (await Promise.all(finding)).flat();
  }

  async #namesIn(directory: string, given: FileStat | undefined): Promise<readonly string[]> {
    const startedMs = Date.now();
    const stamp = given ?? (await lstat(directory, { bigint: true }).then(fileStatOf, () => undefined));
    if (stamp === undefined) return [];
    const known = this.#known.get(directory);
    if (known && isSameStamp(known.stamp, stamp)) return known.names;
    const candidates = [...IGNORE_FILES, GIT];
    const there = await Promise.all(candidates.map((name) => isThere(join(directory, name))));
    const names = candidates.filter((_, index) => there[index]).map((name) => (name === GIT ? EXCLUDE : name));
    if (await this.#stamps.isSettled(directory, stamp, startedMs)) this.#known.set(directory, { stamp, names }, 0);
    return names;
  }
}
