import type { z } from 'zod';
import type { ToolErrorCode } from './kernel/tool-error.ts';

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image for the model; `data` is base64. */
interface ImagePart {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

export type ContentPart = TextPart | ImagePart;

/** The result of a call that succeeded. */
export interface ToolSuccess<Details> {
  readonly isError: false;
  /** For the model. */
  readonly content: readonly ContentPart[];
  /** For programs. */
  readonly details: Details;
}

interface FailureDetails {
  readonly reason: ToolErrorCode;
  /** What to do next. */
  readonly hint: string;
  /** Whether the call changed something before it failed. */
  readonly changed: boolean;
  readonly path?: string;
}

/** The result of a call that failed for an expected reason. The call changed nothing unless `details.changed` is true. */
export interface ToolFailure {
  readonly isError: true;
  readonly content: readonly TextPart[];
  readonly details: FailureDetails;
}

/** The result of a tool call. It has the shape of an MCP tool result. */
export type ToolResult<Details = unknown> = ToolSuccess<Details> | ToolFailure;

/** Options of one call. The AI SDK passes the signal as `abortSignal`. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /**
   * Check everything and report what would change, but change nothing. Read-only tools ignore it.
   * @default false
   */
  readonly dryRun?: boolean | undefined;
  /** Called by a long call with what it does now, in a few words. An MCP server passes it on to clients that ask for progress. */
  readonly onProgress?: ((message: string) => void) | undefined;
  /** See {@link BeforeChange}. Only tools with the effect `files` call it, in dry runs too. */
  readonly beforeChange?: BeforeChange | undefined;
}

/** A path that a call is about to change. */
export interface ChangedPath {
  /** The canonical path: links are resolved as the change resolves them. */
  readonly path: string;
  /** The path that the call named, absolute. */
  readonly named: string;
  /** Why other paths may change, too: the file has other names (hard links), or the directory has more entries than are listed. */
  readonly unlisted?: 'names' | 'entries' | undefined;
}

/**
 * Called once with everything that a call changes, after all checks and before the first change. When it throws, nothing is changed
 * and the call rejects with the error.
 */
export type BeforeChange = (paths: readonly ChangedPath[]) => void;

/** The effects of a tool, as MCP's tool annotations. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A part of a result in the form that the AI SDK gives to a model. */
export type ModelOutputPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file';
      readonly mediaType: string;
      readonly data: { readonly type: 'data'; readonly data: string };
    };

/** A result in the form that the AI SDK gives to a model. */
export type ModelOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'error-text'; readonly value: string }
  | { readonly type: 'content'; readonly value: ModelOutputPart[] };

/**
 * A tool. The same object works in the AI SDK, over MCP, and when a program calls it.
 *
 * `execute` checks its input and never modifies it. An expected failure (missing file, no match, invalid parameter) is a
 * result with `isError`. `execute` rejects with the signal's reason after an abort, and with any unexpected error.
 */
export interface ToolDefinition<Input = unknown, Details = unknown> {
  readonly name: string;
  readonly description: string;
  /** A Zod 4 schema, so also a Standard Schema. Models see its JSON Schema; the schema may accept more. */
  readonly inputSchema: z.ZodType<Input>;
  readonly annotations: ToolAnnotations;
  /**
   * Whether the details of a success are an answer by themselves, in a documented form: then a client of MCP that takes structured
   * content gets them as they are. Of other details it gets the facts. @default false
   */
  readonly hasStructuredDetails?: boolean | undefined;
  /**
   * What a call that is not read-only does, for rules about calls. `files`: it changes only files, passes them to `beforeChange`, and
   * changes nothing in a dry run. `command`: it runs the command line in its parameter `command`. @default anything else
   */
  readonly effect?: 'files' | 'command' | undefined;
  execute(input: Input, options?: ToolCallOptions): Promise<ToolResult<Details>>;
  /** Converts a result for the AI SDK, which passes it to a model. */
  toModelOutput(options: { readonly output: ToolResult<Details> }): ModelOutput;
}

/** Tools by name, as the AI SDK accepts them. */
export type Tools = Readonly<Record<string, ToolDefinition>>;

/** Returns the text of a result, one part per line. The text of an image is its MIME type in brackets. */
export function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}

/** Makes a successful result from a string and its details. */
export function succeed<Details>(text: string, details: Details): ToolSuccess<Details> {
  return { isError: false, content: [{ type: 'text', text }], details };
}
