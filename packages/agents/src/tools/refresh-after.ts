import type { AgentTool } from './agent-tool.ts';
import { toolNameOf } from './tool-names.ts';

/** Whether a tool may change files without announcing it: Cairn's tools announce what they change. */
function mayChangeFiles(name: string, { annotations }: AgentTool): boolean {
  return !annotations.readOnlyHint && toolNameOf(name) === undefined;
}

/**
 * Returns tools. Those that may change files without announcing it, such as a shell, are followed by a refresh of what is kept
 * about the workspace. A refresh that fails changes no result.
 */
export function refreshAfter(
  tools: Readonly<Record<string, AgentTool>>,
  refresh: () => Promise<void>,
): Readonly<Record<string, AgentTool>> {
  const refreshing = (tool: AgentTool): AgentTool => ({
    ...tool,
    execute: async (input, call) => {
      try {
        return await tool.execute(input, call);
      } finally {
        await refresh().catch(() => undefined);
      }
    },
  });
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, mayChangeFiles(name, tool) ? refreshing(tool) : tool]),
  );
}
