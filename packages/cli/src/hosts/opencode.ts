import { join } from 'node:path';
import { isObject } from '../install/config-format.ts';
import type { ConfigObject } from '../install/config-format.ts';
import { remoteKeys, setting } from './host.ts';
import type { Host } from './host.ts';

/**
 * Whether the file has its servers as the second version writes them. A server may be called `servers`; it has a type.
 */
function isSecond({ mcp }: ConfigObject): boolean {
  return isObject(mcp) && isObject(mcp['servers']) && typeof mcp['servers']['type'] !== 'string';
}

/**
 * opencode: `mcp` of `opencode.json` or `opencode.jsonc` in the project, or in `opencode` below `XDG_CONFIG_HOME`. The second
 * version has servers under `mcp.servers` and still reads those under `mcp`, so that is where a new one goes unless the file
 * has the former.
 *
 * @see https://opencode.ai/docs/mcp-servers
 * @see https://opencode.ai/v2/docs/mcp-servers
 * @see https://opencode.ai/v2/docs/migrate-v1
 */
export const opencode: Host = {
  id: 'opencode',
  title: 'opencode',
  format: 'json',
  files: (scope, context) => {
    const user = join(setting(context, 'XDG_CONFIG_HOME') ?? join(context.home, '.config'), 'opencode');
    const base = scope === 'project' ? context.project : user;
    return ['opencode.json', 'opencode.jsonc'].map((name) => join(base, name));
  },
  servers: (config) => (isSecond(config) ? ['mcp', 'servers'] : ['mcp']),
  entry: ({ command, args }, config) => ({
    type: 'local',
    command: [command, ...args],
    // The second version knows `disabled` only.
    ...(isSecond(config) ? {} : { enabled: true }),
  }),
  foreignKeys: [...remoteKeys, 'oauth', 'disabled'],
  next: (scope) =>
    scope === 'project'
      ? "start opencode in this directory; 'opencode mcp list' shows the server, newer ones ask for 'opencode mcp approve'"
      : "start opencode anew; 'opencode mcp list' shows the server",
};
