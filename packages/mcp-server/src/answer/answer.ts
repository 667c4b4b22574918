import { textOf, type ToolResult } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { isObject } from '@cairn/tool/kernel';
import { toError } from '../transport.ts';

/**
 * When an answer has its facts as `structuredContent` too.
 *
 * - `always`, `never`.
 * - `auto`: for every client except the hosts that are known to hide the text when there is structured content.
 */
export type StructuredWhen = 'auto' | 'always' | 'never';

/**
 * Hosts that show a model the structured content instead of the text, or did so in a version that is in use. Each entry is
 * the start of the client name that the host sends, in lower case.
 *
 * @see https://github.com/anthropics/claude-code/issues/55677
 * @see https://github.com/anomalyco/opencode/pull/32074 which does "as Codex"
 * @see https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1411 for Cursor
 */
const hostsHidingText: readonly string[] = [
  'claude-code',
  'codex',
  'cursor',
  'opencode',
  'visual studio code',
  'vscode',
];

/** A note for a model whose host hides the text and is not in the list. */
const HIDDEN_TEXT_NOTE =
  'The text content holds the answer. If you see only this object, start the server with --structured never.';

/** Returns whether a client gets structured content. */
export function wantsStructured(when: StructuredWhen, clientName: string | undefined): boolean {
  if (when !== 'auto') return when === 'always';
  const name = clientName?.toLowerCase() ?? '';
  return !hostsHidingText.some((start) => name.startsWith(start));
}

/** Longer strings are content, not facts. Characters. */
const MAX_CHARACTERS = 200;

/** Nested facts, such as what an empty search skipped, are kept to this depth. */
const MAX_DEPTH = 2;

/** The facts of an answer besides its text: numbers, flags, short strings and nested facts. */
export interface Facts {
  readonly [name: string]: Fact;
}

export type Fact = string | number | boolean | Facts;

function factOf(value: unknown, text: string, depth: number): Fact | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  // The text holds the items of a list; their number is a fact.
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string') {
    const isProse = /\s/u.test(value) && text.includes(value);
    return isProse || value.length > MAX_CHARACTERS || value.includes('\n') ? undefined : value;
  }
  return isObject(value) && depth < MAX_DEPTH ? factsOf(value, text, depth + 1) : undefined;
}

/** Returns the facts in the details of a tool's result. Lines, listings and sentences are left to the text. */
export function factsOf(details: unknown, text: string, depth: number = 0): Facts {
  if (!isObject(details)) return {};
  const facts = Object.entries(details).map(([name, one]) => [name, factOf(one, text, depth)] as const);
  return Object.fromEntries(facts.filter((entry): entry is readonly [string, Fact] => entry[1] !== undefined));
}

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
