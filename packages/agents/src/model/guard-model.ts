import { wrapLanguageModel } from 'ai';
import type { LanguageModel } from 'ai';
import { setTimeout as wait } from 'node:timers/promises';
import { AgentError } from '../errors.ts';
import { Answer, Watch, type ModelObject, type StreamPart } from './answer.ts';
import { modelFailure } from './model-failure.ts';
import type { ModelSubject } from './model-subject.ts';

/** A request that is repeated. */
export interface ModelRetry {
  /** Why, on one line. */
  readonly reason: string;
  /** How long until the request is repeated. */
  readonly delayMs: number;
  /** Which repetition it is, from 1. */
  readonly attempt: number;
}

export interface GuardOptions {
  /** The server must begin to answer within this time. @default 180,000 */
  readonly firstByteTimeoutMs?: number | undefined;
  /** Each further part of the answer must arrive within this time. @default 180,000 */
  readonly chunkTimeoutMs?: number | undefined;
  /** How often a request is repeated. @default 3 */
  readonly maxRetries?: number | undefined;
  /** The delay before the first repetition. It doubles for each further one, and varies by a quarter. @default 1,000 */
  readonly retryDelayMs?: number | undefined;
  /** A server that asks for a longer delay is not asked again. @default 60,000 */
  readonly maxRetryDelayMs?: number | undefined;
  /** Called before each delay. */
  readonly onRetry?: ((retry: ModelRetry) => void) | undefined;
}

/** Models that think without showing it, and local servers that load a model first, are silent for minutes. */
const DEFAULT_TIMEOUT_MS = 180_000;
/** Timers with a longer time end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const DEFAULT_RETRIES = 3;
const DEFAULT_RETRY_DELAY_MS = 1000;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;

/** The parts that no caller acts on. The input of a tool call is not acted on before the call is complete. */
const SILENT_PARTS: ReadonlySet<StreamPart['type']> = new Set([
  'stream-start',
  'response-metadata',
  'raw',
  'text-start',
  'text-end',
  'reasoning-start',
  'reasoning-end',
  'tool-input-start',
  'tool-input-delta',
  'tool-input-end',
]);

/** Returns whether a caller acts on a part: shows it or runs it. Complete calls of tools wait for the end of the answer. */
function isContent(part: StreamPart): boolean {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.delta !== '';
  if (part.type === 'tool-call') return part.providerExecuted === true;
  return !SILENT_PARTS.has(part.type);
}

/**
 * Returns a model with time limits and retries. A request is repeated, byte for byte, after 429, after 5xx and after a
 * connection that broke, unless a part of the answer was passed on. All failures but an abort by the caller are `AgentError`s.
 *
 * Tool calls are passed on when the answer is complete, so that no call of a cut answer runs.
 */
export function guardModel(
  model: Exclude<LanguageModel, string>,
  subject: ModelSubject,
  {
    firstByteTimeoutMs = DEFAULT_TIMEOUT_MS,
    chunkTimeoutMs = DEFAULT_TIMEOUT_MS,
    maxRetries = DEFAULT_RETRIES,
    retryDelayMs = DEFAULT_RETRY_DELAY_MS,
    maxRetryDelayMs = DEFAULT_MAX_RETRY_DELAY_MS,
    onRetry,
  }: GuardOptions,
): ModelObject {
  const limits = { firstByteTimeoutMs, chunkTimeoutMs };
  for (const [option, value] of Object.entries(limits)) {
    if (value >= 1 && value <= MAX_TIMER_MS) continue;
    const problem = `${option} is ${value}`;
    throw new AgentError('INVALID_OPTION', [problem, `Use milliseconds from 1 to ${MAX_TIMER_MS}.`], { option });
  }

  const retrying = async <T>(signal: AbortSignal | undefined, request: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await request();
      } catch (error) {
        if (signal?.aborted === true) throw error;
        const failure = modelFailure(error, subject);
        // Varied, so that agents that were refused together do not come back together.
        const backoff = Math.round(retryDelayMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2));
        const { retryAfterMs: delayMs = backoff } = failure;
        if (!failure.isTransient || maxRetries === 0 || delayMs > maxRetryDelayMs) throw failure.error;
        const { code, summary, hint } = failure.error;
        if (attempt > maxRetries) throw new AgentError(code, [`${summary} (after ${maxRetries} retries)`, hint]);
        onRetry?.({ reason: summary, delayMs, attempt });
        await wait(delayMs, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
      }
    }
  };

  return wrapLanguageModel({
    model,
    middleware: {
      wrapStream: async ({ params, model: inner }) => {
        const { abortSignal } = params;
        const head: StreamPart[] = [];
        const answer = await retrying(abortSignal, async () => {
          head.length = 0;
          const opened = await Answer.open((options) => inner.doStream(options), params, limits);
          for (let part = await opened.next(); part; part = await opened.next()) {
            head.push(part);
            if (isContent(part)) break;
          }
          return opened;
        });
        const calls: StreamPart[] = [];
        /** Passes a part on; returns the number of parts that were passed. */
        const pass = (part: StreamPart, controller: ReadableStreamDefaultController<StreamPart>): number => {
          if (part.type === 'tool-call' && !isContent(part)) {
            calls.push(part);
            return 0;
          }
          const parts = part.type === 'finish' ? [...calls, part] : [part];
          for (const one of parts) controller.enqueue(one);
          return parts.length;
        };
        const stream = new ReadableStream<StreamPart>({
          start: (controller) => {
            for (const part of head) pass(part, controller);
          },
          pull: async (controller) => {
            try {
              // A pull that passes nothing on is not followed by another.
              let passed = 0;
              while (passed === 0) {
                const part = await answer.next();
                if (!part) return controller.close();
                passed = pass(part, controller);
              }
            } catch (error) {
              if (abortSignal?.aborted === true) throw error;
              controller.enqueue({ type: 'error', error: modelFailure(error, subject).error });
              controller.close();
            }
          },
          cancel: async (reason) => answer.cancel(reason),
        });
        return { ...answer.result, stream };
      },
      // An answer that is not streamed begins when it is complete.
      wrapGenerate: async ({ params, model: inner }) =>
        retrying(params.abortSignal, async () => {
          const watch = new Watch(params.abortSignal);
          const answer = inner.doGenerate({ ...params, abortSignal: watch.signal });
          return watch.within(firstByteTimeoutMs, 'did not answer', answer);
        }),
    },
  });
}
