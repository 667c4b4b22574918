import { explainSystemError } from './kernel/system-error.ts';
import { ToolError } from './kernel/tool-error.ts';
import { textOf } from './definition.ts';
import type {
  BeforeChange,
  ModelOutput,
  ModelOutputPart,
  ToolCallOptions,
  ToolDefinition,
  ToolFailure,
  ToolResult,
  ToolSuccess,
} from './definition.ts';
import { describeInputError } from './input.ts';
import { observeCall, type CallOutcome } from './kernel/observe-call.ts';
import { quotePath } from './paths/quote.ts';

/** The second argument of a tool's `run`. */
export interface ToolRunOptions {
  readonly signal: AbortSignal | undefined;
  /** Report what would change, but change nothing. */
  readonly dryRun: boolean;
  /** States what a long call does now, in a few words. Absent unless it was requested. */
  readonly onProgress?: ((message: string) => void) | undefined;
  readonly beforeChange?: BeforeChange | undefined;
}

/** The parts of a tool. `Context` is the second argument of `run`; {@link createTool} passes {@link ToolRunOptions}. */
export interface ToolSpec<Input, Details, Context = ToolRunOptions> extends Pick<
  ToolDefinition<Input, Details>,
  'name' | 'description' | 'inputSchema' | 'annotations' | 'hasStructuredDetails' | 'effect'
> {
  /**
   * Does the work of a call, with checked input.
   *
   * @throws {ToolError} for an expected failure; the tool returns it as a result.
   */
  run(input: Input, context: Context): Promise<ToolSuccess<Details>>;
}

function failureOf(error: ToolError, mutates: boolean): ToolFailure {
  const unchanged = mutates && !error.changed ? ' Nothing was changed.' : '';
  const context = error.context === undefined ? '' : `\n\n${error.context}`;
  return {
    isError: true,
    content: [{ type: 'text', text: `${error.summary}.${unchanged} ${error.hint}${context}` }],
    details: {
      reason: error.code,
      hint: error.hint,
      changed: error.changed,
      ...(error.path !== undefined && { path: error.path }),
    },
  };
}

function systemPathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? quotePath(error.path)
    : undefined;
}

/** Whether an error is the reason of the abort. A reason may be any error, also one that is else returned as a result. */
function isAbort(error: unknown, reason: unknown): boolean {
  return error === reason || (ToolError.isInstance(error) && !error.changed && error.cause === reason);
}

function toModelOutput({ output }: { readonly output: ToolResult }): ModelOutput {
  if (output.isError) return { type: 'error-text', value: textOf(output) };
  if (output.content.every((part) => part.type === 'text')) return { type: 'text', value: textOf(output) };
  const value = output.content.map((part): ModelOutputPart => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    return { type: 'file', mediaType: part.mimeType, data: { type: 'data', data: part.data } };
  });
  return { type: 'content', value };
}

/**
 * Makes a tool from its spec. A call checks its input, runs, and returns a failed result for a `ToolError` or a system error
 * such as `ENOENT`. It rejects with the reason of an aborted signal and with any other error. Observers receive each call (see
 * `observeCalls`).
 *
 * When a call has both `signal` and `abortSignal`, `signal` counts.
 */
export function createTool<Input, Details>(spec: ToolSpec<Input, Details>): ToolDefinition<Input, Details> {
  const { name, description, inputSchema, annotations, hasStructuredDetails, effect } = spec;
  const mutates = !annotations.readOnlyHint;
  const parse = (input: Input): Input => {
    const parsed = inputSchema.safeParse(input, { reportInput: true });
    if (parsed.success) return parsed.data;
    const what = describeInputError(parsed.error, input, inputSchema);
    throw new ToolError('INVALID_INPUT', [`${name}: ${what}`, 'Call it again with these parameters.']);
  };
  const call = async (input: Input, { dryRun = false, ...options }: ToolCallOptions): Promise<ToolResult<Details>> => {
    const signal = options.signal ?? options.abortSignal;
    signal?.throwIfAborted();
    try {
      const { onProgress, beforeChange } = options;
      return await spec.run(parse(input), { signal, dryRun, onProgress, beforeChange });
    } catch (error) {
      if (signal?.aborted && isAbort(error, signal.reason)) throw signal.reason;
      const explained = explainSystemError(error, systemPathOf(error));
      if (!ToolError.isInstance(explained)) throw error;
      return failureOf(explained, mutates);
    }
  };
  const execute = (input: Input, options: ToolCallOptions = {}): Promise<ToolResult<Details>> =>
    observeCall({ source: 'tool', name, input, outcomeOf: outcomeOfResult }, () => call(input, options));
  const traits = { ...(hasStructuredDetails === true && { hasStructuredDetails }), ...(effect && { effect }) };
  return { name, description, inputSchema, annotations, ...traits, execute, toModelOutput };
}

function outcomeOfResult(result: ToolResult): CallOutcome {
  const outputBytes = result.content.reduce(
    (sum, part) => sum + Buffer.byteLength(part.type === 'text' ? part.text : part.data),
    0,
  );
  return { outputBytes, ...(result.isError && { failure: result.details.reason }) };
}
