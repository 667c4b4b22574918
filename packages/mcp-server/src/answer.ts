import { textOf } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/coding-agent';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { factsOf } from './facts.ts';

/** The key of the facts in an answer's `_meta`. */
const FACTS_KEY = 'cairn/facts';

/**
 * The answer of a tool as MCP has it: its content, and the facts of its details.
 *
 * The facts are no structured content unless that is asked for: the common hosts show a model the structured content in
 * place of the text when there is any, and the model would see how many lines there are and none of them.
 */
export function answerOf(result: ToolResult, structured: boolean): CallToolResult {
  const facts = factsOf(result.details, textOf(result));
  return {
    content: [...result.content],
    ...(result.isError && { isError: true }),
    ...(structured && { structuredContent: facts }),
    _meta: { [FACTS_KEY]: facts },
  };
}

/** The answer to a call that nobody expected to fail. The server goes on. */
export function unexpectedAnswer(name: string, error: unknown): CallToolResult {
  const reason = error instanceof Error ? error.message : String(error);
  const text = `${name} failed for a reason of its own: ${reason}. Whether it changed something is not known: look before you go on.`;
  return { content: [{ type: 'text', text }], isError: true };
}
