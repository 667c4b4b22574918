import { join } from 'node:path';
import { isObject, type ConfigObject } from '../formats/config-format.ts';
import { byScope, commonServers, remoteKeys, setting, type Host } from '../host.ts';

/** Returns whether the file uses the layout of version 2. In version 1 `servers` can be the name of a server, which has a type. */
function usesVersion2({ mcp }: ConfigObject): boolean {
  return isObject(mcp) && isObject(mcp['servers']) && typeof mcp['servers']['type'] !== 'string';
}

/**
 * opencode: `mcp` of `opencode.json` or `opencode.jsonc` in the project, or in `opencode` below `XDG_CONFIG_HOME`. Version 2
 * keeps servers under `mcp.servers` and still reads those under `mcp`. So a new one goes under `mcp`, unless the file has
 * `mcp.servers`.
 *
 * @see https://opencode.ai/docs/mcp-servers
 * @see https://opencode.ai/v2/docs/mcp-servers
 * @see https://opencode.ai/v2/docs/migrate-v1
 */
export const opencode: Host = {
  id: 'opencode',
  title: 'opencode',
  mcpServers: {
    ...commonServers,
    files: (scope, context) => {
      const user = join(setting(context, 'XDG_CONFIG_HOME') ?? join(context.home, '.config'), 'opencode');
      const base = scope === 'project' ? context.project : user;
      return ['opencode.json', 'opencode.jsonc'].map((name) => join(base, name));
    },
    path: (name, config) => (usesVersion2(config) ? ['mcp', 'servers', name] : ['mcp', name]),
    render: ({ command, args }, config) => ({
      type: 'local',
      command: [command, ...args],
      // Version 2 has `disabled` instead.
      ...(usesVersion2(config) ? {} : { enabled: true }),
    }),
    conflictingKeys: [...remoteKeys, 'oauth', 'disabled'],
    nextStep: byScope(
      "start opencode in this directory; 'opencode mcp list' shows the server, and version 2 needs 'opencode mcp approve'",
      "restart opencode; 'opencode mcp list' shows the server",
    ),
  },
};
