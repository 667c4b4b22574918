import { checkArguments } from './errors/tool-error.ts';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { TracingChannel } from 'node:diagnostics_channel';

/**
 * The name of the tracing channel that every observed call is published on: `tracing:cairn:call:start`, `:end`,
 * `:asyncStart`, `:asyncEnd` and `:error`. The order of events is that of `TracingChannel.tracePromise`, but a message
 * never holds inputs, results or error objects. `@cairn/natives` publishes on it under the same name, without an import.
 *
 * @see https://nodejs.org/api/diagnostics_channel.html#tracingchannel-channels
 */
export const CALL_CHANNEL = 'cairn:call';

/** The name of the plain channel that carries the contents of calls. Nothing is published on it without subscribers. */
export const CALL_CONTENTS_CHANNEL = 'cairn:call:contents';

/** The facts of one call. The message on {@link CALL_CHANNEL}; fields that are not known yet are absent. */
export interface ObservedCall {
  /** Unique in this process. */
  readonly id: string;
  /** The kind of the call: `tool`, or `natives` for a function of `@cairn/natives`. Further kinds may follow. */
  readonly source: string;
  /** The name of the tool or function. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The bytes of the input as JSON, in UTF-8; absent when the input has no JSON form. */
  readonly inputBytes?: number;
  /** Set when the call has ended. */
  durationMs?: number;
  /** The bytes that a caller receives. Set when the call has returned a result, where the size is known. */
  outputBytes?: number;
  /** The number of results, where the call returns a list. */
  results?: number;
  /** What a log says about the result in one line, without its contents. */
  note?: string;
  /** The code of an expected failure, such as `NOT_FOUND`, or of the error that the call rejected with. */
  failure?: string;
}

/** The message on {@link CALL_CONTENTS_CHANNEL}: the input when a call starts, its result or error when it ends. */
export type CallContents =
  | { readonly id: string; readonly kind: 'input'; readonly value: unknown }
  | { readonly id: string; readonly kind: 'result' | 'error'; readonly value: unknown };

/** The facts of a result that observers receive without its contents. */
export interface CallOutcome {
  readonly outputBytes?: number;
  readonly results?: number;
  readonly note?: string;
  readonly failure?: string;
}

const calls: TracingChannel<ObservedCall, ObservedCall> = tracingChannel(CALL_CHANNEL);
const contents = channel(CALL_CONTENTS_CHANNEL);

/** The number of the last call. All copies of this package and of `@cairn/natives` count together. */
const counter = ((globalThis as { [key: symbol]: { last: number } | undefined })[Symbol.for('cairn.calls')] ??= {
  last: 0,
});

function jsonBytes(value: unknown): { readonly inputBytes?: number } {
  try {
    return { inputBytes: Buffer.byteLength(JSON.stringify(value) ?? '') };
  } catch {
    // A BigInt or a circular object; the schema of the tool refuses it.
    return {};
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error) return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return typeof error;
}

/** Returns the facts of a result. An error in `outcomeOf` must not fail the call. */
function factsOf<Result>(result: Result, outcomeOf: (result: Result) => CallOutcome): CallOutcome {
  try {
    return outcomeOf(result);
  } catch {
    return {};
  }
}

function isObserved(): boolean {
  const { start, end, asyncStart, asyncEnd, error } = calls;
  return [start, end, asyncStart, asyncEnd, error, contents].some((one) => one.hasSubscribers);
}

/**
 * Runs a call and publishes its start and its end. Without subscribers it costs one check. The result and the rejection of
 * `run` pass through unchanged, also when `outcomeOf` throws.
 */
export function observeCall<Result>(
  call: {
    readonly source: string;
    readonly name: string;
    readonly input: unknown;
    readonly outcomeOf: (result: Result) => CallOutcome;
  },
  run: () => Promise<Result>,
): Promise<Result> {
  return isObserved() ? publishCall(call, run) : run();
}

async function publishCall<Result>(
  { source, name, input, outcomeOf }: Parameters<typeof observeCall<Result>>[0],
  run: () => Promise<Result>,
): Promise<Result> {
  counter.last += 1;
  const id = `${source}-${counter.last}`;
  const message: ObservedCall = { id, source, name, startedAt: Date.now(), ...jsonBytes(input) };
  if (contents.hasSubscribers) contents.publish({ id, kind: 'input', value: input } satisfies CallContents);
  const startMs = performance.now();
  try {
    const pending = calls.start.runStores(message, run);
    calls.end.publish(message);
    const result = await pending;
    Object.assign(message, factsOf(result, outcomeOf));
    if (contents.hasSubscribers) contents.publish({ id, kind: 'result', value: result } satisfies CallContents);
    return result;
  } catch (error) {
    message.failure = codeOf(error);
    if (contents.hasSubscribers) contents.publish({ id, kind: 'error', value: error } satisfies CallContents);
    message.durationMs = performance.now() - startMs;
    calls.error.publish(message);
    throw error;
  } finally {
    message.durationMs ??= performance.now() - startMs;
    calls.asyncStart.publish(message);
    calls.asyncEnd.publish(message);
  }
}

/** An event that {@link observeCalls} reports. `call` is a copy of the facts known at that time. */
export type CallEvent =
  | { readonly kind: 'call-start'; readonly call: ObservedCall; readonly input?: unknown }
  | { readonly kind: 'call-end'; readonly call: ObservedCall; readonly result?: unknown }
  /** The call rejected: it was aborted, or failed unexpectedly. Expected failures are results: `call-end` with `failure`. */
  | { readonly kind: 'call-error'; readonly call: ObservedCall; readonly error?: unknown };

/** Options of {@link observeCalls}. */
export interface ObserveCallsOptions {
  /**
   * Also report inputs, results and errors. They may hold file contents and secrets.
   * @default false
   */
  readonly contents?: boolean | undefined;
  /**
   * Called with an error that the listener threw, or that the promise it returned rejected with. The observed call continues.
   * @default `process.emitWarning`
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

function warn(error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A listener of calls failed: ${what}`, 'CairnWarning');
}

/**
 * Calls `listener` at the start and at the end of every call of a Cairn tool and of `@cairn/natives` in this process.
 *
 * Each call gives one `call-start`, then one `call-end` or one `call-error`. A call that was already running gives only the
 * second. Events are synchronous: a slow listener delays the calls.
 *
 * @returns a function that stops the observation. A second call of it does nothing.
 */
export function observeCalls(listener: (event: CallEvent) => void, options: ObserveCallsOptions = {}): () => void {
  checkArguments.options('observeCalls', options, { contents: 'optional', onError: 'optional' });
  const { contents: withContents = false, onError = warn } = options;
  const held = new Map<string, unknown>();
  const failed = new WeakSet<object>();
  const reportError = (error: unknown): void => {
    try {
      onError(error);
    } catch (second) {
      warn(second);
    }
  };
  const report = (event: CallEvent): void => {
    try {
      // The type allows an asynchronous listener, whose rejection would have no handler.
      const returned: unknown = listener(event);
      if (returned instanceof Promise) returned.catch(reportError);
    } catch (error) {
      reportError(error);
    }
  };
  const take = <Key extends string>(id: string, key: Key): Partial<Record<Key, unknown>> => {
    if (!held.has(id)) return {};
    const value = held.get(id);
    held.delete(id);
    return { [key]: value } as Partial<Record<Key, unknown>>;
  };
  const onContents = (message: unknown): void => {
    const { id, value } = message as CallContents;
    held.set(id, value);
  };
  const onStart = (message: unknown): void => {
    const call = message as ObservedCall;
    report({ kind: 'call-start', call: { ...call }, ...take(call.id, 'input') });
  };
  const onFailure = (message: unknown): void => {
    const call = message as ObservedCall;
    failed.add(call);
    report({ kind: 'call-error', call: { ...call }, ...take(call.id, 'error') });
  };
  const onEnd = (message: unknown): void => {
    const call = message as ObservedCall;
    if (!failed.has(call)) report({ kind: 'call-end', call: { ...call }, ...take(call.id, 'result') });
  };
  if (withContents) contents.subscribe(onContents);
  calls.start.subscribe(onStart);
  calls.error.subscribe(onFailure);
  calls.asyncEnd.subscribe(onEnd);
  return () => {
    if (withContents) contents.unsubscribe(onContents);
    calls.start.unsubscribe(onStart);
    calls.error.unsubscribe(onFailure);
    calls.asyncEnd.unsubscribe(onEnd);
    held.clear();
  };
}
