import { join } from 'node:path';
import { byScope, commonServers, configScopes, setting } from '../host.ts';
import type { ConfigScope, Host, HostContext } from '../host.ts';
import { openSkills, sessionStartHook, type SessionHost } from '../session-host.ts';

function directoryOf(scope: ConfigScope, context: HostContext): string {
  if (scope === 'project') return join(context.project, '.codex');
  return setting(context, 'CODEX_HOME') ?? join(context.home, '.codex');
}

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
    ...commonServers,
    format: 'toml',
    files: (scope, context) => [join(directoryOf(scope, context), 'config.toml')],
    path: (name) => ['mcp_servers', name],
    render: ({ command, args }) => ({ command, args }),
    conflictingKeys: ['url', 'bearer_token_env_var', 'http_headers', 'env_http_headers'],
    nextStep: byScope(
      'start codex in this directory and trust the project, because it reads .codex only of trusted projects; /mcp shows the server',
      'restart codex; /mcp shows the server',
    ),
  },
};

/**
 * Codex runs the hooks of `SessionStart` in `hooks.json` of `CODEX_HOME`, or of `.codex` in a project that the user trusts.
 * `[hooks]` of `config.toml` is merged with it. It runs no hook before the user trusts that exact hook. `source` is
 * `startup`, `resume`, `clear` or `compact`. It cuts the middle out of a string of more than 2,500 tokens; a token is four
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
    files: (scope, context) => [join(directoryOf(scope, context), 'hooks.json')],
    nextStep: byScope(
      'start codex in this directory, trust the project, then trust the hook in /hooks; codex skips it until then',
      'restart codex, then trust the hook in /hooks; codex skips it until then',
    ),
  },
  skills: openSkills,
};
