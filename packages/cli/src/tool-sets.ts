import type { ToolSet } from '@cairn/mcp-server';

/**
 * The tools that `cairn mcp` serves, in the order in which clients see them: one line for each set. They are loaded when a
 * server starts and not before.
 */
export async function loadToolSets(): Promise<ToolSet[]> {
  const { codingToolSet } = await import('@cairn/mcp-server');
  return [codingToolSet];
}
