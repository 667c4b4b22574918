import { join } from 'node:path';
import { byScope, commonServers, setting, type Host } from '../host.ts';

/**
 * Gemini CLI: `mcpServers` of `.gemini/settings.json` in the project, the home directory or `GEMINI_CLI_HOME`.
 *
 * @see https://geminicli.com/docs/tools/mcp-server
 * @see https://geminicli.com/docs/reference/configuration
 */
export const gemini: Host = {
  id: 'gemini',
  title: 'Gemini CLI',
  mcpServers: {
    ...commonServers,
    files: (scope, context) => {
      const base = scope === 'project' ? context.project : (setting(context, 'GEMINI_CLI_HOME') ?? context.home);
      return [join(base, '.gemini', 'settings.json')];
    },
    path: (name) => ['mcpServers', name],
    render: ({ command, args }) => ({ command, args }),
    // Gemini CLI names tools mcp_<server>_<tool> and splits that at underscores.
    names: { pattern: /^[A-Za-z\d-]{1,64}$/u, words: 'up to 64 letters, digits and hyphens, but no underscores' },
    nextStep: byScope(
      'start gemini in this directory and trust the folder; /mcp shows the server',
      'restart gemini; /mcp shows the server',
    ),
  },
};
