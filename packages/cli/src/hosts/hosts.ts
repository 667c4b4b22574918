import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import type { Host } from './host.ts';
import { opencode } from './opencode.ts';
import { vscode } from './vscode.ts';

/** The registry: a new host is one file and one line here. */
export const hosts: readonly Host[] = [claudeCode, codex, cursor, vscode, gemini, opencode];
