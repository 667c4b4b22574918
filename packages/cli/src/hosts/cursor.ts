import { join } from 'node:path';
import { remoteKeys, stdioEntry } from './host.ts';
import type { Host } from './host.ts';

/**
 * Cursor: `mcpServers` of `.cursor/mcp.json` in the project or the home directory. `${workspaceFolder}` is expanded in both.
 *
 * @see https://cursor.com/docs/mcp
 */
export const cursor: Host = {
  id: 'cursor',
  title: 'Cursor',
  format: 'json',
  files: (scope, { project, home }) => [join(scope === 'project' ? project : home, '.cursor', 'mcp.json')],
  servers: () => ['mcpServers'],
  entry: (server) => ({ type: 'stdio', ...stdioEntry(server) }),
  foreignKeys: remoteKeys,
  // An editor is not started in the directory that it shows.
  directory: { project: '${workspaceFolder}', user: '${workspaceFolder}' },
  next: () => 'open the project in Cursor and switch the server on under Customize, MCPs',
};
