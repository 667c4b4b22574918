import { isWithin } from '@cairn/coding-agent/internal';
import { accountStateDirectories } from '@cairn/tool/internal';
import { relative, sep } from 'node:path';
import { messageOf } from '../checks.ts';
import { add, MAX_PATH_LENGTH, ranked, readUses, writeUses, type Use, type Uses } from './counts-file.ts';
import { report } from './report.ts';
import type { CacheScope } from './scope.ts';

export interface AccessCount {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastUsedMs: number;
}

export interface AccessCountsOptions {
  readonly scope: CacheScope;
  /** The directory for access counts. Default: a directory of this user. */
  readonly stateDirectory?: string | undefined;
  /** Receives the reason why access counts are not kept, once. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Uses after which the counts are written. A process that is killed loses fewer. */
const USES_PER_WRITE = 256;

/** Returns the uses of files below the root, by their relative paths. */
function usesBelow(root: string, uses: Uses): (readonly [string, Use])[] {
  return [...uses].flatMap(([path, use]) => {
    if (!isWithin(path, root) || path.length > MAX_PATH_LENGTH) return [];
    return [[relative(root, path).replaceAll(sep, '/'), use] as const];
  });
}

/** How often the files of the project at the first root were used, by all processes of the user. Nothing is read before the first call. */
export class AccessCounts {
  readonly #options: AccessCountsOptions;
  readonly #directories: readonly string[];
  #noted: Uses = new Map();
  #unwritten = 0;
  #writing: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(options: AccessCountsOptions) {
    const { stateDirectory } = options;
    this.#options = options;
    this.#directories = stateDirectory === undefined ? accountStateDirectories('workspace-cache') : [stateDirectory];
  }

  note(path: string): void {
    add(this.#noted, [[path, { count: 1, lastUsedMs: Date.now() }]]);
    this.#unwritten++;
    if (this.#unwritten < USES_PER_WRITE) return;
    this.#unwritten = 0;
    void this.close();
  }

  /** Returns all counts, the most used first; a use counts half after a week. */
  async all(): Promise<readonly AccessCount[]> {
    await this.#writing;
    const uses: Uses = new Map();
    try {
      const root = await this.#root();
      add(uses, await readUses(this.#directories, root));
      add(uses, usesBelow(root, this.#noted));
    } catch {
      // There is no root: there are no files either.
    }
    return ranked(uses).map(([path, use]) => ({ path, ...use }));
  }

  close(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #root(): Promise<string> {
    const [root = ''] = await this.#options.scope.realRoots();
    return root;
  }

  async #write(): Promise<void> {
    if (this.#noted.size === 0) return;
    const taken = this.#noted;
    this.#noted = new Map();
    this.#unwritten = 0;
    try {
      const root = await this.#root();
      await writeUses(this.#directories, root, usesBelow(root, taken));
    } catch (error) {
      add(taken, this.#noted);
      this.#noted = new Map(ranked(taken));
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      report(this.#options.onWarning, `access counts are kept in memory only: ${messageOf(error)}`);
    }
  }
}
