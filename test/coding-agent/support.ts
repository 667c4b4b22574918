import { createCodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { CodingTools, ToolPolicy, WorkspaceOptions } from '@cairn/coding-agent';
import type { ToolDefinition, ToolResult } from '@cairn/tool';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTree, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';

/** Tools on a tree of their own. */
export interface Bench {
  readonly root: string;
  readonly tools: CodingTools;
  /** The text of a file. */
  readonly text: (path: string) => string;
  readonly bytes: (path: string) => Buffer;
  /** Every path below the root but what git and the tools keep for themselves. */
  readonly paths: () => string[];
}

/** Links are not followed. */
function pathsBelow(directory: string, prefix: string = ''): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = prefix + entry.name;
    return entry.isDirectory() ? [path, ...pathsBelow(join(directory, entry.name), `${path}/`)] : [path];
  });
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
    paths: () => pathsBelow(root).toSorted(),
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

/** The details of a successful result. */
export function details<Details>(result: ToolResult<Details>): Details {
  if (result.isError) throw new Error(`the tool failed: ${textOf(result)}`);
  return result.details;
}

/** Why a tool failed, with its text. */
export function failure(result: ToolResult): string {
  if (!result.isError) throw new Error(`the tool succeeded: ${textOf(result)}`);
  return `${result.details.reason}: ${textOf(result)}`;
}
