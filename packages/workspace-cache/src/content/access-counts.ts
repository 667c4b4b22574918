import { isWithin } from '@cairn/coding-agent/internal';
import { accountStateDirectories } from '@cairn/tool/internal';
import { join, relative, sep } from 'node:path';
import { nodeFileOperations } from '@cairn/coding-agent';
import { writeAtomically } from '@cairn/tool/kernel';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { z } from 'zod';
import { messageOf } from '../checks.ts';
import { report } from './report.ts';
import type { CacheScope } from './scope.ts';

const MAX_PATHS = 1000;
const MAX_PATH_LENGTH = 4096;
/** A larger file is not one of ours. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Files of other projects; the oldest are removed. */
const MAX_PROJECTS = 200;
const HALF_LIFE_MS = 7 * 24 * 60 * 60 * 1000;
const LOCK_MS = 2000;
const OTHERS_MAY_WRITE = 0o022;

interface Use {
  readonly count: number;
  readonly lastUsedMs: number;
}
type Uses = Map<string, Use>;

function weightOf({ count, lastUsedMs }: Use, nowMs: number): number {
  return count * 0.5 ** (Math.max(0, nowMs - lastUsedMs) / HALF_LIFE_MS);
}

/** Returns the uses with the highest weight, at most 1,000. */
function ranked(uses: Uses): (readonly [string, Use])[] {
  const nowMs = Date.now();
  const weighed = [...uses].map((entry) => ({ entry, weight: weightOf(entry[1], nowMs) }));
  return weighed
    .toSorted((a, b) => b.weight - a.weight || (a.entry[0] < b.entry[0] ? -1 : 1))
    .slice(0, MAX_PATHS)
    .map(({ entry }) => entry);
}

function add(uses: Uses, more: Iterable<readonly [string, Use]>): void {
  for (const [path, { count, lastUsedMs }] of more) {
    const known = uses.get(path);
    const latestMs = Math.max(known?.lastUsedMs ?? 0, lastUsedMs);
    uses.set(path, { count: (known?.count ?? 0) + count, lastUsedMs: latestMs });
  }
}

const countsSchema = z.object({ version: z.literal(1), counts: z.array(z.unknown()) });
const entrySchema = z.tuple([z.string().max(MAX_PATH_LENGTH), z.int(), z.number()]);

/** Returns the uses in a file's text, without what has another form: a process may have been killed while it wrote. */
function parse(text: string): Uses {
  const nowMs = Date.now();
  const uses: Uses = new Map();
  const { counts } = countsSchema.parse(JSON.parse(text));
  for (const entry of counts.slice(0, MAX_PATHS)) {
    const { data } = entrySchema.safeParse(entry);
    if (data === undefined) continue;
    const [path, count, lastUsedMs] = data;
    uses.set(path, { count: Math.max(0, count), lastUsedMs: Math.min(nowMs, lastUsedMs) });
  }
  return uses;
}

async function isOwn(directory: string): Promise<boolean> {
  try {
    const stat = await fs.lstat(directory);
    const own = process.geteuid?.();
    return stat.isDirectory() && (own === undefined || (stat.uid === own && (stat.mode & OTHERS_MAY_WRITE) === 0));
  } catch {
    return false;
  }
}

async function readCounts(file: string): Promise<Uses> {
  try {
    const { size } = await fs.lstat(file);
    return size > MAX_FILE_BYTES ? new Map() : parse(await fs.readFile(file, 'utf8'));
  } catch {
    return new Map();
  }
}

/** Removes the files of projects that were not used for the longest time. Another process may do the same now. */
async function removeOldest(directory: string): Promise<void> {
  const names = (await fs.readdir(directory)).filter((name) => name.endsWith('.json'));
  if (names.length <= MAX_PROJECTS) return;
  const files = await Promise.all(
    names.map(async (name) => ({ name, usedMs: (await fs.lstat(join(directory, name))).mtimeMs })),
  );
  for (const { name } of files.toSorted((a, b) => b.usedMs - a.usedMs).slice(MAX_PROJECTS)) {
    await fs.rm(join(directory, name), { force: true });
  }
}

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
      const place = await this.#placeOf(root, false);
      if (place) add(uses, await readCounts(place.file));
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

  /** Returns the file of a project, in the first directory that can be used. */
  async #placeOf(root: string, isNew: boolean): Promise<{ directory: string; file: string } | undefined> {
    const name = createHash('sha256').update(root).digest('hex').slice(0, 32);
    for (const directory of this.#directories) {
      // Where it cannot be made, the next one may do.
      if (isNew) await fs.mkdir(directory, { recursive: true, mode: 0o700 }).catch(() => undefined);
      if (await isOwn(directory)) return { directory, file: join(directory, `${name}.json`) };
    }
    return undefined;
  }

  async #write(): Promise<void> {
    if (this.#noted.size === 0) return;
    const taken = this.#noted;
    this.#noted = new Map();
    this.#unwritten = 0;
    try {
      await this.#add(taken);
    } catch (error) {
      add(taken, this.#noted);
      this.#noted = new Map(ranked(taken));
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      report(this.#options.onWarning, `access counts are kept in memory only: ${messageOf(error)}`);
    }
  }

  /** Adds uses to the file, under a lock. Rejects when no directory can be used. */
  async #add(more: Uses): Promise<void> {
    const root = await this.#root();
    const place = await this.#placeOf(root, true);
    if (place === undefined) throw new Error(`no directory can be used of ${this.#directories.join(', ')}`);
    const { directory, file } = place;
    const lock = await nodeFileOperations.lock(directory, { timeoutMs: LOCK_MS });
    if (lock === undefined) throw new Error(`${directory} is locked by another process`);
    try {
      const uses = await readCounts(file);
      add(uses, usesBelow(root, more));
      const counts = ranked(uses).map(([path, { count, lastUsedMs }]) => [path, count, lastUsedMs]);
      await writeAtomically(file, JSON.stringify({ version: 1, root, counts }));
      await removeOldest(directory).catch(() => undefined);
    } finally {
      await lock.release();
    }
  }
}
