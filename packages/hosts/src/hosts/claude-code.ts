import { join } from 'node:path';
import { byScope, commonServers, configScopes, setting } from '../host.ts';
import type { ConfigScope, Host, HostContext } from '../host.ts';
import { sessionStartHook, skillFile, type SessionHost } from '../session-host.ts';

function directoryOf(scope: ConfigScope, context: HostContext): string {
  if (scope === 'project') return join(context.project, '.claude');
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
    ...commonServers,
    files: (scope, context) =>
      scope === 'project'
        ? [join(context.project, '.mcp.json')]
        : [join(setting(context, 'CLAUDE_CONFIG_DIR') ?? context.home, '.claude.json')],
    path: (name) => ['mcpServers', name],
    projectVariable: { project: '${CLAUDE_PROJECT_DIR:-.}' },
    nextStep: byScope(
      'start claude in this directory and approve the server when it asks; /mcp shows it',
      'restart claude; /mcp shows the server',
    ),
  },
};

/**
 * Claude Code runs the hooks of `SessionStart` in `.claude/settings.json` of the project, or in `settings.json` of the user's
 * directory. `source` is `startup`, `resume`, `clear`, `compact` or `fork`. It replaces a string of more than 10,000 characters by a
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
    files: (scope, context) => [join(directoryOf(scope, context), 'settings.json')],
    nextStep: byScope(
      'start claude in this directory and trust it when claude asks; /hooks shows the hook',
      'restart claude; /hooks shows the hook',
    ),
  },
  skills: skillFile((scope, context) => join(directoryOf(scope, context), 'skills')),
};
