import { createTool, succeed } from '@cairn/tool';
import type { ToolDefinition, ToolSet } from '@cairn/tool';
import { z } from 'zod';

const annotations = { destructiveHint: false, idempotentHint: false, openWorldHint: false };

/** Makes a tool that takes `{ text }` and runs a function. */
export function makeTool(
  name: string,
  run: (text: string, signal: AbortSignal | undefined) => Promise<string> | string,
): ToolDefinition {
  return createTool<{ text: string }, object>({
    name,
    description: `Runs ${name}.`,
    inputSchema: z.strictObject({ text: z.string() }),
    annotations: { ...annotations, title: name, readOnlyHint: false },
    run: async ({ text }, { signal }) => succeed(await run(text, signal), {}),
  }) as ToolDefinition;
}

/** Makes a set of tools. */
export function makeToolSet(...tools: readonly ToolDefinition[]): ToolSet {
  return { name: 'test', open: () => ({ tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])) }) };
}
