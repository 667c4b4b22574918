import type { ToolResultPart } from '@cairn/context';
import type { Language } from '@cairn/tool/kernel';
import { formatBytes } from '@cairn/tool/prompt';
import { InvalidToolInputError, NoSuchToolError, type ModelMessage, type ToolSet } from 'ai';
import type { OwnEvent, ToolRunContext } from './agent-run.ts';
import { resultOf, type ModelCall } from './model-request.ts';
import { runTexts } from './texts.ts';

type Output = ToolResultPart['output'];

/** How long an aborted call may take to end, so that its result can state what it did. */
const ABORT_GRACE_MS = 2000;

/** Of the results of one answer. Histories keep messages of up to 20 MiB. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;

export interface CallOptions {
  readonly tools: ToolSet;
  /** Returns the message to the model after a call of a name that is not offered. */
  readonly refuse: (name: string) => string;
  readonly messages: readonly ModelMessage[];
  readonly context: ToolRunContext;
  readonly signal: AbortSignal;
  /** Returns the reason why the signal was aborted, for the model. */
  readonly reason: () => string;
  readonly language: Language;
  readonly emit: (event: OwnEvent) => void;
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    // A thrown object may have no text.
    return 'unknown error';
  }
}

/** The innermost message: the SDK wraps the text of the model into each of its errors. */
function causeOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  return messageOf(inner).replaceAll(/\s+/gu, ' ');
}

function outputText({ value, reason }: Output): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return value === undefined ? (reason ?? '') : JSON.stringify(value);
  const texts = (value as readonly { type: string; text?: string; mediaType?: string }[]).map(
    ({ type, text, mediaType }) => text ?? `[${mediaType ?? type}]`,
  );
  return texts.join('\n');
}

/** Returns the bytes of an output: of its texts in UTF-8, and of its files in base64. */
function sizeOf({ value }: Output): number {
  const bytesOf = (part: unknown): number =>
    part === undefined ? 0 : Buffer.byteLength(typeof part === 'string' ? part : JSON.stringify(part));
  if (!Array.isArray(value)) return bytesOf(value);
  const parts = value as readonly { readonly text?: unknown; readonly data?: unknown }[];
  return parts.reduce((sum, { text, data }) => sum + bytesOf(text) + bytesOf(data), 0);
}

/** A tool of the AI SDK may stream its results; the last one counts. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const one of result as AsyncIterable<unknown>) last = one;
  return last;
}

/** Runs one call and returns what the model reads. Never rejects. */
async function outputOf(call: ModelCall, options: CallOptions): Promise<Output> {
  const { tools, refuse, messages, context, signal, language } = options;
  const { id, name, input, invalid } = call;
  const texts = runTexts[language];
  const failure = (value: string): Output => ({ type: 'error-text', value });
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool?.execute || NoSuchToolError.isInstance(invalid)) {
    return failure(refuse(name));
  }
  if (invalid !== undefined) {
    const isJson = typeof input === 'object' || !InvalidToolInputError.isInstance(invalid);
    return failure((isJson ? texts.invalidInput : texts.invalidJson)(name, causeOf(invalid)));
  }
  try {
    const given = { toolCallId: id, messages: [...messages], abortSignal: signal, context };
    const output = await lastOf(await tool.execute(input, given as Parameters<typeof tool.execute>[1]));
    if (tool.toModelOutput) return await tool.toModelOutput({ toolCallId: id, input, output });
    return typeof output === 'string'
      ? { type: 'text', value: output }
      : { type: 'json', value: JSON.parse(JSON.stringify(output) ?? 'null') };
  } catch (error) {
    return failure(signal.aborted ? texts.stopped(options.reason()) : texts.threw(name, messageOf(error)));
  }
}

/** Resolves a while after the abort of a signal, and never before. */
export function afterAbort(signal: AbortSignal): { readonly late: Promise<void>; readonly stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let listener: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    listener = () => {
      timer = setTimeout(resolve, ABORT_GRACE_MS);
    };
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  });
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', listener);
  };
  return { late, stop };
}

/** Runs the calls of one answer at once. After an abort it waits a while, so that results state what was done. Never rejects. */
export async function runCalls(calls: readonly ModelCall[], options: CallOptions): Promise<ToolResultPart[]> {
  const { signal, language, emit } = options;
  const texts = runTexts[language];
  const { late, stop } = afterAbort(signal);
  const most = Math.floor(MAX_RESULT_BYTES / Math.max(1, calls.length));
  const fit = (name: string, output: Output): Output => {
    const size = sizeOf(output);
    if (size <= most) return output;
    return { type: 'error-text', value: texts.tooLarge(name, formatBytes(size), formatBytes(most)) };
  };
  const runOne = async (call: ModelCall): Promise<ToolResultPart> => {
    const { id, name, input } = call;
    const startMs = performance.now();
    emit({ type: 'tool-start', id, name, input });
    const unknown = late.then((): Output => ({ type: 'error-text', value: texts.unknownOutcome(options.reason()) }));
    const whole = await Promise.race([outputOf(call, options), unknown]);
    const output = fit(name, whole);
    const durationMs = performance.now() - startMs;
    const isError = output.type.startsWith('error') || output.type === 'execution-denied';
    emit({ type: 'tool-end', id, name, isError, output: outputText(output), durationMs });
    return resultOf(call, output);
  };
  try {
    return await Promise.all(calls.map(runOne));
  } finally {
    stop();
  }
}

export function refuseCalls(calls: readonly ModelCall[], text: string): ToolResultPart[] {
  return calls.map((call) => resultOf(call, { type: 'error-text', value: text }));
}
