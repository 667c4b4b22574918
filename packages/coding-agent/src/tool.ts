import type { z } from 'zod';
import type { ToolErrorCode } from './errors.ts';

/** Text for the model. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image for the model; `data` is base64. */
export interface ImagePart {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

export type ContentPart = TextPart | ImagePart;

/** The tool did what was asked for. */
export interface ToolSuccess<Details> {
  readonly isError: false;
  /** For the model. */
  readonly content: readonly ContentPart[];
  /** For programs. */
  readonly details: Details;
}

/** What is known of a failure. */
export interface FailureDetails {
  readonly reason: ToolErrorCode;
  /** What to do next. */
  readonly hint: string;
  /** Whether something was changed before it failed. */
  readonly changed: boolean;
  readonly path?: string;
}

/** The tool did not do it, for a reason that was to be expected. Nothing was changed unless `details.changed`. */
export interface ToolFailure {
  readonly isError: true;
  readonly content: readonly TextPart[];
  readonly details: FailureDetails;
}

/** The answer of a tool. As it is, it is also the result of a tool call of MCP. */
export type ToolResult<Details = unknown> = ToolSuccess<Details> | ToolFailure;

/** What may end a call. The AI SDK passes the signal as `abortSignal`. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /**
   * Check everything and say what would be changed, but change nothing. Tools that only look take no notice.
   * @default false
   */
  readonly dryRun?: boolean | undefined;
}

/** What a tool does to the world, in the words of MCP. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A part of an answer as the AI SDK gives it to a model. */
export type ModelOutputPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file';
      readonly mediaType: string;
      readonly data: { readonly type: 'data'; readonly data: string };
    };

/** An answer as the AI SDK gives it to a model. */
export type ModelOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'error-text'; readonly value: string }
  | { readonly type: 'content'; readonly value: ModelOutputPart[] };

/**
 * A tool: works as it is in the AI SDK, behind MCP, and called directly.
 *
 * `execute` checks its input itself and never changes it. It answers expected trouble (no such file, no match, a wrong
 * parameter) with `isError`, and rejects with the signal's reason when it was aborted, and with anything else that nobody
 * expected.
 */
export interface ToolDefinition<Input = unknown, Details = unknown> {
  readonly name: string;
  readonly description: string;
  /** Zod 4, and by that a Standard Schema. What models are shown is its JSON Schema; more spellings are accepted. */
  readonly inputSchema: z.ZodType<Input>;
  readonly annotations: ToolAnnotations;
  execute(input: Input, options?: ToolCallOptions): Promise<ToolResult<Details>>;
  /** What a model is shown of an answer, for the AI SDK. */
  toModelOutput(options: { readonly output: ToolResult<Details> }): ModelOutput;
}

/** The text of an answer. */
export function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}

/** An answer in text. */
export function succeed<Details>(text: string, details: Details): ToolSuccess<Details> {
  return { isError: false, content: [{ type: 'text', text }], details };
}
