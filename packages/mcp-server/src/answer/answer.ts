import { textOf, type ToolResult } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { toError } from '../transport.ts';
import { factsOf } from './facts.ts';
import { HIDDEN_TEXT_NOTE } from './structured.ts';

/** The key of the facts in the `_meta` of an answer. */
const FACTS_KEY = 'cairn/facts';

/**
 * Converts the result of a tool to an MCP answer: the content unchanged, and the facts of its details in `_meta`. Facts never
 * repeat the text.
 *
 * With `structured: 'facts'` they are also the `structuredContent`. Some hosts show a model the structured content instead of the
 * text; the model would then see how many lines there are, but not the lines. A note in it names the fix. With `'details'` the
 * details of a success are the structured content, whole.
 */
export function answerOf(result: ToolResult, structured: 'facts' | 'details' | undefined): CallToolResult {
  const facts = factsOf(result.details, textOf(result));
  const isWhole = structured === 'details' && !result.isError;
  const content = isWhole ? { ...(result.details as object) } : { ...facts, note: HIDDEN_TEXT_NOTE };
  return {
    content: [...result.content],
    ...(result.isError && { isError: true }),
    ...(structured !== undefined && { structuredContent: content }),
    _meta: { [FACTS_KEY]: facts },
  };
}

/** Returns the answer to a call that failed unexpectedly. The server continues. */
export function unexpectedAnswer(name: string, error: unknown): CallToolResult {
  const reason = escapeControls(toError(error).message);
  const text = `${name} failed unexpectedly: ${reason}; check what it changed before you continue`;
  return { content: [{ type: 'text', text }], isError: true };
}
