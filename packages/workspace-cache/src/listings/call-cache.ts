import { isObject } from '@cairn/tool/kernel';
import { AsyncLocalStorage } from 'node:async_hooks';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { WorkspaceChange } from '@cairn/coding-agent';
import { WRITE_MS } from '../content/content-cache.ts';
import type { Lru } from '../content/lru.ts';
import { isNeverKept } from '../content/never-kept.ts';
import { report } from '../content/report.ts';
import type { CacheScope } from '../content/scope.ts';
import { isBefore } from '../content/stamps.ts';
import type { TimeCheck } from '../content/stamps.ts';
import { userOf } from '../content/user.ts';
import type { Lifetime } from '../lifetime.ts';
import { callOf, pathOf, signalIn } from './call-arguments.ts';
import type { Call, WrapOptions } from './call-arguments.ts';
import { extentOfItems, itemsOf } from './items.ts';
import { locate } from './locate.ts';
import { isAffected, pathsOf } from './paths-of.ts';
import { copyPlain } from './plain.ts';
import type { PlainCopy } from './plain.ts';
import { RuleFiles } from './rule-files.ts';
import { snapshotOf } from './snapshot.ts';
import type { Extent, Snapshot } from './snapshot.ts';
import { waitFor } from './wait-for.ts';

/** The limit of one kept result. */
const MAX_RESULT_BYTES = 1024 * 1024;

/** Above this number, calls in flight are not shared. */
const MAX_FLIGHTS = 1000;

/** A function after it was wrapped. */
export type Wrapped<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Awaited<Result>>;

/** What a call found: for the owner of the listings of a run. */
export interface CallResult {
  /** As the caller named it. */
  readonly path: string;
  /** Canonical; `undefined` when it is not a path of the workspace. */
  readonly real: string | undefined;
  readonly value: unknown;
  readonly isHit: boolean;
  /** The state of the disk that the result describes; `undefined` when that is not certain. */
  readonly state: ResultState | undefined;
  /** The canonical roots of the workspace. */
  readonly roots: readonly string[];
}

/** A state of the disk. */
interface ResultState {
  readonly real: string;
  readonly extent: Extent;
  /** Of the {@link Snapshot}. */
  readonly digest: string;
}

/** How one function is wrapped. */
interface WrapRequest<Args extends readonly unknown[], Result> {
  readonly kind: 'list' | 'read';
  readonly original: (...args: Args) => Result;
  readonly options: WrapOptions<Args>;
  /** Receives each result before the caller does. */
  readonly onResult: (result: CallResult) => void;
}

/** Results of wrapped functions, which the disk decides about: a result is used again while what it depends on is unchanged. */
export interface CallCache {
  /** Returns whether a state is still that of the disk. */
  isCurrent(state: ResultState): Promise<boolean>;
  wrap<Args extends readonly unknown[], Result>(request: WrapRequest<Args, Result>): Wrapped<Args, Result>;
  /** Drops results of a path when something at or below it was changed. */
  drop(change: WorkspaceChange): void;
}

/** Options of {@link createCallCache}. */
export interface CallCacheOptions {
  readonly lifetime: Lifetime;
  readonly scope: CacheScope;
  readonly hasExactTimes: TimeCheck;
  /** Where results are kept, by kind. */
  readonly stores: Readonly<Record<'list' | 'read', Lru<unknown>>>;
  /** Counts one use of a file that is not secret. */
  readonly countUse: (path: string) => void;
}

interface KeptResult extends ResultState {
  readonly user: string;
  readonly value: unknown;
}

/** A call that has not ended. */
interface Flight {
  /** Set when the original function is called: a later call may not share the result unless nothing changed since. */
  begun: Begun | undefined;
  result: Promise<Answer>;
}

/** A path of a call, and its state. */
interface Place {
  readonly roots: readonly string[];
  readonly real: string | undefined;
  /** Absent when the path is not on this disk, or cannot be checked. */
  readonly snapshot: Snapshot | undefined;
}

interface Begun extends Place {
  readonly startedMs: number;
}

/** A call and the equal one that began before it. */
interface Waiting {
  readonly flight: Flight;
  readonly previous: Flight | undefined;
  /** Of this call. */
  readonly signal: AbortSignal | undefined;
}

interface Answer {
  readonly roots: readonly string[];
  readonly real: string | undefined;
  /** For the caller that began the call. */
  readonly value: unknown;
  /** For those that share it; `undefined` when the result cannot be copied. */
  readonly copy: { readonly value: unknown } | undefined;
  readonly isHit: boolean;
  readonly state: ResultState | undefined;
}

/** One run of a wrapped function. */
interface Running {
  readonly outer: Running | undefined;
  hasEnded: boolean;
}

/** The innermost wrapped function that called this code, which may have ended since. */
const innermost = new AsyncLocalStorage<Running>();

/** Returns whether this code was called by a wrapped function that has not ended: the files that it reads belong to that one call. */
export function isInsideCall(): boolean {
  let running = innermost.getStore();
  while (running?.hasEnded) running = running.outer;
  return running !== undefined;
}

/** Calls a function as a wrapped one. */
async function runInside<Result>(call: () => Result): Promise<Awaited<Result>> {
  const running: Running = { outer: innermost.getStore(), hasEnded: false };
  try {
    return await innermost.run(running, call);
  } finally {
    running.hasEnded = true;
  }
}

/** Makes a cache of calls. */
export function createCallCache({ lifetime, scope, hasExactTimes, stores, countUse }: CallCacheOptions): CallCache {
  const flights = new Map<string, Flight>();
  const ruleFiles = new RuleFiles(hasExactTimes);

  const take = (real: string, extent: Extent): Promise<Snapshot | undefined> =>
    snapshotOf(real, extent, { hasExactTimes, ruleFiles, marginMs: extent === 'file' ? WRITE_MS : 0 });

  const placeOf = async ({ path, extent }: Call): Promise<Place> => {
    const [real, roots] = await Promise.all([locate(scope, path), scope.realRoots().catch(() => [])]);
    return { roots, real, snapshot: real === undefined ? undefined : await take(real, extent) };
  };

  /** Returns the kept result of a call, if all that it depends on is unchanged. */
  const lookUp = async (call: Call, { real, snapshot }: Place): Promise<KeptResult | undefined> => {
    const store = stores[call.kind];
    // Keys of calls have results of calls.
    const kept = store.get(call.key) as KeptResult | undefined;
    if (kept === undefined || real === undefined) return undefined;
    if (kept.real === real && kept.user === userOf()) {
      const now = kept.extent === call.extent ? snapshot : await take(real, kept.extent);
      if (now?.digest === kept.digest) return kept;
    }
    store.delete(call.key, kept);
    return undefined;
  };

  /** Returns what a result depends on; `undefined` when the function read something else than the path. */
  const extentOf = async ({ kind, path, extent }: Call, real: string, value: unknown): Promise<Extent | undefined> => {
    if (kind === 'read') return extent;
    const found = itemsOf(value, [path, real]);
    if (found === undefined) return 'tree';
    const entries = await readdir(real, { withFileTypes: true });
    const names = new Set(entries.map(({ name }) => name));
    if (found.some(({ below }) => !names.has(below.split('/', 1).join()))) return undefined;
    const needed = extentOfItems(found);
    if (extent === 'tree' || needed !== 'names') return extent === 'tree' ? extent : needed;
    // A list function may show the kind of what a link leads to.
    return entries.some((entry) => entry.isSymbolicLink()) ? 'entries' : 'names';
  };

  /** Keeps a result, if it is certain which state of the disk it describes. Returns that state. */
  const keep = async (call: Call, result: PlainCopy<unknown>, begun: Begun): Promise<ResultState | undefined> => {
    const { kind, key, path } = call;
    const { real, roots, startedMs } = begun;
    if (real === undefined || isFailure(result.value)) return undefined;
    const named = resolve(scope.root, path);
    if (kind === 'read' && (isNeverKept(real, roots) || isNeverKept(named, [scope.root]))) return undefined;
    const extent = await extentOf(call, real, result.value).catch(() => undefined);
    const snapshot = extent && (await take(real, extent));
    // Whatever changed since the call began has a later time.
    if (extent === undefined || snapshot === undefined || !isBefore(snapshot.settledNs, startedMs)) return undefined;
    // A file that is gone has no time.
    if (begun.snapshot?.rules !== snapshot.rules) return undefined;
    const kept: KeptResult = { real, extent, digest: snapshot.digest, user: userOf(), value: result.value };
    stores[kind].set(key, kept, result.cost + 2 * real.length);
    return kept;
  };

  /** Answers the first of several equal calls. */
  const answer = async (
    call: Call,
    { flight, previous, signal }: Waiting,
    callOriginal: () => Promise<unknown>,
  ): Promise<Answer> => {
    const place = await placeOf(call);
    const { real, roots } = place;
    const kept = await lookUp(call, place);
    if (kept) return { roots, real, value: kept.value, copy: kept, isHit: true, state: kept };
    if (previous?.begun && place.snapshot && isBefore(place.snapshot.settledNs, previous.begun.startedMs)) {
      // One that waited for another checks the disk by itself: it may have changed since the other began.
      await waitFor(previous.result, signal).catch(() => undefined);
      const again = await lookUp(call, await placeOf(call));
      if (again) return { roots, real, value: again.value, copy: again, isHit: true, state: again };
    }
    const begun = { ...place, startedMs: Date.now() };
    flight.begun = begun;
    const value = await callOriginal();
    const copy = copyPlain(value, MAX_RESULT_BYTES);
    return { roots, real, value, copy, isHit: false, state: copy && (await keep(call, copy, begun)) };
  };

  const run = async <Args extends readonly unknown[], Result>(
    request: WrapRequest<Args, Result>,
    self: unknown,
    args: Args,
  ): Promise<Awaited<Result>> => {
    lifetime.check();
    const { kind, original, onResult } = request;
    const callOriginal = (): Promise<Awaited<Result>> => runInside((): Result => Reflect.apply(original, self, args));
    const path = pathOf(request.options, args);
    const call = path === undefined ? undefined : callOf(request, { self, args, path });
    if (call === undefined || signalIn(args)?.aborted) {
      const value = await callOriginal();
      if (path !== undefined) {
        report(onResult, { path, real: undefined, value, isHit: false, state: undefined, roots: [] });
      }
      return value;
    }
    const finish = ({ roots, real, isHit, state }: Answer, value: unknown): Awaited<Result> => {
      if (kind === 'read' && real !== undefined && !isNeverKept(real, roots)) countUse(real);
      report(onResult, { path: call.path, real, value, isHit, state, roots });
      // The function has returned it, or an equal value.
      return value as Awaited<Result>;
    };
    const signal = signalIn(args);
    // A call inside a wrapped function waits for no other: that one may be waiting for this function to end.
    const isNested = isInsideCall();
    const previous = isNested ? undefined : flights.get(call.key);
    if (previous && !previous.begun) {
      const shared = await waitFor(previous.result, signal).catch((error: unknown) => {
        // The failure may be due to an argument that the key leaves out, such as the signal of the other call.
        if (request.options.keyOf === undefined || signal?.aborted) throw error;
      });
      const own = shared?.copy && copyPlain(shared.copy.value, MAX_RESULT_BYTES);
      if (shared && own) return finish({ ...shared, isHit: true }, own.value);
      const value = await callOriginal();
      return finish(
        { roots: [], real: undefined, ...shared, isHit: false, state: undefined, value, copy: undefined },
        value,
      );
    }
    const flight: Flight = { begun: undefined, result: neverSettled };
    flight.result = answer(call, { flight, previous, signal }, callOriginal);
    if (!isNested && flights.size < MAX_FLIGHTS) flights.set(call.key, flight);
    try {
      const done = await flight.result;
      return finish(done, done.isHit ? copyPlain(done.value, MAX_RESULT_BYTES)?.value : done.value);
    } finally {
      if (flights.get(call.key) === flight) flights.delete(call.key);
    }
  };

  return {
    isCurrent: async ({ real, extent, digest }) => (await take(real, extent))?.digest === digest,
    wrap: (request) =>
      function wrapped(this: unknown, ...args) {
        return run(request, this, args);
      },
    drop: (change) => {
      const changed = pathsOf(change);
      for (const key of stores.list.keys()) {
        const { real } = stores.list.peek(key) as KeptResult;
        if (isAffected(real, changed)) stores.list.delete(key);
      }
    },
  };
}

const neverSettled = new Promise<never>(() => undefined);

/** Returns whether a function returned its failure, as tools do. */
function isFailure(value: unknown): boolean {
  return isObject(value) && (value['isError'] === true || (value['error'] !== undefined && value['error'] !== null));
}
