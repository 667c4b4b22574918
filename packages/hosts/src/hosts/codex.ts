import { join } from 'node:path';
import { commonNames, configScopes, MCP_SERVER_KIND, setting, stdioEntry } from '../host.ts';
import type { Host } from '../host.ts';
import { openSkills, sessionStartHook } from '../session-host.ts';
import type { SessionHost } from '../session-host.ts';

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

/**
 * Codex runs the hooks of `SessionStart` in `hooks.json` of `CODEX_HOME`, or of `.codex` in a project that the user trusts.
 * `[hooks]` of `config.toml` is merged with it. It runs no hook before the user trusts that exact hook. `source` is
 * `startup`, `resume`, `clear` or `compact`. It cuts the middle out of a text of more than 2,500 tokens; a token is four
 * bytes. Skills are in the directories of the open standard.
 *
 * @see https://developers.openai.com/codex/hooks
 * @see https://developers.openai.com/codex/skills
 * @see https://github.com/openai/codex/blob/main/codex-rs/hooks/src/output_spill.rs
 * @see https://github.com/openai/codex/blob/main/codex-rs/hooks/src/events/session_start.rs
 */
export const codexSessions: SessionHost = {
  id: 'codex',
  title: 'Codex',
  delivery: 'hook',
  scopes: configScopes,
  entry: {
    ...sessionStartHook,
    files: (scope, context) => [
      scope === 'project'
        ? join(context.project, '.codex', 'hooks.json')
        : join(setting(context, 'CODEX_HOME') ?? join(context.home, '.codex'), 'hooks.json'),
    ],
    nextStep: (scope) =>
      scope === 'project'
        ? 'start codex in this directory, trust the project, then trust the hook in /hooks; codex skips it until then'
        : 'restart codex, then trust the hook in /hooks; codex skips it until then',
  },
  skills: openSkills,
};
