import { join } from 'node:path';
import { remoteKeys, setting, stdioEntry } from './host.ts';
import type { Host } from './host.ts';

/**
 * Gemini CLI: `mcpServers` of `.gemini/settings.json` in the project, the home directory or `GEMINI_CLI_HOME`.
 *
 * @see https://geminicli.com/docs/tools/mcp-server
 * @see https://geminicli.com/docs/reference/configuration
 */
export const gemini: Host = {
  id: 'gemini',
  title: 'Gemini CLI',
  format: 'json',
  files: (scope, context) => {
    const base = scope === 'project' ? context.project : (setting(context, 'GEMINI_CLI_HOME') ?? context.home);
    return [join(base, '.gemini', 'settings.json')];
  },
  servers: () => ['mcpServers'],
  entry: stdioEntry,
  foreignKeys: remoteKeys,
  next: (scope) =>
    scope === 'project'
      ? 'start gemini in this directory and trust the folder; /mcp shows the server'
      : 'start gemini anew; /mcp shows the server',
  // Its tools are called mcp_<server>_<tool>, which is taken apart at the underscores.
  names: { pattern: /^[A-Za-z\d-]+$/u, rule: 'letters, digits and hyphens; it cannot tell underscores from its own' },
};
