import { createCodingTools, textOf } from '@cairn/coding-agent';
import type { CodingTools, ToolDefinition, ToolPolicy, ToolResult, WorkspaceOptions } from '@cairn/coding-agent';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

/** Tools on a tree of their own. */
export interface Bench {
  readonly root: string;
  readonly tools: CodingTools;
  /** The text of a file. */
  text(path: string): string;
  bytes(path: string): Buffer;
  /** Every path below the root but what git and the tools keep for themselves. */
  paths(): string[];
}

/** The tools of a new tree, with locks of their own. Temporary files that are left over are among the paths. */
export function createBench(tree: Tree, policy?: ToolPolicy, options: Partial<WorkspaceOptions> = {}): Bench {
  const root = createTree(tree);
  const tools = createCodingTools({ root, policy, stateDirectory: temporaryDirectory(), ...options });
  return {
    root,
    tools,
    text: (path) => readFileSync(join(root, path), 'utf8'),
    bytes: (path) => readFileSync(join(root, path)),
    paths: () => readdirSync(root, { recursive: true }).map(String).toSorted(),
  };
}

/** Calls a tool with input as a model gives it, which no type has checked. */
export function call<Details>(
  tool: ToolDefinition<unknown, Details>,
  input: unknown,
  signal?: AbortSignal,
): Promise<ToolResult<Details>> {
  return tool.execute(input, { signal });
}

/** The details of an answer that is no failure. */
export function details<Details>(result: ToolResult<Details>): Details {
  if (result.isError) throw new Error(`the tool failed: ${textOf(result)}`);
  return result.details;
}

/** Why a tool failed, with its text. */
export function failure(result: ToolResult): string {
  if (!result.isError) throw new Error(`the tool succeeded: ${textOf(result)}`);
  return `${result.details.reason}: ${textOf(result)}`;
}
