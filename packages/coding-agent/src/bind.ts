import type { z } from 'zod';
import { explainSystemError, ToolError } from './errors.ts';
import { describeInputError } from './input.ts';
import { namesBy } from './spec.ts';
import type { Names, ToolSpec } from './spec.ts';
import { textOf } from './tool.ts';
import type {
  ModelOutput,
  ModelOutputPart,
  ToolAnnotations,
  ToolCallOptions,
  ToolDefinition,
  ToolFailure,
  ToolResult,
  ToolSuccess,
} from './tool.ts';
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

/** What a tool is made of that needs no workspace. */
export interface ToolPlan<Given, Details> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType<Given>;
  readonly annotations: ToolAnnotations;
  /** @throws {ToolError} for what is to be expected; it becomes an answer. */
  run(
    given: Given,
    options: { readonly signal: AbortSignal | undefined; readonly dryRun: boolean },
  ): Promise<ToolSuccess<Details>>;
}

/** Makes a tool: checks the input, runs it, and answers with what was to be expected. */
export function createTool<Given, Details>(plan: ToolPlan<Given, Details>): ToolDefinition<Given, Details> {
  const { name, description, inputSchema, annotations } = plan;
  const mutates = !annotations.readOnlyHint;
  const read = (given: Given): Given => {
    const parsed = inputSchema.safeParse(given);
    if (parsed.success) return parsed.data;
    const what = describeInputError(parsed.error, given, inputSchema);
    throw new ToolError('INVALID_INPUT', [`${name}: ${what}`, 'Call it again with these parameters.']);
  };
  const execute = async (given: Given, options: ToolCallOptions = {}): Promise<ToolResult<Details>> => {
    const signal = options.signal ?? options.abortSignal;
    signal?.throwIfAborted();
    try {
      return await plan.run(read(given), { signal, dryRun: options.dryRun ?? false });
    } catch (error) {
      const explained = explainSystemError(error, systemPathOf(error));
      if (!ToolError.isInstance(explained)) throw error;
      return fail(explained, mutates);
    }
  };
  return { name, description, inputSchema, annotations, execute, toModelOutput };
}

/** Makes a tool of a spec, on a workspace. */
export function bind<Given, Input, Details>(
  spec: ToolSpec<Input, Details>,
  workspace: Workspace,
  binding: Binding<Given, Input>,
): ToolDefinition<Given, Details> {
  const { name, description, inputSchema, names } = binding;
  return createTool({
    name,
    description,
    inputSchema,
    annotations: spec.annotations,
    run: (given, { signal, dryRun: isTrial }) => {
      const { input, dryRun = false } = binding.adapt(given);
      return spec.run(input, { workspace, names, signal, dryRun: dryRun || isTrial });
    },
  });
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
