/** Every naming profile, under the name that callers choose it by: one line per profile. See `profiles.ts`. */
export { claude } from './claude.ts';
export { codex } from './codex.ts';
export { gemini } from './gemini.ts';
export { mcpFs as 'mcp-fs' } from './mcp-fs.ts';
export { pi } from './pi.ts';
