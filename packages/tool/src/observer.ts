import { channel, tracingChannel, type TracingChannel } from 'node:diagnostics_channel';
import { CALL_CHANNEL, CALL_CONTENTS_CHANNEL, type CallContents, type ObservedCall } from './kernel/observe-call.ts';
import { notify } from './kernel/notify.ts';
import { checkArguments } from './kernel/tool-error.ts';

const calls: TracingChannel<ObservedCall, ObservedCall> = tracingChannel(CALL_CHANNEL);
const contents = channel(CALL_CONTENTS_CHANNEL);

/** An event that {@link observeCalls} reports. `call` is a copy of the facts known at that time. */
export type CallEvent =
  | { readonly kind: 'call-start'; readonly call: ObservedCall; readonly input?: unknown }
  | { readonly kind: 'call-end'; readonly call: ObservedCall; readonly result?: unknown }
  /** The call rejected: it was aborted, or failed unexpectedly. Expected failures are results: `call-end` with `failure`. */
  | { readonly kind: 'call-error'; readonly call: ObservedCall; readonly error?: unknown };

interface ObserveCallsOptions {
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
  const { contents: withContents = false, onError } = options;
  const held = new Map<string, unknown>();
  const failed = new WeakSet<object>();
  const onContents = (message: unknown): void => {
    const { id, value } = message as CallContents;
    held.set(id, value);
  };
  const reporting = (kind: CallEvent['kind'], contentsKey: CallContents['kind']) => (message: unknown) => {
    const call = message as ObservedCall;
    if (kind === 'call-error') failed.add(call);
    if (kind === 'call-end' && failed.has(call)) return;
    const taken = held.has(call.id) && { [contentsKey]: held.get(call.id) };
    held.delete(call.id);
    notify(listener, { kind, call: { ...call }, ...taken } as CallEvent, { of: 'calls', onError });
  };
  const subscriptions = [
    [calls.start, reporting('call-start', 'input')],
    [calls.error, reporting('call-error', 'error')],
    [calls.asyncEnd, reporting('call-end', 'result')],
    ...(withContents ? ([[contents, onContents]] as const) : []),
  ] as const;
  for (const [heard, handler] of subscriptions) heard.subscribe(handler);
  return () => {
    for (const [heard, handler] of subscriptions) heard.unsubscribe(handler);
    held.clear();
  };
}
