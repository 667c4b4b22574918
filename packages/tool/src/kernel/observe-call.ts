import { channel, tracingChannel, type TracingChannel } from 'node:diagnostics_channel';
import { errnoOf } from './system-error.ts';

/**
 * The name of the tracing channel that every observed call is published on: `tracing:cairn:call:start`, `:end`,
 * `:asyncStart`, `:asyncEnd` and `:error`. The order of events is that of `TracingChannel.tracePromise`, but a message
 * never holds inputs, results or error objects.
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
export interface CallContents {
  readonly id: string;
  readonly kind: 'input' | 'result' | 'error';
  readonly value: unknown;
}

export type CallOutcome = Readonly<Pick<ObservedCall, 'outputBytes' | 'results' | 'note' | 'failure'>>;

const calls: TracingChannel<ObservedCall, ObservedCall> = tracingChannel(CALL_CHANNEL);
const contents = channel(CALL_CONTENTS_CHANNEL);

/** The number of the last call. All copies of this package count together. */
const counter = ((globalThis as { [key: symbol]: { last: number } | undefined })[Symbol.for('cairn.calls')] ??= {
  last: 0,
});

function jsonBytes(value: unknown): { readonly inputBytes?: number } {
  try {
    return { inputBytes: Buffer.byteLength(JSON.stringify(value) ?? '') };
  } catch {
    // A BigInt or a circular object: the call itself rejects it.
    return {};
  }
}

interface ObservableCall<Result> {
  readonly source: string;
  readonly name: string;
  readonly input: unknown;
  readonly outcomeOf: (result: Result) => CallOutcome;
}

/**
 * Runs a call and publishes its start and its end. Without subscribers it costs one check. The result and the rejection of
 * `run` pass through unchanged, even if `outcomeOf` throws. With subscribers, `run` receives the message and may add facts.
 */
export function observeCall<Result>(
  call: ObservableCall<Result>,
  run: (observed?: ObservedCall) => Promise<Result>,
): Promise<Result> {
  return calls.hasSubscribers || contents.hasSubscribers ? publishCall(call, run) : run();
}

async function publishCall<Result>(
  { source, name, input, outcomeOf }: ObservableCall<Result>,
  run: (observed: ObservedCall) => Promise<Result>,
): Promise<Result> {
  counter.last += 1;
  const id = `${source}-${counter.last}`;
  const message: ObservedCall = { id, source, name, startedAt: Date.now(), ...jsonBytes(input) };
  const publishContents = (kind: CallContents['kind'], value: unknown): void => {
    if (contents.hasSubscribers) contents.publish({ id, kind, value } satisfies CallContents);
  };
  publishContents('input', input);
  const startMs = performance.now();
  try {
    const pending = calls.start.runStores(message, () => run(message));
    calls.end.publish(message);
    const result = await pending;
    try {
      Object.assign(message, outcomeOf(result));
    } catch {
      // The facts of a result must not fail its call.
    }
    publishContents('result', result);
    return result;
  } catch (error) {
    message.failure = errnoOf(error) ?? (error instanceof Error ? error.name : typeof error);
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
