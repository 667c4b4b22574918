import type { z } from 'zod';
import { explainSystemError, ToolError } from './errors.ts';
import { describeInputError } from './input.ts';
import { namesBy } from './spec.ts';
import type { Names, ToolSpec } from './spec.ts';
import { textOf } from './tool.ts';
import type { ModelOutput, ModelOutputPart, ToolCallOptions, ToolDefinition, ToolFailure, ToolResult } from './tool.ts';
import type { Workspace } from './workspace.ts';

/** What a tool becomes in a set: its name there, its parameters, and how they become its own. */
export interface Binding<Given, Input> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType<Given>;
  readonly names: Names;
  /** @throws {ToolError} `INVALID_INPUT` when they cannot. */
  adapt(given: Given): { readonly input: Input; readonly dryRun?: boolean | undefined };
}

/** The names that tools and parameters have of themselves. */
const ownNames: Names = namesBy({ tool: (name) => name, parameter: (_, name) => name, replaceAll: 'replace_all' });

function fail(error: ToolError, mutates: boolean): ToolFailure {
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

/** The path that a system error is about. */
function systemPathOf(error: unknown): string {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : 'The path';
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

/** Makes a tool of a spec: checks the input, runs it on the workspace, and answers with what was to be expected. */
export function bind<Given, Input, Details>(
  spec: ToolSpec<Input, Details>,
  workspace: Workspace,
  binding: Binding<Given, Input>,
): ToolDefinition<Given, Details> {
  const { name, description, inputSchema, names } = binding;
  const mutates = !spec.annotations.readOnlyHint;
  const read = (given: Given): ReturnType<typeof binding.adapt> => {
    const parsed = inputSchema.safeParse(given);
    if (parsed.success) return binding.adapt(parsed.data);
    const what = describeInputError(parsed.error, given, inputSchema);
    throw new ToolError('INVALID_INPUT', [`${name}: ${what}`, 'Call it again with these parameters.']);
  };
  const execute = async (given: Given, options: ToolCallOptions = {}): Promise<ToolResult<Details>> => {
    const signal = options.signal ?? options.abortSignal;
    signal?.throwIfAborted();
    try {
      const { input, dryRun = false } = read(given);
      return await spec.run(input, { workspace, names, signal, dryRun: dryRun || (options.dryRun ?? false) });
    } catch (error) {
      const explained = explainSystemError(error, systemPathOf(error));
      if (!ToolError.isInstance(explained)) throw error;
      return fail(explained, mutates);
    }
  };
  return { name, description, inputSchema, annotations: spec.annotations, execute, toModelOutput };
}

/** A tool under its own name, with its own parameters; messages name tools and parameters by `names`. */
export function bindAsItIs<Input, Details>(
  spec: ToolSpec<Input, Details>,
  workspace: Workspace,
  names: Names = ownNames,
): ToolDefinition<Input, Details> {
  const { name, description, inputSchema } = spec;
  return bind(spec, workspace, { name, description, inputSchema, names, adapt: (input) => ({ input }) });
}
