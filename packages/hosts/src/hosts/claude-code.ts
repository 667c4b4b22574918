import { join } from 'node:path';
import { commonNames, MCP_SERVER_KIND, remoteKeys, setting, stdioEntry } from '../host.ts';
import type { Host } from '../host.ts';

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
