import { join } from 'node:path';
import { setting, stdioEntry } from './host.ts';
import type { Host } from './host.ts';

/**
 * Codex: `[mcp_servers.<name>]` of `config.toml` in `CODEX_HOME`, which is `~/.codex`, or in `.codex` of a project that the
 * user trusts.
 *
 * @see https://developers.openai.com/codex/mcp
 * @see https://developers.openai.com/codex/config-basic
 */
export const codex: Host = {
  id: 'codex',
  title: 'Codex',
  format: 'toml',
  files: (scope, context) =>
    scope === 'project'
      ? [join(context.project, '.codex', 'config.toml')]
      : [join(setting(context, 'CODEX_HOME') ?? join(context.home, '.codex'), 'config.toml')],
  servers: () => ['mcp_servers'],
  entry: stdioEntry,
  foreignKeys: ['url', 'bearer_token_env_var', 'http_headers', 'env_http_headers'],
  next: (scope) =>
    scope === 'project'
      ? 'start codex in this directory and trust the project: it reads .codex of no other; /mcp shows the server'
      : 'start codex anew; /mcp shows the server',
};
