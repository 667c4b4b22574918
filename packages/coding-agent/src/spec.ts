import type { z } from 'zod';
import type { ToolAnnotations, ToolSuccess } from './tool.ts';
import type { Workspace } from './workspace.ts';

/** How tools and parameters are called in messages; a profile has names of its own. */
export interface Names {
  tool(name: string): string;
  parameter(tool: string, name: string): string;
  /** The parameter by which an edit replaces all places; absent where there is none. */
  readonly replaceAll: string | undefined;
  /** A parameter with a value, as it is set there. */
  setting(tool: string, name: string, value: string): string;
}

/** Names by which parameters alone are called otherwise. */
export function namesBy(names: Omit<Names, 'setting'>): Names {
  return { ...names, setting: (tool, name, value) => `${names.parameter(tool, name)}=${value}` };
}

/** What a tool's `run` is given beside its input. */
export interface RunContext {
  readonly workspace: Workspace;
  readonly names: Names;
  readonly signal: AbortSignal | undefined;
  /** Only say what would be changed. */
  readonly dryRun: boolean;
}

/** A tool before it is bound to a workspace and a naming profile. */
export interface ToolSpec<Input, Details> {
  readonly name: string;
  readonly description: string;
  readonly shape: z.ZodRawShape;
  readonly inputSchema: z.ZodType<Input>;
  readonly annotations: ToolAnnotations;
  /**
   * @throws {ToolError} for what is to be expected; the binding makes it an answer.
   */
  run(input: Input, context: RunContext): Promise<ToolSuccess<Details>>;
}

/** The annotations of a tool that only looks. */
export function readOnly(title: string): ToolAnnotations {
  return { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
}

/** The annotations of a tool that changes files. */
export function mutating(title: string): ToolAnnotations {
  return { title, readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };
}
