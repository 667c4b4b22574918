import { textOf } from '@cairn/tool';
import type { ToolResult } from '@cairn/tool';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { factsOf } from './facts.ts';
import { HIDDEN_TEXT_NOTE } from './structured.ts';

/** The key of the facts in an answer's `_meta`. */
const FACTS_KEY = 'cairn/facts';

/**
 * The answer of a tool as MCP has it: its content, and the facts of its details, which never repeat the text.
 *
 * Hosts may show a model the structured content in place of the text, and it would see how many lines there are and none of
 * them: so the structured content says where the answer is.
 */
export function answerOf(result: ToolResult, structured: boolean): CallToolResult {
  const facts = factsOf(result.details, textOf(result));
  return {
    content: [...result.content],
    ...(result.isError && { isError: true }),
    ...(structured && { structuredContent: { ...facts, note: HIDDEN_TEXT_NOTE } }),
    _meta: { [FACTS_KEY]: facts },
  };
}

/** The answer to a call that nobody expected to fail. The server goes on. */
export function unexpectedAnswer(name: string, error: unknown): CallToolResult {
  const reason = error instanceof Error ? error.message : String(error);
  const text = `${name} failed for a reason of its own: ${reason}. Whether it changed something is not known: look before you go on.`;
  return { content: [{ type: 'text', text }], isError: true };
}
