import { join } from 'node:path';
import { remoteKeys, setting, stdioEntry } from './host.ts';
import type { Host } from './host.ts';

/**
 * Claude Code: `.mcp.json` in the project, `mcpServers` of `~/.claude.json` for the user, or of `.claude.json` below
 * `CLAUDE_CONFIG_DIR`. In `.mcp.json` variables are expanded, `CLAUDE_PROJECT_DIR` only with a default.
 *
 * @see https://code.claude.com/docs/en/mcp
 * @see https://code.claude.com/docs/en/env-vars
 */
export const claudeCode: Host = {
  id: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  files: (scope, context) =>
    scope === 'project'
      ? [join(context.project, '.mcp.json')]
      : [join(setting(context, 'CLAUDE_CONFIG_DIR') ?? context.home, '.claude.json')],
  servers: () => ['mcpServers'],
  entry: (server) => ({ type: 'stdio', ...stdioEntry(server) }),
  foreignKeys: remoteKeys,
  directory: { project: '${CLAUDE_PROJECT_DIR:-.}' },
  next: (scope) =>
    scope === 'project'
      ? 'start claude in this directory and approve the server when it asks; /mcp shows it'
      : 'start claude anew; /mcp shows the server',
};
