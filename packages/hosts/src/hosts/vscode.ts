import { join } from 'node:path';
import { commonServers, setting, type Host, type HostContext } from '../host.ts';

/** Returns the directory of the user's settings, for the default profile. */
function userDirectory(context: HostContext): string {
  const portable = setting(context, 'VSCODE_PORTABLE');
  if (portable !== undefined) return join(portable, 'user-data', 'User');
  if (context.platform === 'win32') {
    return join(setting(context, 'APPDATA') ?? join(context.home, 'AppData', 'Roaming'), 'Code', 'User');
  }
  if (context.platform === 'darwin') return join(context.home, 'Library', 'Application Support', 'Code', 'User');
  return join(setting(context, 'XDG_CONFIG_HOME') ?? join(context.home, '.config'), 'Code', 'User');
}

/**
 * VS Code: `servers` of `.vscode/mcp.json` in the workspace, or of `mcp.json` in the directory of the user's settings.
 *
 * @see https://code.visualstudio.com/docs/agents/reference/mcp-configuration
 * @see https://code.visualstudio.com/docs/reference/variables-reference
 * @see https://code.visualstudio.com/docs/configure/settings
 */
export const vscode: Host = {
  id: 'vscode',
  title: 'VS Code',
  mcpServers: {
    ...commonServers,
    files: (scope, context) => [
      scope === 'project' ? join(context.project, '.vscode', 'mcp.json') : join(userDirectory(context), 'mcp.json'),
    ],
    path: (name) => ['servers', name],
    projectVariable: { project: '${workspaceFolder}', user: '${workspaceFolder}' },
    nextStep: () => "open the project in VS Code and run 'MCP: List Servers' to start the server and trust it",
  },
};
