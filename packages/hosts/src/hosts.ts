import type { Host } from './host.ts';
import { agentsMd } from './hosts/agents-md.ts';
import { claudeCode, claudeCodeSessions } from './hosts/claude-code.ts';
import { codex, codexSessions } from './hosts/codex.ts';
import { cursor } from './hosts/cursor.ts';
import { gemini } from './hosts/gemini.ts';
import { opencode } from './hosts/opencode.ts';
import { vscode } from './hosts/vscode.ts';
import type { SessionHost } from './session-host.ts';

/** The registry: a new host is one file in `hosts/` and one line here. */
export const hosts: readonly Host[] = [claudeCode, codex, cursor, vscode, gemini, opencode];

/** Hosts that can begin a session with the output of a program, and the file that all other hosts read. */
export const sessionHosts: readonly SessionHost[] = [claudeCodeSessions, codexSessions, agentsMd];
