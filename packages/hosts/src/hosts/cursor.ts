import { join } from 'node:path';
import { commonServers, type Host } from '../host.ts';

/**
 * Cursor: `mcpServers` of `.cursor/mcp.json` in the project or the home directory. `${workspaceFolder}` is expanded in both.
 *
 * @see https://cursor.com/docs/mcp
 */
export const cursor: Host = {
  id: 'cursor',
  title: 'Cursor',
  mcpServers: {
    ...commonServers,
    files: (scope, { project, home }) => [join(scope === 'project' ? project : home, '.cursor', 'mcp.json')],
    path: (name) => ['mcpServers', name],
    // An editor does not run in the directory that it shows.
    projectVariable: { project: '${workspaceFolder}', user: '${workspaceFolder}' },
    nextStep: () => 'open the project in Cursor and switch the server on under Customize, MCPs',
  },
};
