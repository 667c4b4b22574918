import type { ToolAnnotations, ToolRunOptions } from '@cairn/tool';
import type { ToolSpec } from '@cairn/tool/internal';
import type { z } from 'zod';
import type { Workspace } from '../workspace.ts';

/** How messages name tools and parameters; each naming profile has its own. */
export interface Names {
  tool(name: string): string;
  parameter(tool: string, name: string): string;
  /** The parameter that makes an edit replace all places; absent where the profile has none. */
  readonly replaceAll: string | undefined;
  /** Returns a parameter with a value, in the form in which the profile sets it. */
  setting(tool: string, name: string, value: string): string;
}

/** Makes names whose settings are `parameter=value`. */
export function namesBy(names: Omit<Names, 'setting'>): Names {
  return { ...names, setting: (tool, name, value) => `${names.parameter(tool, name)}=${value}` };
}

/** What `run` of a {@link CodingToolSpec} receives besides its input. */
export interface RunContext extends ToolRunOptions {
  readonly workspace: Workspace;
  readonly names: Names;
  /** The canonical paths of the files that the call has read or changed: a tool adds to it. */
  readonly touched?: Set<string> | undefined;
}

/** A tool before it is bound to a workspace and to names. */
export interface CodingToolSpec<Input, Details> extends ToolSpec<Input, Details, RunContext> {
  readonly shape: z.ZodRawShape;
}

export function readOnly(title: string): ToolAnnotations {
  return { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
}

export function mutating(title: string): ToolAnnotations {
  return { title, readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };
}
