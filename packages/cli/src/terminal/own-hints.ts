import type { ToolDefinition, ToolResult, ToolSet } from '@cairn/tool';
import { withOwnCommand } from './own-command.ts';
import type { CommandContext } from './command-context.ts';

function withOwnHint(result: ToolResult, command: CommandContext['command']): ToolResult {
  if (!result.isError) return result;
  const { content, details } = result;
  const hint = withOwnCommand(details.hint, command);
  return {
    ...result,
    content: content.map((part) => ({ ...part, text: part.text.replace(details.hint, () => hint) })),
    details: { ...details, hint },
  };
}

/** Returns a tool set whose failures have hints that run as printed. Other results may be the text of a file. */
export function withOwnHints(set: ToolSet, command: CommandContext['command']): ToolSet {
  const withHints = (tool: ToolDefinition): ToolDefinition => ({
    ...tool,
    execute: async (input, options) => withOwnHint(await tool.execute(input, options), command),
  });
  return {
    name: set.name,
    open: async (context) => {
      const opened = await set.open(context);
      const tools = Object.entries(opened.tools).map(([name, tool]) => [name, withHints(tool)] as const);
      return { ...opened, tools: Object.fromEntries(tools) };
    },
    ...(set.close && { close: () => set.close?.() ?? Promise.resolve() }),
  };
}
