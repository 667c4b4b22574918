import type { FileOperations, FileStat, OpenFile } from '@cairn/coding-agent';
import { isWithin, readWholeFile, recordOf, type FileRecord } from '@cairn/coding-agent/internal';
import { ToolError } from '@cairn/tool';
import { relative, resolve, sep } from 'node:path';
import { AccessCounts, type AccessCountsOptions } from './access-counts.ts';
import { checkOptions, describe, flag, type Rules } from '../checks.ts';
import type { Lifetime } from '../lifetime.ts';
import type { Lru } from './lru.ts';
import { isNeverKept } from './never-kept.ts';
import { report } from './report.ts';
import type { CacheScope } from './scope.ts';
import { StampedValues, type Hit, type Stamped } from './stamped-values.ts';
import { isSameStamp, WRITE_MS, type Stamps } from './stamps.ts';
import type { CacheAccess, CachedReadOptions, ContentCache, FileHead, Preloaded } from './types.ts';

const MAX_FILE_BYTES = 1024 * 1024;

const MAX_PRELOADED_FILES = 20;
const MAX_PRELOADED_BYTES = 2 * 1024 * 1024;

const MAX_READ_BYTES = 256 * 1024 * 1024;

export interface ContentCacheOptions extends AccessCountsOptions {
  readonly lifetime: Lifetime;
  readonly stamps: Stamps;
  /** Where contents are kept, by absolute path. Other parts may keep something under other keys. */
  readonly memory: Lru<unknown>;
  /** Called for each file that is read. */
  readonly onAccess: (access: CacheAccess) => void;
}

interface Content {
  readonly bytes: Buffer;
  /** What the ledger learns; computed when it is first needed. */
  record?: FileRecord;
}

interface OpenOptions {
  /** The path as the caller named it, absolute. Default: the canonical one. */
  readonly named?: string;
  /** Whether it is a use of the file. @default true */
  readonly isCounted?: boolean;
  /** Hears of it. Default: the listener of the cache. */
  readonly onAccess?: ((access: CacheAccess) => void) | undefined;
}

const readRules: Rules<CachedReadOptions> = {
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  countAsRead: flag,
};

function checkRead(path: unknown, options: CachedReadOptions): void {
  if (typeof path !== 'string') {
    throw new ToolError('INVALID_INPUT', [`not a path: ${describe(path)}`, 'Name a path relative to the root.']);
  }
  checkOptions('read', options, readRules);
}

async function rejectChange(): Promise<never> {
  throw Object.assign(new Error('EBADF: the file is open for reading only'), { code: 'EBADF' });
}

/** Returns a file that is open for reading, with its content in memory. */
function memoryFile(bytes: Buffer, stat: FileStat): OpenFile {
  return {
    stat: async () => stat,
    read: async (buffer, position) => bytes.copy(buffer, 0, Math.min(position, bytes.length)),
    write: rejectChange,
    truncate: rejectChange,
    setMode: rejectChange,
    setModified: rejectChange,
    sync: async () => undefined,
    close: async () => undefined,
  };
}

/** Contents of files in memory. Nothing is read before the first call. */
export class OwnContentCache implements ContentCache {
  readonly #options: ContentCacheOptions;
  readonly #contents: StampedValues<Content>;
  readonly #counts: AccessCounts;
  #hits = 0;
  #misses = 0;
  #preloading: Promise<unknown> = Promise.resolve();

  constructor(options: ContentCacheOptions) {
    this.#options = options;
    // Keys that are absolute paths have contents of files.
    this.#contents = new StampedValues(options.memory as Lru<Stamped<Content>>);
    this.#counts = new AccessCounts(options);
  }

  async read(path: string, options: CachedReadOptions = {}): ReturnType<ContentCache['read']> {
    this.#options.lifetime.check();
    checkRead(path, options);
    const { signal, countAsRead = true } = options;
    signal?.throwIfAborted();
    const ledger = countAsRead ? this.#options.scope.ledger : undefined;
    const kept = await this.#readKept(path);
    if (kept === undefined) {
      const read = await this.#readWhole(path, { ledger, signal });
      return { path: this.#shownPath(path) ?? read.path, bytes: read.bytes };
    }
    const { value, real } = kept;
    this.#count({ path: real, isHit: true }, false);
    if (ledger) {
      value.record ??= recordOf(value.bytes);
      ledger.record(real, { ...value.record, encoding: ledger.get(real)?.encoding });
    }
    return { path: this.#shownPath(real) ?? real, bytes: Buffer.from(value.bytes) };
  }

  get stats(): ContentCache['stats'] {
    const { size: entries, cost: bytes } = this.#options.memory;
    return { hits: this.#hits, misses: this.#misses, entries, bytes };
  }

  async accessCounts(): ReturnType<ContentCache['accessCounts']> {
    this.#options.lifetime.check();
    return this.#counts.all();
  }

  async preload(): ReturnType<ContentCache['preload']> {
    this.#options.lifetime.check();
    const done = this.#preload();
    this.#preloading = Promise.all([this.#preloading, done]);
    return done;
  }

  /**
   * Returns the beginning of a file below the root, `undefined` when it is not a file with text, when it is one that is never kept, and
   * when it leads out of the root. Of a file that is too large to keep, it reads no more than `maxBytes`. It does not count as a use.
   */
  async readHead(path: string, maxBytes: number): Promise<FileHead | undefined> {
    const { scope } = this.#options;
    const { real, stat } = await scope.resolve(path);
    const [root = real] = await scope.realRoots();
    if (stat?.kind !== 'file' || !isWithin(real, root)) return undefined;
    if (isNeverKept(real, [root]) || isNeverKept(resolve(root, path), [root])) return undefined;
    const file = await this.open(scope.disk, real, { named: resolve(scope.root, path), isCounted: false });
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, maxBytes));
      const bytes = buffer.subarray(0, await file.read(buffer, 0));
      if (bytes.includes(0)) return undefined;
      const isWhole = bytes.length === size;
      // A part may end within a character.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isWhole });
      return { text, size, isWhole };
    } finally {
      await file.close();
    }
  }

  /** Opens a canonical path through `inner`, or from memory; rejects what `inner` rejects. */
  async open(
    inner: FileOperations,
    path: string,
    { named = path, isCounted = true, onAccess }: OpenOptions = {},
  ): Promise<OpenFile> {
    const { scope } = this.#options;
    const roots = await scope.realRoots().catch(() => []);
    const isSecret = isNeverKept(path, roots) || isNeverKept(named, [scope.root, ...roots]);
    return this.#contents.answer<OpenFile>(inner, path, {
      note: (isHit) => {
        if (isCounted) this.#count({ path, isHit }, isSecret, onAccess);
      },
      hit: ({ value, stat }) => memoryFile(value.bytes, stat),
      read: () => this.#openAndKeep(inner, path, isSecret),
    });
  }

  countUse(path: string): void {
    this.#counts.note(path);
  }

  async close(): Promise<void> {
    await this.#preloading;
    this.#options.memory.clear();
    await this.#counts.close();
  }

  #count({ path, isHit }: Omit<CacheAccess, 'kind'>, isSecret: boolean, onAccess = this.#options.onAccess): void {
    if (isHit) this.#hits++;
    else this.#misses++;
    if (!isSecret) this.#counts.note(path);
    report(onAccess, { kind: 'read', path, isHit });
  }

  async #preload(): Promise<Preloaded> {
    const { scope, memory, lifetime } = this.#options;
    let [files, bytes] = [0, 0];
    for (const { path } of (await this.#counts.all()).slice(0, MAX_PRELOADED_FILES)) {
      if (lifetime.isClosed) break;
      try {
        const { real, stat } = await scope.resolve(path);
        const isSmall = stat?.kind === 'file' && stat.size <= MAX_FILE_BYTES;
        if (!isSmall || bytes + stat.size > MAX_PRELOADED_BYTES) continue;
        const file = await this.open(scope.disk, real, { isCounted: false });
        await file.close();
        if (!memory.has(real)) continue;
        files += 1;
        bytes += stat.size;
      } catch {
        // The file is gone, or not allowed any more.
      }
    }
    return { files, bytes };
  }

  async #openAndKeep(inner: FileOperations, path: string, isSecret: boolean): Promise<OpenFile> {
    const file = await inner.open(path, 'read');
    // The caller meets the same error when it reads, unless it does not need that part.
    const taken = isSecret ? undefined : await this.#take(path, file).catch(() => undefined);
    if (taken === undefined) return file;
    await file.close();
    const { value, stat: stamp } = taken;
    this.#contents.keep(inner, path, { stamp, value, cost: value.bytes.length });
    return memoryFile(value.bytes, stamp);
  }

  async #take(path: string, file: OpenFile): Promise<Hit<Content> | undefined> {
    const startedMs = Date.now();
    const stat = await file.stat();
    // Another name of the file may stand for secrets.
    if (stat.kind !== 'file' || stat.size > MAX_FILE_BYTES || stat.links > 1) return undefined;
    if (!(await this.#options.stamps.isSettled(path, stat, startedMs, WRITE_MS))) return undefined;
    // Not from the pool of Node: a slice would hold all of its slab.
    const bytes = Buffer.allocUnsafeSlow(stat.size);
    if ((await file.read(bytes, 0)) !== stat.size) return undefined;
    return isSameStamp(stat, await file.stat()) ? { value: { bytes }, stat } : undefined;
  }

  #readWhole(
    path: string,
    { ledger, signal }: { ledger: CacheScope['ledger']; signal: AbortSignal | undefined },
  ): Promise<{ readonly path: string; readonly bytes: Buffer }> {
    const { scope } = this.#options;
    const { root, disk } = scope;
    const openCached = (real: string, named: string): Promise<OpenFile> => this.open(disk, real, { named });
    const files = { root, operations: { ...disk, openCached }, ledger, resolve: scope.resolve.bind(scope) };
    return readWholeFile(files, path, { maxBytes: MAX_READ_BYTES, signal });
  }

  /** Returns the kept content of a path that is named canonically, where resolving the path would change nothing. */
  async #readKept(path: string): Promise<(Hit<Content> & { readonly real: string }) | undefined> {
    const { scope, memory } = this.#options;
    const real = resolve(scope.root, path);
    if (!memory.has(real) || path.includes('\0')) return undefined;
    const [root] = await scope.realRoots();
    if (root !== scope.root || !isWithin(real, root)) return undefined;
    const hit = await this.#contents.lookUp(scope.disk, real);
    return hit && { ...hit, real };
  }

  /** Returns the path relative to the root, with `/`; `undefined` outside the root. */
  #shownPath(path: string): string | undefined {
    const { root } = this.#options.scope;
    const absolute = resolve(root, path);
    return isWithin(absolute, root) ? relative(root, absolute).replaceAll(sep, '/') : undefined;
  }
}
