import type { ModelOutput, ToolAnnotations, ToolDefinition, ToolResult } from '@cairn/tool';
import { jsonSchema, zodSchema, type Schema } from 'ai';

/** The second argument of `execute`, as the AI SDK passes it. */
export interface AgentToolCall {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
  /** What the executor passes to the tools of a run. */
  readonly context?: unknown;
}

/** A tool of one run: a tool of the AI SDK with the results of `@cairn/tool`. */
export interface AgentTool {
  readonly description: string;
  /** Accepts any JSON: the tool itself checks its input, so that the model reads its message. */
  readonly inputSchema: Schema<unknown>;
  readonly annotations: ToolAnnotations;
  execute(input: unknown, call: AgentToolCall): Promise<ToolResult>;
  toModelOutput(options: { readonly output: ToolResult }): ModelOutput;
}

/** Sets make their tools for each run, and most of them from the same schemas. */
const schemas = new WeakMap<ToolDefinition['inputSchema'], Schema<unknown>>();

function schemaOf(inputSchema: ToolDefinition['inputSchema']): Schema<unknown> {
  let schema = schemas.get(inputSchema);
  if (schema === undefined) {
    // The JSON Schema is made for the first request, and once.
    schema = jsonSchema<unknown>(() => zodSchema(inputSchema).jsonSchema);
    schemas.set(inputSchema, schema);
  }
  return schema;
}

export function asAgentTool(tool: ToolDefinition): AgentTool {
  return {
    description: tool.description,
    inputSchema: schemaOf(tool.inputSchema),
    annotations: tool.annotations,
    execute: (input, { abortSignal }) => tool.execute(input, { signal: abortSignal }),
    toModelOutput: (options) => tool.toModelOutput(options),
  };
}
