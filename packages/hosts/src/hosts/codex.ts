import { join } from 'node:path';
import { commonNames, MCP_SERVER_KIND, setting, stdioEntry } from '../host.ts';
import type { Host } from '../host.ts';

/**
 * Codex: `[mcp_servers.<name>]` of `config.toml` in `CODEX_HOME` (default `~/.codex`), or in `.codex` of a project that the
 * user trusts.
 *
 * @see https://developers.openai.com/codex/mcp
 * @see https://developers.openai.com/codex/config-basic
 */
export const codex: Host = {
  id: 'codex',
  title: 'Codex',
  mcpServers: {
    id: MCP_SERVER_KIND,
    format: 'toml',
    files: (scope, context) =>
      scope === 'project'
        ? [join(context.project, '.codex', 'config.toml')]
        : [join(setting(context, 'CODEX_HOME') ?? join(context.home, '.codex'), 'config.toml')],
    path: (name) => ['mcp_servers', name],
    render: stdioEntry,
    conflictingKeys: ['url', 'bearer_token_env_var', 'http_headers', 'env_http_headers'],
    names: commonNames,
    nextStep: (scope) =>
      scope === 'project'
        ? 'start codex in this directory and trust the project, because it reads .codex only of trusted projects; /mcp shows the server'
        : 'restart codex; /mcp shows the server',
  },
};
