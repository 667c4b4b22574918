import type { Host } from './host.ts';
import { claudeCode } from './hosts/claude-code.ts';
import { codex } from './hosts/codex.ts';
import { cursor } from './hosts/cursor.ts';
import { gemini } from './hosts/gemini.ts';
import { opencode } from './hosts/opencode.ts';
import { vscode } from './hosts/vscode.ts';

/** The registry: a new host is one file in `hosts/` and one line here. */
export const hosts: readonly Host[] = [claudeCode, codex, cursor, vscode, gemini, opencode];
