import { join } from 'node:path';
import { commonNames, configScopes, MCP_SERVER_KIND, remoteKeys, setting, stdioEntry } from '../host.ts';
import type { Host, HostContext } from '../host.ts';
import { sessionStartHook, skillFile } from '../session-host.ts';
import type { SessionHost } from '../session-host.ts';

function userDirectory(context: HostContext): string {
  return setting(context, 'CLAUDE_CONFIG_DIR') ?? join(context.home, '.claude');
}

/**
 * Claude Code: `.mcp.json` in the project; for the user `mcpServers` of `~/.claude.json`, or of `.claude.json` in
 * `CLAUDE_CONFIG_DIR`. Variables in `.mcp.json` are expanded; `CLAUDE_PROJECT_DIR` needs a default there.
 *
 * @see https://code.claude.com/docs/en/mcp
 * @see https://code.claude.com/docs/en/env-vars
 */
export const claudeCode: Host = {
  id: 'claude-code',
  title: 'Claude Code',
  mcpServers: {
    id: MCP_SERVER_KIND,
    format: 'json',
    files: (scope, context) =>
      scope === 'project'
        ? [join(context.project, '.mcp.json')]
        : [join(setting(context, 'CLAUDE_CONFIG_DIR') ?? context.home, '.claude.json')],
    path: (name) => ['mcpServers', name],
    render: (server) => ({ type: 'stdio', ...stdioEntry(server) }),
    conflictingKeys: remoteKeys,
    names: commonNames,
    projectVariable: { project: '${CLAUDE_PROJECT_DIR:-.}' },
    nextStep: (scope) =>
      scope === 'project'
        ? 'start claude in this directory and approve the server when it asks; /mcp shows it'
        : 'restart claude; /mcp shows the server',
  },
};

/**
 * Claude Code runs the hooks of `SessionStart` in `.claude/settings.json` of the project, or in `settings.json` of the user's
 * directory. `source` is `startup`, `resume`, `clear`, `compact` or `fork`. It replaces a text of more than 10,000 characters by a
 * preview of 2 KB. Skills are in `skills` of the same directories.
 *
 * @see https://code.claude.com/docs/en/hooks
 * @see https://code.claude.com/docs/en/skills
 * @see https://github.com/anthropics/claude-code/issues/91614
 */
export const claudeCodeSessions: SessionHost = {
  id: 'claude',
  title: 'Claude Code',
  delivery: 'hook',
  scopes: configScopes,
  entry: {
    ...sessionStartHook,
    files: (scope, context) => [
      scope === 'project'
        ? join(context.project, '.claude', 'settings.json')
        : join(userDirectory(context), 'settings.json'),
    ],
    nextStep: (scope) =>
      scope === 'project'
        ? 'start claude in this directory and trust it when claude asks; /hooks shows the hook'
        : 'restart claude; /hooks shows the hook',
  },
  skills: skillFile((scope, context) =>
    scope === 'project' ? join(context.project, '.claude', 'skills') : join(userDirectory(context), 'skills'),
  ),
};
