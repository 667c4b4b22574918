import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { TracingChannel } from 'node:diagnostics_channel';

/**
 * The facts of one call: the message on the tracing channel `cairn:call`. It never holds options, results or error objects.
 * `observeCalls` of `@cairn/tool` reads it; that package has the same code for tools, so that neither loads the other.
 */
export interface ObservedCall {
  readonly id: string;
  readonly source: 'natives';
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The bytes of the options as JSON. */
  readonly inputBytes?: number;
  durationMs?: number;
  /** The bytes of the matches when they crossed the border. */
  outputBytes?: number;
  /** The number of matches or entries. */
  results?: number;
  /** The code of the error that the call rejected with. */
  failure?: string;
}

const calls: TracingChannel<ObservedCall, ObservedCall> = tracingChannel('cairn:call');
/** Carries options, results and errors, for subscribers that ask for them. */
const contents = channel('cairn:call:contents');

/** The number of the last call. All copies of this package and of `@cairn/tool` count together. */
const counter = ((globalThis as { [key: symbol]: { last: number } | undefined })[Symbol.for('cairn.calls')] ??= {
  last: 0,
});

/** A result, with its list unless that was passed on in parts. */
type Counted =
  | { readonly matches: readonly unknown[] }
  | { readonly entries: readonly unknown[] }
  | { readonly totalMatches: number };

/**
 * Runs a call and publishes its start and its end, in the order of `TracingChannel.tracePromise`. Costs one check while
 * nobody subscribes. The result and the rejection of `run` pass through unchanged.
 */
export function observeCall<Result extends Counted>(
  name: string,
  options: unknown,
  run: (observed?: ObservedCall) => Promise<Result>,
): Promise<Result> {
  return isObserved() ? publishCall(name, options, run) : run();
}

/** Written out, because it runs in every call. */
function isObserved(): boolean {
  const { start, end, asyncStart, asyncEnd, error } = calls;
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers ||
    contents.hasSubscribers
  );
}

async function publishCall<Result extends Counted>(
  name: string,
  options: unknown,
  run: (observed: ObservedCall) => Promise<Result>,
): Promise<Result> {
  counter.last += 1;
  const id = `natives-${counter.last}`;
  const message: ObservedCall = { id, source: 'natives', name, startedAt: Date.now(), ...jsonBytes(options) };
  const publishContents = (kind: 'input' | 'result' | 'error', value: unknown): void => {
    if (contents.hasSubscribers) contents.publish({ id, kind, value });
  };
  publishContents('input', options);
  const startMs = performance.now();
  try {
    const pending = calls.start.runStores(message, () => run(message));
    calls.end.publish(message);
    const result = await pending;
    if ('matches' in result) message.results = result.matches.length;
    else if ('entries' in result) message.results = result.entries.length;
    publishContents('result', result);
    return result;
  } catch (error) {
    message.failure = codeOf(error);
    publishContents('error', error);
    message.durationMs = performance.now() - startMs;
    calls.error.publish(message);
    throw error;
  } finally {
    message.durationMs ??= performance.now() - startMs;
    calls.asyncStart.publish(message);
    calls.asyncEnd.publish(message);
  }
}

function jsonBytes(value: unknown): { readonly inputBytes?: number } {
  try {
    return { inputBytes: Buffer.byteLength(JSON.stringify(value) ?? '') };
  } catch {
    // A BigInt or a circular object: the check of the options refuses it.
    return {};
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error) return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return typeof error;
}
