import { readWholeFile, recordOf } from '@cairn/coding-agent/internal';
import type { FileOperations, FileStat, OpenFile } from '@cairn/coding-agent';
import type { FileRecord, Ledger } from '@cairn/coding-agent/internal';
import { ToolError } from '@cairn/tool';
import { relative, resolve, sep } from 'node:path';
import { createAccessCounts } from './access-counts.ts';
import { check, checkKnown, describe } from '../checks.ts';
import type { Lifetime } from '../lifetime.ts';
import { createFills } from './fills.ts';
import type { Lru } from './lru.ts';
import { innerOf } from './inner.ts';
import { memoryFile } from './memory-file.ts';
import { isNeverKept } from './never-kept.ts';
import { preload } from './preload.ts';
import { report } from './report.ts';
import { isWithin } from './scope.ts';
import type { CacheScope } from './scope.ts';
import { isBefore, isSameStamp, isStamp, settledFrom } from './stamps.ts';
import type { Stamp, TimeCheck } from './stamps.ts';
import type { CacheAccess, FileHead, CachedReadOptions, OwnContentCache } from './types.ts';
import { userOf } from './user.ts';

/** The limit of one kept content. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The limit of {@link ContentCache.read}. */
const MAX_READ_BYTES = 256 * 1024 * 1024;

/**
 * How long a write may still copy bytes after the system recorded its time: a writer that other processes keep from the processor.
 * A file that changed more recently is not kept.
 */
export const WRITE_MS = 200;

/** Options of {@link createContentCache}. */
export interface ContentCacheOptions {
  readonly lifetime: Lifetime;
  readonly scope: CacheScope;
  readonly hasExactTimes: TimeCheck;
  /** Where contents are kept, by absolute path. Other parts may keep something under other keys. */
  readonly memory: Lru<unknown>;
  /** The directory for access counts. Default: a directory of this user. */
  readonly stateDirectory?: string | undefined;
  /** Called for each file that is read. */
  readonly onAccess?: ((access: CacheAccess) => void) | undefined;
  /** Receives the reason why access counts are not kept, once. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

interface Kept {
  readonly inner: FileOperations;
  /** The user that read it: a process that drops its privileges may not read it again. */
  readonly user: string;
  readonly stamp: Stamp;
  readonly bytes: Buffer;
  /** What the ledger learns; computed when it is first needed. */
  record?: FileRecord;
}

/** A kept content that was checked, and the state of its file. */
interface Hit {
  readonly kept: Kept;
  readonly stat: FileStat;
}

/** Hears of a read. */
type Note = (access: CacheAccess) => void;

/** Takes the place of a ledger that must not learn of a read. */
const noLedger: Ledger = {
  get: () => undefined,
  record: () => undefined,
  hasDropped: () => false,
  forget: () => undefined,
  below: () => [],
  move: () => undefined,
};

/** @throws {ToolError} `INVALID_OPTION` or `INVALID_INPUT` */
function checkRead(path: unknown, options: CachedReadOptions): void {
  if (typeof path !== 'string') {
    throw new ToolError('INVALID_INPUT', [`not a path: ${describe(path)}`, 'Name a path relative to the root.']);
  }
  checkKnown('read', options, ['signal', 'countAsRead']);
  check('signal', options.signal, options.signal instanceof AbortSignal, 'an AbortSignal');
  check('countAsRead', options.countAsRead, typeof options.countAsRead === 'boolean', 'true or false');
}

/** Reads the beginning of an open file; `undefined` when it has a NUL, as no text has. */
async function headOf(file: OpenFile, maxBytes: number): Promise<FileHead | undefined> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.min(size, maxBytes));
  let length = 0;
  while (length < buffer.length) {
    const read = await file.read(buffer.subarray(length), length);
    if (read === 0) break;
    length += read;
  }
  const bytes = buffer.subarray(0, length);
  if (bytes.includes(0)) return undefined;
  const isWhole = length === size;
  // A part may end within a character.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isWhole });
  return { text, size, isWhole };
}

/** Makes a content cache. Nothing is read before the first call. */
export function createContentCache(options: ContentCacheOptions): OwnContentCache {
  const { lifetime, scope, hasExactTimes, onAccess, memory } = options;
  // Keys that are absolute paths have contents of files.
  const store = memory as Lru<Kept>;
  const fills = createFills();
  const counts = createAccessCounts(options);
  let hits = 0;
  let misses = 0;
  let isClosed = false;
  let preloading: Promise<unknown> = Promise.resolve();

  const countHit = (path: string, note: Note | undefined = onAccess): void => {
    hits++;
    counts.note(path);
    report(note, { kind: 'read', path, isHit: true });
  };
  const countMiss = (path: string, isSecret: boolean, note: Note | undefined = onAccess): void => {
    misses++;
    if (!isSecret) counts.note(path);
    report(note, { kind: 'read', path, isHit: false });
  };

  /** Returns the kept content of a path after a check. */
  const lookUp = async (inner: FileOperations, path: string): Promise<Hit | undefined> => {
    const kept = store.get(path);
    if (kept === undefined || kept.inner !== inner || kept.user !== userOf()) return undefined;
    try {
      // Refuses a path that leads through a link, like `open`.
      const stat = await inner.lstat(path);
      if (isSameStamp(kept.stamp, stat)) return { kept, stat };
    } catch {
      // Opening it gives the error.
    }
    store.delete(path, kept);
    return undefined;
  };

  /** Reads the content of an open file, if it may be kept. */
  const take = async (inner: FileOperations, path: string, file: OpenFile): Promise<Kept | undefined> => {
    const startedMs = Date.now();
    const stamp = await file.stat();
    if (stamp.kind !== 'file' || stamp.size > MAX_FILE_BYTES || !isStamp(stamp)) return undefined;
    // Another of its names may stand for secrets.
    if (stamp.links > 1) return undefined;
    if (!isBefore(settledFrom(stamp, WRITE_MS), startedMs) || !(await hasExactTimes(path, stamp))) return undefined;
    // Not from the pool of Node: a slice would hold all of its slab.
    const bytes = Buffer.allocUnsafeSlow(stamp.size);
    if ((await file.read(bytes, 0)) !== stamp.size) return undefined;
    return isSameStamp(stamp, await file.stat()) ? { inner, user: userOf(), stamp, bytes } : undefined;
  };

  const fill = async (inner: FileOperations, path: string, isSecret: boolean): Promise<OpenFile> => {
    const file = await inner.open(path, 'read');
    if (isSecret) return file;
    let kept: Kept | undefined;
    try {
      kept = await take(inner, path, file);
    } catch {
      // The caller meets the same fault when it reads, unless it does not need that part.
    }
    if (kept === undefined) return file;
    await file.close();
    store.set(path, kept, kept.bytes.length);
    return memoryFile(kept.bytes, kept.stamp);
  };

  const open: OwnContentCache['open'] = async (
    inner,
    path,
    { named = path, isCounted = true, onAccess: note } = {},
  ) => {
    const roots = await scope.realRoots().catch(() => []);
    let hit = await lookUp(inner, path);
    const filling = fills.underWay(path);
    if (hit === undefined && filling) {
      await filling;
      // The file may have changed since the other read began.
      hit = await lookUp(inner, path);
    }
    if (hit) {
      if (isCounted) countHit(path, note);
      return memoryFile(hit.kept.bytes, hit.stat);
    }
    const isSecret = isNeverKept(path, roots) || isNeverKept(named, [scope.root, ...roots]);
    if (isCounted) countMiss(path, isSecret, note);
    // Without an `await` since the check of `fills`, so that equal reads share this one.
    return fills.track(path, fill(inner, path, isSecret));
  };

  /** Reads a file of the scope by way of {@link open}. */
  const readWhole = (
    path: string,
    ledger: Ledger,
    options: { signal?: AbortSignal | undefined; isCounted: boolean },
  ) => {
    const disk = innerOf(scope.operations);
    const openCached = (real: string, named: string): Promise<OpenFile> =>
      open(disk, real, { named, isCounted: options.isCounted });
    const operations = { ...disk, openCached };
    const files: CacheScope & { readonly ledger: Ledger } = {
      root: scope.root,
      operations,
      ledger,
      resolve: (name, use) => scope.resolve(name, use),
      realRoots: () => scope.realRoots(),
    };
    return readWholeFile(files, path, { maxBytes: MAX_READ_BYTES, signal: options.signal });
  };

  /** Returns the kept content of a path that is named canonically. Resolving it would say the same. */
  const readKept = async (path: string): Promise<(Hit & { readonly real: string }) | undefined> => {
    const real = resolve(scope.root, path);
    if (!store.has(real) || path.includes('\0')) return undefined;
    const [root] = await scope.realRoots();
    if (root !== scope.root || !isWithin(real, root)) return undefined;
    const hit = await lookUp(innerOf(scope.operations), real);
    return hit && { ...hit, real };
  };

  /** Returns the path relative to the root, with `/`; `undefined` outside the root. */
  const shownPath = (path: string): string | undefined => {
    const absolute = resolve(scope.root, path);
    return isWithin(absolute, scope.root) ? relative(scope.root, absolute).replaceAll(sep, '/') : undefined;
  };

  return {
    read: async (path, readOptions = {}) => {
      lifetime.check();
      checkRead(path, readOptions);
      const { signal, countAsRead = true } = readOptions;
      signal?.throwIfAborted();
      const ledger = countAsRead ? (scope.ledger ?? noLedger) : noLedger;
      const hit = await readKept(path);
      if (hit === undefined) {
        const read = await readWhole(path, ledger, { signal, isCounted: true });
        return { path: shownPath(path) ?? read.path, bytes: read.bytes };
      }
      const { kept, real } = hit;
      countHit(real);
      if (ledger !== noLedger) {
        kept.record ??= recordOf(kept.bytes);
        ledger.record(real, { ...kept.record, encoding: ledger.get(real)?.encoding });
      }
      return { path: shownPath(real) ?? real, bytes: Buffer.from(kept.bytes) };
    },
    get stats() {
      return { hits, misses, entries: store.size, bytes: store.cost };
    },
    accessCounts: async () => {
      lifetime.check();
      return counts.all();
    },
    preload: async () => {
      lifetime.check();
      const done = preload({
        scope,
        counts,
        memory: store,
        open,
        maxFileBytes: MAX_FILE_BYTES,
        isClosed: () => isClosed,
      });
      preloading = Promise.all([preloading, done]);
      return done;
    },
    readHead: async (path, maxBytes) => {
      const { real, stat } = await scope.resolve(path);
      if (stat?.kind !== 'file') return undefined;
      const file = await open(innerOf(scope.operations), real, { named: resolve(scope.root, path), isCounted: false });
      try {
        return await headOf(file, maxBytes);
      } finally {
        await file.close();
      }
    },
    open,
    countUse: (path) => counts.note(path),
    drop: ({ written, deleted, renamed }) => {
      for (const path of [...written, ...deleted, ...renamed.flatMap(({ from, to }) => [from, to])]) store.delete(path);
    },
    close: async () => {
      isClosed = true;
      await preloading;
      store.clear();
      await counts.close();
    },
  };
}
