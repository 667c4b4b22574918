import { setTimeout } from 'node:timers/promises';
import { isNeverKept } from '../content/never-kept.ts';
import { report } from '../content/report.ts';
import { isBefore } from '../content/stamps.ts';
import type { Lifetime } from '../lifetime.ts';
import { callOf, pathOf, signalIn, type Call, type WrapOptions } from './call-arguments.ts';
import type { Begun, CallResults, Place, ResultState } from './call-results.ts';
import { isInsideCall, runInside } from './inside-call.ts';
import { copyPlain } from './plain.ts';

/** The limit of one kept result. */
const MAX_RESULT_BYTES = 1024 * 1024;

/** Above this number, calls in flight are not shared. */
const MAX_FLIGHTS = 1000;

/** How long a call waits for an equal one that began before it. One that never ends must not stop all that follow. */
const MAX_WAIT_MS = 5000;

export type Wrapped<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Awaited<Result>>;

/** What a call found: for the owner of the listings of a run. */
export interface CallResult extends Omit<Place, 'snapshot'> {
  /** As the caller named it. */
  readonly path: string;
  readonly value: unknown;
  readonly isHit: boolean;
  /** The state of the disk that the result describes; `undefined` when that is not certain. */
  readonly state: ResultState | undefined;
}

interface WrapRequest<Args extends readonly unknown[], Result> {
  readonly kind: Call['kind'];
  readonly original: (...args: Args) => Result;
  readonly options: WrapOptions<Args>;
  /** Whether results may be kept and shared. */
  readonly isKept: boolean;
  /** Receives each result before the caller does. */
  readonly onResult: (result: CallResult) => void;
}

interface Answer extends Omit<CallResult, 'path'> {
  /** For the calls that share the result; `undefined` when it cannot be copied. */
  readonly copy: { readonly value: unknown } | undefined;
}

/** A call that has not ended. */
interface Flight {
  /** Set when the original function is called: a later call may not share the result unless nothing changed since. */
  begun: Begun | undefined;
  result: Promise<Answer>;
}

const neverSettled = new Promise<never>(() => undefined);

const unknownPlace = { roots: [], real: undefined, isHit: false, state: undefined } as const;

/** Waits for another call. Returns `undefined` when that takes too long; rejects with the reason of the signal. */
async function waitFor<T>(waiting: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const stop = AbortSignal.any(signal ? [ending.signal, signal] : [ending.signal]);
  try {
    return await Promise.race([waiting, setTimeout(MAX_WAIT_MS, undefined, { signal: stop })]);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    ending.abort();
  }
}

interface CallCacheParts {
  readonly lifetime: Lifetime;
  readonly results: CallResults;
  /** Counts one use of a file that is not secret. */
  readonly countUse: (path: string) => void;
}

/** Wraps functions: a result is used again while what it depends on is unchanged, and equal calls share one. */
export class CallCache {
  readonly #parts: CallCacheParts;
  readonly #flights = new Map<string, Flight>();

  constructor(parts: CallCacheParts) {
    this.#parts = parts;
  }

  wrap<Args extends readonly unknown[], Result>(request: WrapRequest<Args, Result>): Wrapped<Args, Result> {
    const run = (self: unknown, args: Args): Promise<Awaited<Result>> => this.#run(request, self, args);
    return function wrapped(this: unknown, ...args) {
      return run(this, args);
    };
  }

  async #run<Args extends readonly unknown[], Result>(
    request: WrapRequest<Args, Result>,
    self: unknown,
    args: Args,
  ): Promise<Awaited<Result>> {
    this.#parts.lifetime.check();
    const { original, onResult, options, isKept } = request;
    const invoke = (): Result => Reflect.apply(original, self, args);
    const callOriginal = async (): Promise<Awaited<Result>> => (isKept ? runInside(invoke) : await invoke());
    const path = pathOf(options, args);
    const call = path === undefined || !isKept ? undefined : callOf(request, { self, args, path });
    const signal = signalIn(args);
    if (call === undefined || signal?.aborted) {
      const value = await callOriginal();
      if (path !== undefined) report(onResult, { ...unknownPlace, path, value });
      return value;
    }
    const { roots, real, isHit, state, value } = await this.#share(call, callOriginal, { signal, options });
    if (call.kind === 'read' && real !== undefined && !isNeverKept(real, roots)) this.#parts.countUse(real);
    report(onResult, { path: call.path, real, value, isHit, state, roots });
    // The function has returned it, or an equal value.
    return value as Awaited<Result>;
  }

  /** Answers a call, by an equal one that is under way if its original function was not called yet. */
  async #share(
    call: Call,
    callOriginal: () => Promise<unknown>,
    { signal, options }: { readonly signal: AbortSignal | undefined; readonly options: { readonly keyOf?: unknown } },
  ): Promise<Omit<Answer, 'copy'>> {
    // A call inside a wrapped function waits for no other: that one may be waiting for this function to end.
    const isNested = isInsideCall();
    const previous = isNested ? undefined : this.#flights.get(call.key);
    if (previous && !previous.begun) {
      const shared = await waitFor(previous.result, signal).catch((error: unknown) => {
        // The failure may be due to an argument that the key leaves out, such as the signal of the other call.
        if (options.keyOf === undefined || signal?.aborted) throw error;
      });
      const own = shared?.copy && copyPlain(shared.copy.value, MAX_RESULT_BYTES);
      if (shared && own) return { ...shared, isHit: true, value: own.value };
      return { ...unknownPlace, ...shared, isHit: false, state: undefined, value: await callOriginal() };
    }
    const flight: Flight = { begun: undefined, result: neverSettled };
    flight.result = this.#answer(call, { flight, previous, signal }, callOriginal);
    if (!isNested && this.#flights.size < MAX_FLIGHTS) this.#flights.set(call.key, flight);
    try {
      const done = await flight.result;
      return done.isHit ? { ...done, value: copyPlain(done.value, MAX_RESULT_BYTES)?.value } : done;
    } finally {
      if (this.#flights.get(call.key) === flight) this.#flights.delete(call.key);
    }
  }

  /** Answers the first of several equal calls. */
  async #answer(
    call: Call,
    { flight, previous, signal }: { flight: Flight; previous: Flight | undefined; signal: AbortSignal | undefined },
    callOriginal: () => Promise<unknown>,
  ): Promise<Answer> {
    const { results } = this.#parts;
    const place = await results.placeOf(call);
    const { real, roots } = place;
    let kept = await results.lookUp(call, place);
    if (!kept && previous?.begun && place.snapshot && isBefore(place.snapshot.settledNs, previous.begun.startedMs)) {
      // A call that waited for another checks the disk by itself: it may have changed since the other began.
      await waitFor(previous.result, signal).catch(() => undefined);
      kept = await results.lookUp(call, await results.placeOf(call));
    }
    if (kept) return { roots, real, value: kept.value, copy: kept, isHit: true, state: kept };
    const begun = { ...place, startedMs: Date.now() };
    flight.begun = begun;
    const value = await callOriginal();
    const copy = copyPlain(value, MAX_RESULT_BYTES);
    const state = copy && (await results.keep(call, copy, begun));
    return { roots, real, value, copy, isHit: false, state };
  }
}
